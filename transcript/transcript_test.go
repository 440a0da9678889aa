package transcript

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
)

// engineOf folds journal events with the engine, in one batch per size.
func engineOf(events []*steno.Event, size int) *projection.Engine[steno.Event] {
	engine := NewEngine(projection.Options[steno.Event]{})
	for from := 0; from < len(events); from += size {
		_ = engine.Batch(func() error {
			for i := from; i < min(from+size, len(events)); i++ {
				e := *events[i]
				e.Seq = int64(i + 1)
				_ = engine.Push(&e)
			}
			return nil
		})
	}
	return engine
}

func asJSON(t rapid.TB, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEngineIsTheReference checks that the engine folds as the simplest code
// does, however it is batched.
func TestEngineIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := normalise(rapid.SliceOfN(anyEvent(), 0, 40).Draw(t, "source")...)
		want := asJSON(t, reference(events))
		engine := engineOf(events, rapid.IntRange(1, 10).Draw(t, "batch"))
		if got := asJSON(t, MessagesOf(engine.Snapshot())); got != want && want != "[]" {
			t.Fatalf("engine:\n%s\nreference:\n%s\nevents:\n%s", got, want, dump(events))
		}
		if m := engine.Metrics(); m.Unmatched != 0 || m.Failed != 0 {
			t.Fatalf("%d unmatched, %d failed\n%s", m.Unmatched, m.Failed, dump(events))
		}
	})
}

// TestTranscriptIsTheReference checks the same from source events on.
func TestTranscriptIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SliceOfN(anyEvent(), 0, 40).Draw(t, "source")
		var tr Transcript
		for _, e := range source {
			tr.Append(*e)
		}
		events := normalise(source...)
		var r Reporter
		for _, e := range events {
			r.Add(e)
		}
		if got, want := asJSON(t, tr.Report()), asJSON(t, r.Report(reference(events))); got != want {
			t.Fatalf("transcript:\n%s\nreference:\n%s", got, want)
		}
	})
}

// TestC74WritesPerDelta counts what a delta writes among M parts: its own slot
// once, no structure, no sibling.
func TestC74WritesPerDelta(t *testing.T) {
	const n = 50
	for _, parts := range []int{1, 100, 10_000} {
		engine := NewEngine(projection.Options[steno.Event]{})
		var norm Normaliser
		push := func(e *steno.Event) { norm.Normalise(e, func(e *steno.Event) { _ = engine.Push(e) }) }
		for i := range parts {
			push(&steno.Event{Type: steno.TextStart, Block: strconv.Itoa(i)})
		}
		before := engine.Metrics()
		for range n {
			push(&steno.Event{Type: steno.TextDelta, Block: "0", Text: "x"})
		}
		after := engine.Metrics()
		if got := after.Writes - before.Writes; got != n {
			t.Errorf("%d parts: %d slot writes, want %d", parts, got, n)
		}
		if got := after.Structures - before.Structures; got != 0 {
			t.Errorf("%d parts: %d structural publications", parts, got)
		}
		if got := after.Publications - before.Publications; got != n {
			t.Errorf("%d parts: %d publications, want %d", parts, got, n)
		}
	}
}

// TestAppendAllocatesNothing counts what a delta allocates from source to node,
// amortised.
func TestAppendAllocatesNothing(t *testing.T) {
	for _, x := range deltas {
		var tr Transcript
		tr.Append(steno.Event{Type: steno.ToolCall, Call: "x", Name: "f"})
		i := 0
		got := testing.AllocsPerRun(5_000, func() {
			tr.Append(*x.deltas[i%len(x.deltas)])
			i++
		})
		if got != 0 {
			t.Errorf("%s: %v allocations", x.name, got)
		}
	}
}

// TestC77NoDowngrade checks that nothing changes a call that has its result.
func TestC77NoDowngrade(t *testing.T) {
	at := func(e steno.Event) *steno.Event { e.Message, e.Part, e.Turn = "1.1", "0", 1; return &e }
	engine := engineOf([]*steno.Event{
		at(steno.Event{Type: steno.ToolStart, Call: "x", Name: "f"}),
		at(steno.Event{Type: steno.ToolOutput, Text: "early"}),
		at(steno.Event{Type: steno.ToolCall}),
		at(steno.Event{Type: steno.ToolResult, Text: "bad", Body: &steno.Result{IsError: true, Outcome: steno.OutcomeError}}),
		at(steno.Event{Type: steno.ToolResult, Text: "good", Body: okResult}),
		at(steno.Event{Type: steno.ToolDelta, Text: "late"}),
		at(steno.Event{Type: steno.ToolOutput, Text: "late"}),
	}, 1)
	s := projection.MustState[Tool](engine.Snapshot().At(Parts("1.1"), 0))
	if s.Status != "error" || s.Result != "bad" || s.Arguments.Len() != 0 || s.Output.String() != "early" || s.ID != "x" {
		t.Errorf("%+v", s)
	}
	if m := engine.Metrics(); m.Suppressed != 3 {
		t.Errorf("%d suppressed", m.Suppressed)
	}
}

