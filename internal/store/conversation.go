package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/library"
	"github.com/stenolog/steno/recorder"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/view"
)

// openWindow is how many of the newest turns an opened conversation holds
// folded; earlier ones are pages.
const openWindow = view.MaxWindow

// linger is how long a conversation stays open after its last use.
const linger = 30 * time.Second

// conversation is one that is in use: its recorder, and the view over it.
type conversation struct {
	id    string
	store *Store
	ready chan struct{} // closed when it is open, or failed to
	gone  chan struct{} // closed when it is shut and another may be opened

	recorder *recorder.Recorder
	live     *view.Live
	err      error

	// These are guarded by the store's mu. ending says that it is being shut.
	uses   int
	timer  *time.Timer
	ending bool

	mu struct {
		sync.Mutex
		entry   library.Entry
		running bool
		// durable is closed when more events are.
		durable chan struct{}
		// busy says that something feeds it: one turn at a time.
		busy bool
	}
}

// acquire returns an open conversation, which the caller releases.
func (s *Store) acquire(ctx context.Context, id string) (*conversation, error) {
	if s.library == nil {
		return nil, fmt.Errorf("open %s: %w", id, errReadOnly)
	}
	if err := s.known(ctx, id); err != nil {
		return nil, err
	}
	return s.use(ctx, id, false)
}

// use is acquire for a conversation that may be new.
func (s *Store) use(ctx context.Context, id string, create bool) (*conversation, error) {
	c, made, err := s.place(ctx, id)
	if err != nil {
		return nil, err
	}
	if made {
		c.err = c.open(context.WithoutCancel(ctx), create)
		if c.err != nil {
			s.remove(c)
		}
		close(c.ready)
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
		c.release()
		return nil, ctx.Err()
	}
	if c.err != nil {
		return nil, c.err
	}
	return c, nil
}

// place returns the conversation with an id, in use once more. One that is
// being shut is waited for; if there is none it is made, for the caller to open.
func (s *Store) place(ctx context.Context, id string) (c *conversation, made bool, err error) {
	for {
		s.mu.Lock()
		if s.mu.closed {
			s.mu.Unlock()
			return nil, false, fmt.Errorf("open %s: %w", id, steno.ErrClosed)
		}
		c = s.mu.open[id]
		if c == nil || !c.ending {
			break
		}
		s.mu.Unlock()
		select {
		case <-c.gone:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	defer s.mu.Unlock()
	if c == nil {
		c, made = newConversation(s, id), true
		s.mu.open[id] = c
	}
	c.uses++
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	return c, made, nil
}

func newConversation(s *Store, id string) *conversation {
	return &conversation{id: id, store: s, ready: make(chan struct{}), gone: make(chan struct{})}
}

// remove takes a conversation that is shut, or never opened, out of the list.
func (s *Store) remove(c *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mu.open, c.id)
	c.ending = true
	close(c.gone)
}

// release ends one use. The last leaves it open for a while.
func (c *conversation) release() {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.uses--; c.uses > 0 || c.ending || s.mu.closed {
		return
	}
	c.timer = time.AfterFunc(linger, func() {
		if err := c.end(true); err != nil {
			s.report(err)
		}
	})
}

// end shuts the conversation, or waits until it is shut. Who comes meanwhile
// waits and opens it anew. With idle it does nothing while it is in use.
func (c *conversation) end(idle bool) error {
	s := c.store
	s.mu.Lock()
	if idle && (c.uses > 0 || c.ending) {
		s.mu.Unlock()
		return nil
	}
	if c.ending {
		s.mu.Unlock()
		<-c.gone
		return nil
	}
	c.ending = true
	if c.timer != nil {
		c.timer.Stop()
	}
	s.mu.Unlock()
	<-c.ready
	if c.recorder == nil {
		return nil // it was never open, and is removed by who tried
	}
	err := c.shut()
	s.remove(c)
	return err
}

// watch ends the conversation when its recorder does: after a failed write its
// viewers come back to what is durable, and who writes may try again.
func (c *conversation) watch() {
	<-c.recorder.Done()
	if err := c.end(false); err != nil {
		c.store.report(err)
	}
}

// open opens the recorder at the border before the window, and the view.
func (c *conversation) open(ctx context.Context, create bool) error {
	s := c.store
	// It is behind if the disk was full when it was last written.
	err := s.library.Update(ctx, s.journal, c.id)
	if err != nil && (!create || !errors.Is(err, steno.ErrNotFound)) {
		return err
	}
	entry, err := s.library.Get(ctx, c.id)
	if err != nil && !errors.Is(err, steno.ErrNotFound) {
		return err
	}
	entry.ID = c.id
	c.mu.entry = entry
	from, err := s.border(ctx, c.id)
	if err != nil {
		return err
	}
	c.recorder, err = recorder.Open(ctx, c.id, recorder.Options{
		Journal: s.journal, Blobs: s.blobs, From: from,
		Committed: c.committed, TurnEnded: c.turnEnded, Report: s.report,
	})
	if err != nil {
		return err // the recorder is nil
	}
	c.live, _, err = view.Follow(ctx, watched{c}) // ended with the recorder
	if err != nil {
		err = errors.Join(err, c.recorder.Close(ctx))
		c.recorder = nil
		return err
	}
	go c.watch()
	return nil
}

// border returns where an opened conversation begins, nil for its start.
func (s *Store) border(ctx context.Context, branch string) (*recorder.Checkpoint, error) {
	last, err := s.library.Latest(ctx, branch)
	if errors.Is(err, steno.ErrNotFound) || err == nil && last.Turn <= openWindow {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.library.Checkpoint(ctx, branch, last.Turn-openWindow)
}

// watched is the recorder as the view follows it: on the way, the list learns
// whether a turn is running.
type watched struct{ *conversation }

func (w watched) Branch() string { return w.id }

func (w watched) Follow(ctx context.Context, f func(transcript.Update)) (func(), error) {
	return w.recorder.Follow(ctx, func(u transcript.Update) {
		f(u)
		w.mu.Lock()
		changed := w.mu.running != u.Running
		w.mu.running = u.Running
		w.mu.Unlock()
		if changed {
			w.store.changed(w.id)
		}
	})
}

// committed keeps the list's entry up to what is durable.
func (c *conversation) committed(events []*steno.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.mu.entry.Apply(e)
	}
	if c.mu.durable != nil {
		close(c.mu.durable)
		c.mu.durable = nil
	}
}

// news returns a channel that is closed when events after those that are
// durable now are.
func (c *conversation) news() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.durable == nil {
		c.mu.durable = make(chan struct{})
	}
	return c.mu.durable
}

