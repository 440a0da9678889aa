package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/stenolog/steno/internal/catalogue"
)

// errorBodyTimeout is how long the rest of a body that was refused may take to
// arrive: only then does its sender get the answer.
const errorBodyTimeout = 2 * time.Second

// serveUpload runs h, whose body may take as long as it likes. It stops reading
// when the token is revoked, and when a shutdown's grace is nearly over, early
// enough for what came to be kept and the client to be told.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request, h handler) error {
	ctx, cancel := context.WithCancelCause(r.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if cause := s.endOfUpload(ctx); cause != nil {
			cancel(cause)
			_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // not every writer can
		}
	})
	err := h(w, r.WithContext(ctx))
	stopped := context.Cause(ctx)
	cancel(nil)
	wg.Wait()
	switch {
	case err == nil:
		return nil
	case errors.Is(stopped, errRevoked):
		return catalogue.Wrap(catalogue.SignedOut, "the token was revoked; what came before is kept", err)
	case errors.Is(stopped, errDraining):
		return catalogue.Wrap(catalogue.Draining, "what came before is kept", err)
	}
	return err
}

// endOfUpload waits until an upload has to stop and says why, or until ctx ends
// and returns nil.
func (s *Server) endOfUpload(ctx context.Context) error {
	revoked := s.opt.Auth.Revoked(principal(ctx).ID)
	var lastCall <-chan time.Time
	draining := s.draining
	for {
		select {
		case <-revoked:
			return errRevoked
		case <-draining:
			lastCall, draining = time.After(s.opt.Grace*4/5), nil
		case <-lastCall:
			return errDraining
		case <-ctx.Done():
			return nil
		}
	}
}
