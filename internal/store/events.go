package store

import (
	"context"
	"iter"
	"time"

	"github.com/stenolog/steno"
)

// Events implements [api.Conversations].
func (s *Store) Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		if err := s.known(ctx, id); err != nil {
			yield(nil, err)
			return
		}
		next, release, err := s.follow(ctx, id, follow)
		if err != nil {
			yield(nil, err)
			return
		}
		defer release()
		for {
			more := next()
			for e, err := range s.journal.Read(ctx, id, after) {
				if err != nil {
					yield(nil, err)
					return
				}
				after = e.Seq
				if !yield(e, nil) {
					return
				}
			}
			if more == nil {
				return
			}
			select {
			case <-more:
			case <-ctx.Done():
				return // the reader has had enough
			}
		}
	}
}

// poll is how often a reader looks for what another process has written.
const poll = 250 * time.Millisecond

// follow returns a function that gives a channel on which news of events after
// now will come, nil if the reader wants none.
func (s *Store) follow(ctx context.Context, id string, follow bool) (next func() <-chan struct{}, release func(), err error) {
	switch {
	case !follow:
		return func() <-chan struct{} { return nil }, func() {}, nil
	case s.library == nil:
		return func() <-chan struct{} {
			c := make(chan struct{})
			time.AfterFunc(poll, func() { close(c) })
			return c
		}, func() {}, nil
	}
	c, err := s.acquire(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return c.news, c.release, nil
}
