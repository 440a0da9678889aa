package recorder

import (
	"testing"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
)

// TestAllocationsPerDelta pins what a delta allocates from Record to the fold,
// with a journal that costs nothing and nobody watching: nothing that grows
// with it, be there 10 parts in the message or 1,000.
func TestAllocationsPerDelta(t *testing.T) {
	const batch = 1000
	for _, parts := range []int{10, 1000} {
		r := open(t, Options{Journal: &memory{discard: true}, Frame: time.Hour})
		record(t, r, ev(steno.TurnStart), ev(steno.StepStart))
		for range parts {
			record(t, r, text("a"), &steno.Event{Type: steno.ReasoningDelta, Text: "b"})
		}
		delta := text("0123456789abcdef")
		flush(t, r)
		per := testing.AllocsPerRun(50, func() {
			for range batch {
				record(t, r, delta)
			}
			flush(t, r)
		}) / batch
		t.Logf("%d parts: %.3f allocations a delta", 2*parts, per)
		if per > 0.1 {
			t.Errorf("%d parts: %.3f allocations a delta, want 0 amortised", 2*parts, per)
		}
	}
}

// TestC74OneWritePerDelta: N deltas are N writes of one slot, one structural
// change for the part that began, and none elsewhere.
func TestC74OneWritePerDelta(t *testing.T) {
	for _, parts := range []int{1, 100, 10_000} {
		r := open(t, Options{Journal: &memory{discard: true}, Frame: time.Hour})
		record(t, r, ev(steno.TurnStart), ev(steno.StepStart))
		for i := range parts { // neighbours of two kinds are two parts
			if i%2 == 0 {
				record(t, r, text("a"))
			} else {
				record(t, r, &steno.Event{Type: steno.ReasoningDelta, Text: "b"})
			}
		}
		record(t, r, &steno.Event{Type: steno.TextDelta, Block: "new", Text: "a"})
		flush(t, r)
		before := metrics(t, r)
		const deltas = 500
		for range deltas {
			record(t, r, &steno.Event{Type: steno.TextDelta, Block: "new", Text: "x"})
		}
		flush(t, r)
		after := metrics(t, r)
		if n := after.Writes - before.Writes; n != deltas {
			t.Errorf("%d parts: %d writes for %d deltas", parts, n, deltas)
		}
		if n := after.Structures - before.Structures; n != 0 {
			t.Errorf("%d parts: %d structural changes", parts, n)
		}
	}
}

func metrics(t *testing.T, r *Recorder) (m projection.Metrics) {
	t.Helper()
	if err := r.Read(t.Context(), func(l *transcript.Live) { m = l.Metrics() }); err != nil {
		t.Fatal(err)
	}
	return m
}
