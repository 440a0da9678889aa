package library

import (
	"context"
	"errors"
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/recorder"
	"github.com/stenolog/steno/transcript"
)

// Index brings the library up to the journals: what is behind is read on from
// its last border, what is gone is forgotten. A branch that cannot be read is
// left as far as it can, and reported.
func (l *Library) Index(ctx context.Context, j journal.Journal, report func(error)) error {
	entries, err := l.List(ctx)
	if err != nil {
		return err
	}
	have := make(map[string]int64, len(entries))
	for _, e := range entries {
		have[e.ID] = e.Seq
	}
	for info, err := range j.List(ctx) {
		if err != nil {
			return fmt.Errorf("library: index: %w", err)
		}
		seq, known := have[info.Branch]
		delete(have, info.Branch)
		if known && seq >= info.Head {
			continue
		}
		if err := l.indexBranch(ctx, j, info.Branch); err != nil {
			if ctx.Err() != nil {
				return err
			}
			report(fmt.Errorf("library: index %s: %w", info.Branch, err))
		}
	}
	for id := range have {
		if err := l.Delete(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Update reads a branch on, if the library is behind it. The error is
// [steno.ErrNotFound] for a branch that is not there.
func (l *Library) Update(ctx context.Context, j journal.Journal, branch string) error {
	head, err := j.Head(ctx, branch)
	if err != nil {
		return fmt.Errorf("library: index %s: %w", branch, err)
	}
	if e, err := l.Get(ctx, branch); err == nil && e.Seq >= head {
		return nil
	}
	if err := l.indexBranch(ctx, j, branch); err != nil {
		return fmt.Errorf("library: index %s: %w", branch, err)
	}
	return nil
}

// indexBranch reads a branch on from its last border.
func (l *Library) indexBranch(ctx context.Context, j journal.Journal, branch string) error {
	e, err := l.Get(ctx, branch)
	if err != nil && !errors.Is(err, steno.ErrNotFound) {
		return err
	}
	e.ID = branch
	var n transcript.Normaliser
	cp, err := l.Latest(ctx, branch)
	switch {
	case err == nil && cp.Seq <= e.Seq:
		n.Restore(cp.State)
		e.Seq = cp.Seq
	case err == nil, errors.Is(err, steno.ErrNotFound):
		e = Entry{ID: branch}
	default:
		return err
	}
	var damage error
	for ev, err := range j.Read(ctx, branch, e.Seq) {
		if err != nil {
			damage = err
			break
		}
		n.Replay(ev)
		e.Apply(ev)
		if ev.Type != steno.TurnEnd {
			continue
		}
		cp := recorder.Checkpoint{Branch: branch, Turn: ev.Turn, Seq: ev.Seq, At: ev.At, State: n.State()}
		if err := l.PutCheckpoint(ctx, cp); err != nil {
			return err
		}
	}
	return errors.Join(damage, l.Put(ctx, e))
}

// Apply folds an event of the root journal into the entry. It keeps nothing of
// the event.
func (e *Entry) Apply(ev *steno.Event) {
	e.Seq = ev.Seq
	e.Updated = max(e.Updated, ev.At)
	if e.Created == 0 {
		e.Created = ev.At
	}
	switch b := ev.Body.(type) {
	case *steno.Conversation:
		e.Owner, e.Demo = b.Owner, b.Demo
	case *steno.Settings:
		set(&e.Title, b.Title)
		set(&e.Model, b.Model)
		set(&e.Directory, b.Directory)
		set(&e.Pin, b.Pin)
		set(&e.Archive, b.Archive)
		set(&e.Demo, b.Demo)
	}
	if ev.Type == steno.TurnStart {
		e.Turns = max(e.Turns, ev.Turn)
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
