// Package journal says what a journal is: the append-only log of a branch,
// which is the truth everything else is folded from.
//
// Engines live below it (journal/sqlite); package journaltest is the suite
// every engine, ours or a third party's, has to pass.
package journal

import (
	"context"
	"fmt"
	"iter"

	"github.com/stenolog/steno"
)

// Journal is a set of branches, each an append-only log of events.
//
// # Concurrency
//
// All methods may be called from any goroutine. Appends to one branch are made
// by one writer at a time (the recorder); appends to different branches are
// committed together.
//
// # Delivery
//
// When Append has returned nil its events are durable and every later Read, by
// any process, sees them. When it has returned an error none of them will be
// seen, unless the error wraps [steno.ErrIncomplete]: then the outcome is
// unknown, and Head tells once the journal was opened again.
//
// An event comes back as it was appended, those of unknown type too. Of raw JSON
// in a body every token comes back, but not the white space between tokens.
//
// A call whose ctx ends returns its error; an append is then not done. A journal
// that was closed answers every call with [steno.ErrClosed].
type Journal interface {
	// Append adds events to a branch right after seq after and blocks until
	// they are durable. Their Seq must run on gaplessly from after+1. It
	// returns [steno.ErrConflict] if the head is not after, [steno.ErrGap] if
	// the events do not follow, [steno.ErrCorrupt] if the branch is damaged,
	// [steno.ErrTooLarge] for an event above the engine's stated limit. The
	// first append to a branch creates it. Events are borrowed until it returns.
	Append(ctx context.Context, branch string, after int64, events []*steno.Event) error

	// Read yields the events of a branch after seq after, in order: those that
	// are there when the loop begins. The event is borrowed: it is valid until
	// the loop asks for the next. An error is terminal and nothing partial is
	// yielded before it; damage is a [*DamageError]. An unknown branch yields
	// [steno.ErrNotFound]. A slow loop delays no writer.
	Read(ctx context.Context, branch string, after int64) iter.Seq2[*steno.Event, error]

	// Head returns the seq of the last event of a branch, or
	// [steno.ErrNotFound].
	Head(ctx context.Context, branch string) (int64, error)

	// List yields all branches in the order they were created. It costs
	// O(branches).
	List(ctx context.Context) iter.Seq2[Info, error]

	// Compact packs the runs of the branch up to seq upto, the end of a turn,
	// into one compressed segment of the same events. It changes nothing that
	// can be read, delays no append, and does nothing where it was done before.
	// It costs O(what is packed). An unknown branch is [steno.ErrNotFound].
	Compact(ctx context.Context, branch string, upto int64) error

	// Delete removes a branch and gives its space back. A Read of it that is
	// under way yields what it holds and, if that is not all, an error. An
	// unknown branch is [steno.ErrNotFound].
	Delete(ctx context.Context, branch string) error
}

// Info describes a branch.
type Info struct {
	Branch string
	Head   int64
	// First and Last are when its first and last events were recorded, in
	// milliseconds since the Unix epoch.
	First, Last int64
	// Bytes is what it takes in the store.
	Bytes int64
	// Damaged says that the branch refuses writes; Read tells where and why.
	Damaged bool
}

// DamageError says which events of a branch cannot be read, and why. It wraps
// [steno.ErrCorrupt]. The events before First and after Last can be read.
type DamageError struct {
	Branch      string
	First, Last int64
	Reason      error
}

func (e *DamageError) Error() string {
	if e.First == e.Last {
		return fmt.Sprintf("branch %s is damaged at event %d: %v", e.Branch, e.First, e.Reason)
	}
	return fmt.Sprintf("branch %s is damaged at events %d to %d: %v", e.Branch, e.First, e.Last, e.Reason)
}

// Unwrap returns [steno.ErrCorrupt] and the reason.
func (e *DamageError) Unwrap() []error { return []error{steno.ErrCorrupt, e.Reason} }
