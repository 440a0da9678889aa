// Package journaltest is the suite that every [journal.Journal] has to pass.
package journaltest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// Run checks that the journals that open makes keep the contract of
// [journal.Journal]. Each subtest calls open once for an empty journal and
// leaves it to open to close it when the test ends.
func Run(t *testing.T, open func(*testing.T) journal.Journal) {
	for _, c := range []struct {
		name string
		test func(*testing.T, journal.Journal)
	}{
		{"Append and read", testAppendRead},
		{"Every type", testEveryType},
		{"Append refuses", testAppendRefuses},
		{"Append of nothing", testAppendNothing},
		{"Unknown branch", testUnknownBranch},
		{"Events are borrowed", testBorrowed},
		{"Read from anywhere", testReadFrom},
		{"Read stops early", testReadStops},
		{"Head", testHead},
		{"List", testList},
		{"Large event", testLargeEvent},
		{"Compact", testCompact},
		{"Compact again and on", testCompactOn},
		{"Compact during a read", testCompactDuringRead},
		{"Delete", testDelete},
		{"Delete during a read", testDeleteDuringRead},
		{"Cancelled context", testCancelled},
		{"Many branches at once", testManyBranches},
		{"Two writers of one branch", testTwoWriters},
		{"Read during appends", testReadDuringAppends},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// Closer is what a journal offers that can be closed.
type Closer interface {
	journal.Journal
	Close() error
}

// RunClosed checks that a closed journal refuses every call with
// [steno.ErrClosed], and that closing twice is harmless.
func RunClosed(t *testing.T, j Closer) {
	ctx := t.Context()
	appendAll(t, j, "b", 0, Deltas(1, 3))
	for range 2 {
		if err := j.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	_, headErr := j.Head(ctx, "b")
	_, readErr := collect(ctx, j, "b", 0)
	var listErr error
	for _, err := range j.List(ctx) {
		listErr = err
	}
	for name, err := range map[string]error{
		"Append":  j.Append(ctx, "b", 3, Deltas(4, 1)),
		"Head":    headErr,
		"Read":    readErr,
		"List":    listErr,
		"Compact": j.Compact(ctx, "b", 3),
		"Delete":  j.Delete(ctx, "b"),
	} {
		if !errors.Is(err, steno.ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", name, err)
		}
	}
}

// Deltas returns n text deltas with seqs from first on, of one part, five bytes
// and two milliseconds each.
func Deltas(first int64, n int) []*steno.Event {
	events := make([]*steno.Event, n)
	for i := range events {
		seq := first + int64(i)
		events[i] = &steno.Event{
			Seq: seq, At: 1_700_000_000_000 + 2*seq, Type: steno.TextDelta,
			Turn: 1, Step: 1, Attempt: 1, Message: "2", Part: "1", Block: "0",
			Text: fmt.Sprintf("%05d", seq%100_000),
		}
	}
	return events
}

func appendAll(t *testing.T, j journal.Journal, branch string, after int64, events []*steno.Event) {
	t.Helper()
	if err := j.Append(t.Context(), branch, after, events); err != nil {
		t.Fatalf("Append: %v", err)
	}
}

// collect reads a branch into clones, up to the first error.
func collect(ctx context.Context, j journal.Journal, branch string, after int64) ([]*steno.Event, error) {
	var events []*steno.Event
	for e, err := range j.Read(ctx, branch, after) {
		if err != nil {
			return events, err
		}
		events = append(events, e.Clone())
	}
	return events, nil
}

func wantEvents(t *testing.T, j journal.Journal, branch string, after int64, want []*steno.Event) {
	t.Helper()
	got, err := collect(t.Context(), j, branch, after)
	if err != nil {
		t.Fatalf("Read %s after %d: %v", branch, after, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Read %s after %d (-want +got):\n%s", branch, after, diff)
	}
}

func wantHead(t *testing.T, j journal.Journal, branch string, want int64) {
	t.Helper()
	got, err := j.Head(t.Context(), branch)
	if err != nil || got != want {
		t.Fatalf("Head of %s = %d, %v, want %d", branch, got, err, want)
	}
}

func list(t *testing.T, j journal.Journal) []journal.Info {
	t.Helper()
	var infos []journal.Info
	for info, err := range j.List(t.Context()) {
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		infos = append(infos, info)
	}
	return infos
}
