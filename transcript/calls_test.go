package transcript

import (
	"strconv"
	"testing"

	"github.com/stenolog/steno"
)

// A journal's events name their call by its part. Finding it must not look
// through the turn's calls: these are enough that a search for each would take
// minutes.
func TestManyCallsOfATurn(t *testing.T) {
	const calls = 50_000
	var source, journal Transcript
	var n Normaliser
	feed := func(e steno.Event) {
		source.Append(e)
		n.Normalise(&e, func(e *steno.Event) { journal.Append(*e) })
	}
	feed(steno.Event{Type: steno.TurnStart})
	for i := range calls {
		feed(steno.Event{Type: steno.ToolCall, Call: "c" + strconv.Itoa(i), Name: "f", Text: "{}", Whole: true})
	}
	feed(steno.Event{Type: steno.Done})

	for name, tr := range map[string]*Transcript{"source": &source, "journal": &journal} {
		messages := tr.Messages()
		if len(messages) != 1 || len(messages[0].Parts) != calls {
			t.Fatalf("%s: %d messages, want one of %d parts", name, len(messages), calls)
		}
		for i, p := range messages[0].Parts {
			if p.Call.ID != "c"+strconv.Itoa(i) || p.Call.Result == nil || p.Call.Result.Outcome != steno.OutcomeSkipped {
				t.Fatalf("%s: part %d is %+v", name, i, p.Call)
			}
		}
	}
}

// Parts are counted in their message, so that two messages of a turn may have
// a call of the same part.
func TestCallsOfOnePartInTwoMessages(t *testing.T) {
	var cs calls
	first := cs.add(call{message: "1.1", part: "tool:0"})
	second := cs.add(call{message: "1.2", part: "tool:0"})
	other := cs.add(call{message: "1.2", part: "tool:1"})
	for _, c := range []struct {
		message, part string
		want          int
	}{
		{"1.1", "tool:0", first},
		{"1.2", "tool:0", second},
		{"", "tool:0", second},
		{"1.2", "tool:1", other},
		{"1.1", "tool:1", -1},
		{"", "tool:2", -1},
	} {
		if got := cs.at(&steno.Event{Message: c.message, Part: c.part}); got != c.want {
			t.Errorf("call of %q in %q is %d, want %d", c.part, c.message, got, c.want)
		}
	}
	cs.finish(second)
	if len(cs.open) != 2 || cs.newest() != other {
		t.Errorf("open calls are %v", cs.open)
	}
	cs.finish(first)
	cs.finish(other)
	cs.reset()
	if i := cs.at(&steno.Event{Part: "tool:0"}); i != -1 {
		t.Errorf("a call of the turn before is found: %d", i)
	}
}

// Results of calls that share an id, and results that came before their calls,
// are given out without a search through those that are done.
func TestManyResultsOfATurn(t *testing.T) {
	const calls = 50_000
	var same, early Transcript
	var n Normaliser
	for i := range 3 * calls {
		e := steno.Event{Type: steno.ToolResult, Call: "c", Text: "r"}
		if i < calls {
			e = steno.Event{Type: steno.ToolCall, Call: "c", Name: "f"}
		}
		same.Append(e)
	}
	if got := same.Report().Dropped[secondResult]; got != calls {
		t.Errorf("%d results too many, want %d", got, calls)
	}
	for i := range 2 * calls {
		e := steno.Event{Type: steno.ToolResult, Call: strconv.Itoa(i), Text: "r"}
		if i >= calls {
			e = steno.Event{Type: steno.ToolCall, Call: strconv.Itoa(2*calls - 1 - i), Name: "f"}
		}
		early.Append(e)
		n.Normalise(&e, discard)
	}
	for _, p := range early.Messages()[0].Parts {
		if p.Call.ResultText != "r" {
			t.Fatalf("call %s has %+v", p.Call.ID, p.Call.Result)
		}
	}
	if len(n.turn.calls.held) != 0 {
		t.Errorf("%d results are held on to", len(n.turn.calls.held))
	}
}
