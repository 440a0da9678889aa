package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
)

// bodyTimeout is how long a JSON body may take to arrive.
const bodyTimeout = 30 * time.Second

// errorBody is what a client is told of err. What no entry foresees is told
// without its text, which may hold anything; the log has it.
func errorBody(err error, request string) (api.ErrorBody, *catalogue.Error) {
	e := catalogue.Of(err)
	detail := e.Detail
	if e.Code == catalogue.Internal {
		detail = "request " + request
	}
	return api.ErrorBody{Error: api.ErrorFields{
		Code: e.Code, What: e.What, Means: e.Means, Do: e.Do, Detail: detail, Request: request,
	}}, e
}

// fail answers with err, unless the answer has begun: then it is cut off, so
// that no client takes it for whole.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	note := noteOf(r)
	note.err = err
	if rec, ok := w.(*response); ok && rec.status != 0 {
		panic(http.ErrAbortHandler)
	}
	if r.Body != nil && r.Body != http.NoBody {
		// The answer leaves when the body is in: a slow one must not hold it.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(errorBodyTimeout))
	}
	body, e := errorBody(err, note.id)
	s.metrics.refused.WithLabelValues(string(e.Code)).Inc()
	w.Header().Set("Cache-Control", "no-store")
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if err := writeJSON(w, e.Status, body); err != nil {
		note.err = errors.Join(note.err, err)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	data, err := json.Marshal(v, api.JSON)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone needs no answer
	return nil
}

// readJSON reads a body of at most limit bytes into v.
func readJSON(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout)) // not every writer can
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return bodyError(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		// The text of a JSON error quotes the body, which is content.
		return catalogue.Wrap(catalogue.BadRequest, "the body is not the JSON it should be", err)
	}
	return nil
}

// bodyError names the limit where that is what a read failed by.
func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return catalogue.Wrap(catalogue.TooLarge, fmt.Sprintf("the limit is %d bytes", tooLarge.Limit), err)
	}
	return catalogue.Wrap(catalogue.Incomplete, "the body ended early", err)
}
