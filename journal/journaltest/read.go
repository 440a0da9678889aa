package journaltest

import (
	"context"
	"errors"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// fill appends n deltas in runs of 1, 2, 3 …
func fill(t *testing.T, j journal.Journal, branch string, n int) []*steno.Event {
	t.Helper()
	events := Deltas(1, n)
	for at, size := 0, 1; at < n; size++ {
		end := min(at+size, n)
		appendAll(t, j, branch, int64(at), events[at:end])
		at = end
	}
	return events
}

func testReadFrom(t *testing.T, j journal.Journal) {
	const n = 60
	events := fill(t, j, "a", n)
	for _, upto := range []int64{0, 25, n} {
		if err := j.Compact(t.Context(), "a", upto); err != nil {
			t.Fatal(err)
		}
		for after := range int64(n) {
			wantEvents(t, j, "a", after, events[after:])
		}
		for _, after := range []int64{n, n + 1, 1 << 40} {
			wantEvents(t, j, "a", after, nil)
		}
		wantEvents(t, j, "a", -1, events)
	}
}

func testReadStops(t *testing.T, j journal.Journal) {
	fill(t, j, "a", 30)
	for range 50 { // what a loop holds must be given back each time
		for e, err := range j.Read(t.Context(), "a", 3) {
			if err != nil || e.Seq != 4 {
				t.Fatalf("first event %v, %v", e, err)
			}
			break
		}
	}
	// A read inside a read, and a write inside a read.
	head := int64(30)
	for range j.Read(t.Context(), "a", 0) {
		for range j.Read(t.Context(), "a", 28) {
			break
		}
		appendAll(t, j, "a", head, Deltas(head+1, 1))
		head++
		if head > 40 {
			break
		}
	}
	wantHead(t, j, "a", 41)
}

func testCompact(t *testing.T, j journal.Journal) {
	events := fill(t, j, "a", 500)
	before := list(t, j)[0].Bytes
	if err := j.Compact(t.Context(), "a", 500); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, j, "a", 0, events)
	if after := list(t, j)[0].Bytes; after >= before {
		t.Errorf("%d bytes before, %d after", before, after)
	}
}

func testCompactOn(t *testing.T, j journal.Journal) {
	ctx := t.Context()
	fill(t, j, "a", 100)
	for _, upto := range []int64{50, 50, 20, 0, 100, 100, 1000} {
		if err := j.Compact(ctx, "a", upto); err != nil {
			t.Fatalf("up to %d: %v", upto, err)
		}
		wantEvents(t, j, "a", 0, Deltas(1, 100))
	}
	appendAll(t, j, "a", 100, Deltas(101, 50))
	if err := j.Append(ctx, "a", 100, Deltas(101, 1)); !errors.Is(err, steno.ErrConflict) {
		t.Errorf("append behind the head: %v", err)
	}
	wantEvents(t, j, "a", 0, Deltas(1, 150))
	if err := j.Compact(ctx, "a", 150); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, j, "a", 0, Deltas(1, 150))
}

func testCompactDuringRead(t *testing.T, j journal.Journal) {
	const n = 20_000
	appendInRuns(t, j, n)
	next := int64(1)
	for e, err := range j.Read(t.Context(), "a", 0) {
		if err != nil || e.Seq != next {
			t.Fatalf("event %v, %v, want %d", e, err, next)
		}
		if e.Seq == 100 || e.Seq == n/2 {
			if err := j.Compact(t.Context(), "a", e.Seq*2); err != nil {
				t.Fatal(err)
			}
		}
		next++
	}
	if next != n+1 {
		t.Errorf("read ended at %d", next-1)
	}
}

func appendInRuns(t *testing.T, j journal.Journal, n int) {
	t.Helper()
	for at := 0; at < n; at += 100 {
		appendAll(t, j, "a", int64(at), Deltas(int64(at)+1, 100))
	}
}

func testDelete(t *testing.T, j journal.Journal) {
	ctx := t.Context()
	fill(t, j, "a", 50)
	events := fill(t, j, "b", 20)
	if err := j.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Head(ctx, "a"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("Head: %v", err)
	}
	if err := j.Append(ctx, "a", 50, Deltas(51, 1)); !errors.Is(err, steno.ErrConflict) {
		t.Errorf("Append after Delete: %v", err)
	}
	if infos := list(t, j); len(infos) != 1 || infos[0].Branch != "b" {
		t.Errorf("List: %v", infos)
	}
	wantEvents(t, j, "b", 0, events)
	fill(t, j, "a", 3)
	wantEvents(t, j, "a", 0, Deltas(1, 3))
}

// testDeleteDuringRead allows a read to end with what it had, or with an error,
// but never to mix two branches of one name.
func testDeleteDuringRead(t *testing.T, j journal.Journal) {
	const n = 20_000
	appendInRuns(t, j, n)
	next := int64(1)
	for e, err := range j.Read(t.Context(), "a", 0) {
		if err != nil {
			if !errors.Is(err, steno.ErrNotFound) {
				t.Errorf("read of a deleted branch: %v", err)
			}
			return
		}
		if e.Seq != next || e.Type != steno.TextDelta {
			t.Fatalf("event %d, %s, want %d", e.Seq, e.Type, next)
		}
		if next == 1 {
			if err := j.Delete(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			appendAll(t, j, "a", 0, []*steno.Event{{Seq: 1, Type: steno.Notice}})
		}
		next++
	}
	if next != n+1 {
		t.Errorf("read ended without an error after %d of %d events", next-1, n)
	}
}

func testCancelled(t *testing.T, j journal.Journal) {
	fill(t, j, "a", 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, headErr := j.Head(ctx, "a")
	_, readErr := collect(ctx, j, "a", 0)
	var listErr error
	for _, err := range j.List(ctx) {
		listErr = err
	}
	for name, err := range map[string]error{
		"Append": j.Append(ctx, "a", 10, Deltas(11, 1)), "Head": headErr, "Read": readErr, "List": listErr,
		"Compact": j.Compact(ctx, "a", 10), "Delete": j.Delete(ctx, "a"),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
	wantEvents(t, j, "a", 0, Deltas(1, 10))
}
