package store

import (
	"context"
	"errors"
	"sync"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
)

// subscriber is someone who hears of changes of the list.
type subscriber struct {
	wake chan struct{}
	mu   sync.Mutex
	ids  map[string]bool
}

// changed says that a conversation of the list changed.
func (s *Store) changed(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.mu.subscribers {
		sub.mu.Lock()
		sub.ids[id] = true
		sub.mu.Unlock()
		select {
		case sub.wake <- struct{}{}:
		default:
		}
	}
}

// Changes implements [api.Conversations].
func (s *Store) Changes(ctx context.Context) <-chan api.Change {
	sub := &subscriber{wake: make(chan struct{}, 1), ids: make(map[string]bool)}
	s.mu.Lock()
	s.mu.subscribers[sub] = true
	s.mu.Unlock()
	out := make(chan api.Change)
	go s.tell(ctx, sub, out)
	return out
}

// tell sends the last state of what changed until ctx ends.
func (s *Store) tell(ctx context.Context, sub *subscriber, out chan<- api.Change) {
	defer close(out)
	defer func() {
		s.mu.Lock()
		delete(s.mu.subscribers, sub)
		s.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		case <-sub.wake:
		}
		sub.mu.Lock()
		ids := sub.ids
		sub.ids = make(map[string]bool)
		sub.mu.Unlock()
		for id := range ids {
			change := api.Change{ID: id}
			if c, err := s.Get(ctx, id); err == nil {
				change.Conversation = c
			} else if !errors.Is(err, steno.ErrNotFound) {
				s.report(err)
				continue
			}
			select {
			case out <- change:
			case <-ctx.Done():
				return
			}
		}
	}
}