// TestC80CallNamedLikeAPart checks that a call's id is no key.
func TestC80CallNamedLikeAPart(t *testing.T) {
	r := fold(t, src(t, "{'type':'text-delta','text':'a'}", "{'type':'tool-call','id':'text:0','name':'f'}", "{'type':'text-delta','text':'b'}"))
	if got := last(r); got != "text(a) batch(text:0) text(b)" {
		t.Error(got)
	}
}

// TestToolStatus follows a call through its statuses.
func TestToolStatus(t *testing.T) {
	var tr Transcript
	want := func(status string) {
		t.Helper()
		s := projection.MustState[Tool](tr.engine.Snapshot().At(Parts("1.1"), 0))
		if s.Status != status {
			t.Errorf("status %q, want %q", s.Status, status)
		}
	}
	step := func(line, status string) {
		t.Helper()
		for _, e := range src(t, line) {
			tr.Append(*e)
		}
		want(status)
	}
	step("{'type':'tool-start','block':'0','call':'x','name':'f'}", StatusWriting)
	step("{'type':'tool-delta','block':'0','text':'{}'}", StatusWriting)
	step("{'type':'tool-call','block':'0'}", StatusCalled)
	step("{'type':'permission-asked','id':'p','call':'x'}", StatusAsking)
	step("{'type':'permission-answered','id':'p','answer':'allow'}", StatusCalled)
	step("{'type':'tool-output','call':'x'}", StatusRunning)
	step("{'type':'tool-result','call':'x','result':'r'}", "ok")
}

// BenchmarkAppend measures a delta from source to node.
func BenchmarkAppend(b *testing.B) {
	for _, x := range deltas {
		b.Run(x.name, func(b *testing.B) {
			var tr Transcript
			tr.Append(steno.Event{Type: steno.ToolCall, Call: "x", Name: "f"})
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				tr.Append(*x.deltas[i%len(x.deltas)])
				i++
			}
		})
	}
}

// TestC76WholeWins checks that an end is one write, its whole wins, and an end
// after it changes nothing.
func TestC76WholeWins(t *testing.T) {
	at := func(e steno.Event) *steno.Event { e.Message, e.Part, e.Turn = "1.1", "0", 1; return &e }
	engine := engineOf([]*steno.Event{
		at(steno.Event{Type: steno.TextStart}), at(steno.Event{Type: steno.TextDelta, Text: "ab"}),
	}, 1)
	for _, x := range []struct {
		end                steno.Event
		want               string
		writes, suppressed int64
	}{
		{steno.Event{Type: steno.TextEnd, Whole: true, Text: "xy"}, "xy", 1, 0},
		{steno.Event{Type: steno.TextEnd, Whole: true, Text: "xy"}, "xy", 0, 1},
		{steno.Event{Type: steno.TextDelta, Text: "late"}, "xy", 0, 1},
	} {
		before := engine.Metrics()
		if err := engine.Push(at(x.end)); err != nil {
			t.Fatal(err)
		}
		m := engine.Metrics()
		s := projection.MustState[Prose](engine.Snapshot().At(Parts("1.1"), 0))
		if s.Text.String() != x.want || m.Writes-before.Writes != x.writes || m.Suppressed-before.Suppressed != x.suppressed {
			t.Errorf("%v: %q, %d writes, %d suppressed", x.end.Type, s.Text.String(), m.Writes-before.Writes, m.Suppressed-before.Suppressed)
		}
	}
}

// TestG14TwoTexts checks that the texts around a call are two parts with keys
// of their own, the first sealed before the call starts.
func TestG14TwoTexts(t *testing.T) {
	var tr Transcript
	var at []string
	for _, e := range src(t, "{'type':'text-delta','text':'a'}", "{'type':'tool-call','id':'x','name':'f'}", "{'type':'text-delta','text':'b'}") {
		tr.Append(*e)
		line := ""
		for n := range tr.engine.Snapshot().Nodes(Parts("1.1")) {
			line += n.Key.String() + " "
			if p, ok := projection.State[Prose](n); ok {
				line += p.State.String() + " "
			}
		}
		at = append(at, line)
	}
	want := []string{"text:0 open ", "text:0 sealed tool:0 ", "text:0 sealed tool:0 text:1 open "}
	if !slices.Equal(at, want) {
		t.Errorf("%q", at)
	}
}
