package sqlite

import (
	"context"
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// runSize is about how large a run may become before the rest of its commit
// goes into another, so that reading never takes more memory than that.
const runSize = 1 << 20

// storedRun is a row of runs, less its branch.
type storedRun struct {
	first, last int64
	at          int64 // of the last event
	data        []byte
}

// Append implements [journal.Journal]. An event is at most [journal.MaxEvent]
// long. If ctx ends while the append still waits for its commit, it is
// withdrawn and ctx's error returned; once the commit is under way it is waited
// for.
func (s *Store) Append(ctx context.Context, branch string, after int64, events []*steno.Event) error {
	if err := s.append(ctx, branch, after, events); err != nil {
		return fmt.Errorf("append to %s after %d: %w", branch, after, err)
	}
	return nil
}

func (s *Store) append(ctx context.Context, branch string, after int64, events []*steno.Event) error {
	if len(events) == 0 {
		return ctx.Err()
	}
	if first := events[0].Seq; first != after+1 {
		return fmt.Errorf("first seq is %d: %w", first, steno.ErrGap)
	}
	runs, err := encodeRuns(events)
	if err != nil {
		return err
	}
	return s.commit(ctx, &job{do: func(w *writer) error {
		return w.append(branch, after, events[0].At, runs)
	}})
}

func (w *writer) append(branch string, after, at int64, runs []storedRun) error {
	id, damaged, err := w.branch(branch)
	if err != nil {
		return err
	}
	if damaged != 0 {
		return &journal.DamageError{Branch: branch, First: damaged, Last: damaged, Reason: errKnownDamage}
	}
	head := int64(0)
	if id != 0 {
		if head, err = w.head(id); err != nil {
			return err
		}
	}
	if head != after {
		return fmt.Errorf("head is %d: %w", head, steno.ErrConflict)
	}
	if id == 0 {
		if id, err = w.newBranch(branch, at); err != nil {
			return err
		}
	}
	for _, r := range runs {
		if err := w.insert(id, r); err != nil {
			return err
		}
	}
	return nil
}

// encodeRuns writes events as runs: one, unless they are large.
func encodeRuns(events []*steno.Event) ([]storedRun, error) {
	var runs []storedRun
	for len(events) > 0 {
		n, size := 0, 0
		for n < len(events) && (n == 0 || size+eventSize(events[n]) <= runSize) {
			size += eventSize(events[n])
			n++
		}
		data, err := journal.AppendRun(make([]byte, 0, size), events[:n])
		if err != nil {
			return nil, err
		}
		last := events[n-1]
		runs = append(runs, storedRun{first: events[0].Seq, last: last.Seq, at: last.At, data: data})
		events = events[n:]
	}
	return runs, nil
}

// eventSize estimates how many bytes an event takes, from above save for its body.
func eventSize(e *steno.Event) int {
	return 64 + len(e.Text) + len(e.Message) + len(e.Part) + len(e.Block) + len(e.Call) + len(e.Name)
}
