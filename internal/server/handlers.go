package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
)

func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	list, err := s.opt.Store.List(r.Context())
	if err != nil {
		return err
	}
	if list == nil {
		list = []api.Conversation{}
	}
	return writeJSON(w, http.StatusOK, list)
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) error {
	var n api.NewConversation
	if err := readJSON(w, r, s.opt.Limits.Body, &n); err != nil {
		return err
	}
	c, err := s.opt.Store.Create(r.Context(), n)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, c)
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) error {
	c, err := s.opt.Store.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, c)
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) error {
	if err := s.opt.Store.Delete(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) error {
	m, err := s.opt.Store.Messages(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, m)
}

// view hands the view's three addresses to the conversation itself.
func (s *Server) view(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	h, release, err := s.opt.Views.View(r.Context(), id)
	if err != nil {
		return err
	}
	defer release()
	http.StripPrefix("/v1/conversations/"+id, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err = h(w, r)
	})).ServeHTTP(w, r)
	return err
}

func (s *Server) record(w http.ResponseWriter, r *http.Request) error {
	format := r.URL.Query().Get("from")
	if format == "" {
		return catalogue.New(catalogue.BadRequest, "?from=FORMAT is missing")
	}
	body := &countedBody{r: http.MaxBytesReader(w, r.Body, s.opt.Limits.Record), n: s.metrics.recorded.Add}
	res, err := s.opt.Store.Record(r.Context(), r.PathValue("id"), format, body)
	if body.err != nil {
		return bodyError(body.err)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, res)
}

// countedBody counts what is read and keeps the error a read ended by, which
// the store may have wrapped or swallowed.
type countedBody struct {
	r   io.Reader
	n   func(float64)
	err error
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n(float64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

func (s *Server) recordings(w http.ResponseWriter, r *http.Request) error {
	list, err := s.opt.Store.Recordings(r.Context())
	if err != nil {
		return err
	}
	if list == nil {
		list = []api.Recording{}
	}
	return writeJSON(w, http.StatusOK, list)
}

func (s *Server) play(w http.ResponseWriter, r *http.Request) error {
	var p api.PlayRequest
	if err := readJSON(w, r, s.opt.Limits.Play, &p); err != nil {
		return err
	}
	if p.Speed < 0 {
		return catalogue.New(catalogue.BadRequest, "speed must not be negative")
	}
	// Who waits for the end of a long one must not hold up a shutdown.
	ctx, cancel := s.untilDrain(r.Context())
	defer cancel(nil)
	c, err := s.opt.Store.Play(ctx, p)
	if errors.Is(context.Cause(ctx), errDraining) {
		return catalogue.New(catalogue.Draining, "")
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, c)
}

func (s *Server) deleteDemos(w http.ResponseWriter, r *http.Request) error {
	n, err := s.opt.Store.DeleteDemos(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.Deleted{Deleted: n})
}

func (s *Server) verify(w http.ResponseWriter, r *http.Request) error {
	rep, err := s.opt.Store.Verify(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, rep)
}

// blob gives bytes out as a download and never as a page: what is in them
// came from a model or a tool.
func (s *Server) blob(w http.ResponseWriter, r *http.Request) error {
	hash := r.PathValue("hash")
	if !isHash(hash) {
		return catalogue.New(catalogue.NotFound, "no such blob")
	}
	b, err := s.opt.Store.Blob(r.Context(), hash)
	if err != nil {
		return err
	}
	defer b.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("ETag", `"`+hash+`"`)
	w.WriteHeader(http.StatusOK)
	if _, err := io.Copy(w, b); err != nil {
		return fmt.Errorf("send blob: %w", err)
	}
	return nil
}

func isHash(h string) bool {
	for _, c := range []byte(h) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != '-' {
			return false
		}
	}
	return h != "" && len(h) <= 128
}
