package store

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/library"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/transcript"
)

// Format is the version of the events this build writes.
const Format = 1

// maxSetting bounds what everyone who looks at the list is sent, in characters.
const maxSetting = 1000

// List implements [api.Conversations].
func (s *Store) List(ctx context.Context) ([]api.Conversation, error) {
	all := []api.Conversation{}
	if s.journal == nil {
		return all, nil
	}
	infos := make(map[string]journal.Info)
	for info, err := range s.journal.List(ctx) {
		if err != nil {
			return nil, err
		}
		infos[info.Branch] = info
	}
	entries, err := s.entries(ctx, infos)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		all = append(all, s.describe(e, infos[e.ID]))
	}
	return all, nil
}

// entries returns the list's entries: the library's, or without one what the
// journals say.
func (s *Store) entries(ctx context.Context, infos map[string]journal.Info) ([]library.Entry, error) {
	if s.library != nil {
		return s.library.List(ctx)
	}
	var all []library.Entry
	for id := range infos {
		e, err := s.readEntry(ctx, id)
		if err != nil && !errors.Is(err, steno.ErrCorrupt) && !errors.Is(err, steno.ErrIncomplete) {
			return nil, err
		}
		all = append(all, e)
	}
	library.Sort(all)
	return all, nil
}

// readEntry folds an entry from its journal.
func (s *Store) readEntry(ctx context.Context, id string) (library.Entry, error) {
	e := library.Entry{ID: id}
	for ev, err := range s.journal.Read(ctx, id, 0) {
		if err != nil {
			return e, err
		}
		e.Apply(ev)
	}
	return e, nil
}

// describe joins what the library and the journal know, and what runs now.
func (s *Store) describe(e library.Entry, info journal.Info) api.Conversation {
	out := api.Conversation{
		ID: e.ID, Title: e.Title, Model: e.Model, Directory: e.Directory,
		Branch: e.ID, Head: info.Head, Bytes: info.Bytes, Damaged: info.Damaged,
		Created: e.Created, Updated: max(e.Updated, info.Last), Turns: int(e.Turns),
		Demo: e.Demo, Pin: e.Pin, Archive: e.Archive,
	}
	s.mu.Lock()
	c := s.mu.open[e.ID]
	s.mu.Unlock()
	if c == nil {
		return out
	}
	select {
	case <-c.ready:
	default:
		return out
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out.Running = c.mu.running
	out.Turns = max(out.Turns, int(c.mu.entry.Turns))
	if c.mu.entry.Title != "" {
		out.Title = c.mu.entry.Title
	}
	return out
}

// Get implements [api.Conversations].
func (s *Store) Get(ctx context.Context, id string) (*api.Conversation, error) {
	if s.journal == nil {
		return nil, fmt.Errorf("conversation %s: %w", id, steno.ErrNotFound)
	}
	info, err := s.journal.Info(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("conversation %s: %w", id, err)
	}
	e, err := s.entry(ctx, id)
	if err != nil && !errors.Is(err, steno.ErrCorrupt) {
		return nil, err
	}
	out := s.describe(e, info)
	return &out, nil
}

func (s *Store) entry(ctx context.Context, id string) (library.Entry, error) {
	if s.library != nil {
		return s.library.Get(ctx, id)
	}
	return s.readEntry(ctx, id)
}

// Create implements [api.Conversations].
func (s *Store) Create(ctx context.Context, n api.NewConversation) (*api.Conversation, error) {
	return s.create(ctx, n, false)
}

func (s *Store) create(ctx context.Context, n api.NewConversation, demo bool) (*api.Conversation, error) {
	if s.library == nil {
		return nil, fmt.Errorf("create a conversation: %w", errReadOnly)
	}
	for _, text := range []string{n.Title, n.Model, n.Directory} {
		if utf8.RuneCountInString(text) > maxSetting {
			return nil, fmt.Errorf("create a conversation: a title, model or directory is at most %d characters long: %w", maxSetting, steno.ErrTooLarge)
		}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("create a conversation: %w", err)
	}
	c, err := s.use(ctx, id.String(), true)
	if err != nil {
		return nil, err
	}
	defer c.release()
	created := steno.Event{Type: steno.ConversationCreated, Body: &steno.Conversation{Format: Format, Demo: demo}}
	settings := steno.Event{Type: steno.ConversationSettings, Body: &steno.Settings{
		Title: given(n.Title), Model: given(n.Model), Directory: given(n.Directory),
	}}
	if err := c.recorder.Record(ctx, &created, &settings); err != nil {
		return nil, err
	}
	if err := c.recorder.Sync(ctx); err != nil {
		return nil, err
	}
	if err := c.save(ctx); err != nil {
		return nil, err
	}
	s.changed(c.id)
	return s.Get(ctx, c.id)
}

func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Delete implements [api.Conversations]. Who watches it is sent away.
func (s *Store) Delete(ctx context.Context, id string) error {
	if s.library == nil {
		return fmt.Errorf("delete %s: %w", id, errReadOnly)
	}
	held, err := s.hold(id)
	if err != nil {
		return err
	}
	defer s.remove(held)
	if err := s.journal.Delete(ctx, id); err != nil {
		return err
	}
	if err := s.library.Delete(ctx, id); err != nil {
		return err
	}
	s.changed(id)
	return nil
}

// hold ends a conversation and keeps it from being opened until what is
// returned is removed.
func (s *Store) hold(id string) (*conversation, error) {
	for {
		s.mu.Lock()
		if s.mu.closed {
			s.mu.Unlock()
			return nil, fmt.Errorf("delete %s: %w", id, steno.ErrClosed)
		}
		c := s.mu.open[id]
		if c == nil {
			c = newConversation(s, id)
			c.ending = true
			s.mu.open[id] = c
			s.mu.Unlock()
			return c, nil
		}
		s.mu.Unlock()
		if err := c.end(false); err != nil {
			s.report(err)
		}
	}
}

// DeleteDemos implements [api.Conversations].
func (s *Store) DeleteDemos(ctx context.Context) (int, error) {
	if s.library == nil {
		return 0, fmt.Errorf("delete the demos: %w", errReadOnly)
	}
	entries, err := s.library.List(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range entries {
		if !e.Demo {
			continue
		}
		if err := s.Delete(ctx, e.ID); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// known returns an error for a conversation that is not there.
func (s *Store) known(ctx context.Context, id string) error {
	err := steno.ErrNotFound
	if s.journal != nil {
		_, err = s.journal.Head(ctx, id)
	}
	if errors.Is(err, steno.ErrNotFound) {
		return fmt.Errorf("conversation %s: %w", id, steno.ErrNotFound)
	}
	return nil // what else is wrong with it, reading it says
}

// Messages implements [api.Conversations].
func (s *Store) Messages(ctx context.Context, id string) (*api.Folded, error) {
	if err := s.known(ctx, id); err != nil {
		return nil, err
	}
	var fold transcript.Transcript
	for e, err := range s.journal.Read(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		// A journal's events pass through the normaliser unchanged (A17).
		fold.Append(*e)
	}
	report := fold.Report()
	return &report, nil
}