func (c *conversation) turnEnded(cp recorder.Checkpoint) {
	ctx := context.WithoutCancel(c.store.ctx)
	if err := errors.Join(c.store.library.PutCheckpoint(ctx, cp), c.save(ctx)); err != nil {
		c.store.report(err)
	}
	c.store.changed(c.id)
}

// save writes the entry to the library.
func (c *conversation) save(ctx context.Context) error {
	c.mu.Lock()
	entry := c.mu.entry
	c.mu.Unlock()
	return c.store.library.Put(ctx, entry)
}

// shutWait is how long a conversation may take to write what is pending.
const shutWait = 5 * time.Second

// shut ends a running turn as interrupted and closes the conversation.
func (c *conversation) shut() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.store.ctx), shutWait)
	defer cancel()
	err := c.recorder.Interrupt(ctx)
	failed := errors.Is(err, steno.ErrClosed)
	err = errors.Join(err, c.recorder.Close(ctx))
	c.live.Close()
	if failed {
		err = nil // it was reported when it failed
	}
	return errors.Join(err, c.save(ctx))
}

// adopt makes a demo that is recorded to the user's own, so that it does not go
// with the demos.
func (c *conversation) adopt(ctx context.Context) error {
	c.mu.Lock()
	demo := c.mu.entry.Demo
	c.mu.Unlock()
	if !demo {
		return nil
	}
	own := false
	err := c.recorder.Record(ctx, &steno.Event{
		Type: steno.ConversationSettings, Body: &steno.Settings{Demo: &own},
	})
	if err == nil {
		err = c.recorder.Sync(ctx)
	}
	if err == nil {
		err = c.save(ctx) // at once: the demos may be removed while the answer comes
	}
	return err
}

// feed takes the right to be the one that feeds the conversation. The error
// wraps [steno.ErrConflict] while another does.
func (c *conversation) feed() (done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.busy {
		return nil, fmt.Errorf("conversation %s is being recorded to: %w", c.id, steno.ErrConflict)
	}
	c.mu.busy = true
	return func() {
		c.mu.Lock()
		c.mu.busy = false
		c.mu.Unlock()
	}, nil
}
