package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/sse"
)

// Why a stream was ended by us.
var (
	errDraining = errors.New("the server is shutting down")
	errRevoked  = errors.New("the token was revoked")
)

// retryAfter is how long a viewer waits before it comes back after a shutdown.
const retryAfter = time.Second

// serveStream runs h as an open stream: it has a place among those of its
// key, ends at once when its token is revoked, and at a shutdown is ended and
// told when to come back.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, key string, h handler) error {
	if r.Method == http.MethodHead {
		// A stream to nobody would never notice that nobody reads it.
		return catalogue.New(catalogue.BadRequest, "a stream has no HEAD; use GET")
	}
	if err := s.limiter.openStream(key); err != nil {
		w.Header().Set("Retry-After", "1")
		return err
	}
	defer s.limiter.closeStream(key)
	s.metrics.streams.Inc()
	defer s.metrics.streams.Dec()

	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	revoked := s.opt.Auth.Revoked(principal(ctx).ID)
	go func() {
		select {
		case <-s.draining:
			cancel(errDraining)
		case <-revoked:
			cancel(errRevoked)
		case <-ctx.Done():
		}
	}()
	err := h(w, r.WithContext(ctx))
	if errors.Is(context.Cause(ctx), errDraining) && strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		_, _ = w.Write(sse.AppendRetry(nil, retryAfter))
		_ = http.NewResponseController(w).Flush()
	}
	if ctx.Err() != nil {
		return nil // it was ended, by us or by the client, as it should
	}
	return err
}

// untilDrain returns a context that ends when the server drains.
func (s *Server) untilDrain(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.draining:
			cancel(errDraining)
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// liveWriter writes whole lines to an open stream and a heartbeat between them.
// A write that fails cancels the stream.
type liveWriter struct {
	w    http.ResponseWriter
	beat string
	fail context.CancelCauseFunc

	mu sync.Mutex // held while something is written
}

// startLive sends the headers and the first bytes of a stream at once, so that
// the client knows that it stands. The heartbeat ends when stop is called.
func (s *Server) startLive(ctx context.Context, w http.ResponseWriter, contentType, first, beat string) (_ context.Context, _ *liveWriter, stop func()) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	ctx, cancel := context.WithCancelCause(ctx)
	lw := &liveWriter{w: w, beat: beat, fail: cancel}
	lw.write(first)
	var wg sync.WaitGroup
	wg.Go(func() { lw.heartbeat(ctx, s.opt.Heartbeat) })
	return ctx, lw, func() { cancel(nil); wg.Wait() }
}

// heartbeat writes a beat at every tick, whatever else was written: skipping one
// after a line would let twice the pause go by.
func (lw *liveWriter) heartbeat(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		lw.write(lw.beat)
	}
}

func (lw *liveWriter) write(line string) {
	lw.mu.Lock()
	defer lw.mu.Unlock()
	lw.send(line)
}

// send writes and flushes. Requires mu.
func (lw *liveWriter) send(s string) {
	_, err := io.WriteString(lw.w, s)
	if err == nil {
		err = http.NewResponseController(lw.w).Flush()
	}
	if err != nil {
		lw.fail(err)
	}
}

// changes answers GET /v1/events: the list's changes as server-sent events
// without ids. A client that reconnects reads the list again.
func (s *Server) changes(w http.ResponseWriter, r *http.Request) error {
	// Subscribed before the first byte: who reads the list after it has seen
	// the stream open misses nothing.
	changes := s.opt.Store.Changes(r.Context())
	ctx, lw, stop := s.startLive(r.Context(), w, "text/event-stream", ": open\n\n", ": \n\n")
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case c, ok := <-changes:
			if !ok {
				return nil
			}
			data, err := json.Marshal(c, api.JSON)
			if err != nil {
				return err
			}
			event, err := sse.Append(nil, sse.Event{Name: []byte(changeName(c)), Data: data})
			if err != nil {
				return err
			}
			lw.write(string(event))
		}
	}
}

func changeName(c api.Change) string {
	if c.Conversation == nil {
		return "deleted"
	}
	return "changed"
}

// events answers GET /v1/conversations/{id}/events: one JSON event a line. An
// empty line is a heartbeat. An error after the first line is a last line
// {"error":…}; a followed stream that just ends is to be resumed with ?after=.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	id, q := r.PathValue("id"), r.URL.Query()
	var after int64
	if a := q.Get("after"); a != "" {
		n, err := strconv.ParseInt(a, 10, 64)
		if err != nil || n < 0 {
			return catalogue.New(catalogue.BadRequest, "?after= must be a seq")
		}
		after = n
	}
	if _, err := s.opt.Store.Get(r.Context(), id); err != nil {
		return err
	}
	ctx, lw, stop := s.startLive(r.Context(), w, "application/x-ndjson", "\n", "\n")
	defer stop()
	for e, err := range s.opt.Store.Events(ctx, id, after, q.Get("follow") != "") {
		if ctx.Err() != nil {
			return nil
		}
		var line []byte
		if err == nil {
			line, err = json.Marshal(e, api.JSON)
		}
		if err != nil {
			body, _ := errorBody(err, noteOf(r).id)
			noteOf(r).err = err
			line, _ = json.Marshal(body, api.JSON)
			lw.write(string(line) + "\n")
			return nil
		}
		lw.write(string(line) + "\n")
	}
	return nil
}
