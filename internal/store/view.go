package store

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/view"
)

// View implements the server's views.
func (s *Store) View(ctx context.Context, id string) (func(http.ResponseWriter, *http.Request) error, func(), error) {
	c, err := s.acquire(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return c.serve, c.release, nil
}

// serve answers GET /view, /snapshot and /pages/{turn}.
func (c *conversation) serve(w http.ResponseWriter, r *http.Request) error {
	if turn, ok := strings.CutPrefix(r.URL.Path, "/pages/"); ok {
		return c.servePage(w, r, turn)
	}
	if _, err := view.Window(r); err != nil {
		return catalogue.Wrap(catalogue.BadRequest, err.Error(), err)
	}
	if r.URL.Path == "/snapshot" {
		c.live.ServeSnapshot(w, r)
	} else {
		c.live.ServeHTTP(w, r)
	}
	return nil
}

// servePage answers one turn that has ended, which will never change.
func (c *conversation) servePage(w http.ResponseWriter, r *http.Request, number string) error {
	turn, err := strconv.ParseUint(number, 10, 32)
	if err != nil || turn == 0 {
		return catalogue.New(catalogue.NotFound, "a page is a turn's number, from 1")
	}
	data, err := c.store.page(r.Context(), c.id, uint32(turn))
	switch {
	case errors.Is(err, steno.ErrNotFound) && uint32(turn) <= c.turns():
		return catalogue.Wrap(catalogue.Changing, "turn "+number, err)
	case err != nil:
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	// A client that is gone needs no answer.
	_, _ = w.Write(data)
	return nil
}

func (c *conversation) turns() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.entry.Turns
}
