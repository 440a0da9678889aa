package transcript

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
)

// TestDeltaAllocatesNothing counts what a delta allocates, by how it finds its
// part and with how many parts around it.
func TestDeltaAllocatesNothing(t *testing.T) {
	for _, x := range deltas {
		for _, parts := range []int{0, 10_000} {
			n, events := x.prepare(parts)
			i := 0
			got := testing.AllocsPerRun(20_000, func() {
				n.Normalise(events[i%len(events)], discard)
				i++
			})
			if got != 0 {
				t.Errorf("%s among %d parts: %v allocations", x.name, parts, got)
			}
		}
	}
}

func discard(*steno.Event) {}

// deltaShape is a way in which deltas come.
type deltaShape struct {
	name   string
	deltas []*steno.Event
}

var deltas = []deltaShape{
	{"unnamed", []*steno.Event{{Type: steno.TextDelta, Text: "sixteen bytes ok"}}},
	{"named", []*steno.Event{{Type: steno.TextDelta, Block: "0", Text: "sixteen bytes ok"}}},
	{"interleaved", []*steno.Event{
		{Type: steno.TextDelta, Block: "0", Text: "sixteen bytes ok"},
		{Type: steno.ReasoningDelta, Block: "1", Text: "sixteen bytes ok"},
	}},
	{"output", []*steno.Event{{Type: steno.ToolOutput, Call: "x", Text: "sixteen bytes ok"}}},
}

// prepare returns a normaliser whose step already has that many parts.
func (x *deltaShape) prepare(parts int) (*Normaliser, []*steno.Event) {
	n := new(Normaliser)
	for i := range parts {
		b := "old" + strconv.Itoa(i)
		n.Normalise(&steno.Event{Type: steno.TextDelta, Block: b, Text: "x"}, discard)
		n.Normalise(&steno.Event{Type: steno.TextEnd, Block: b}, discard)
	}
	n.Normalise(&steno.Event{Type: steno.ToolCall, Call: "x", Name: "f"}, discard)
	for _, e := range x.deltas {
		n.Normalise(e, discard)
	}
	return n, x.deltas
}

func BenchmarkDelta(b *testing.B) {
	for _, x := range deltas {
		for _, parts := range []int{10, 10_000} {
			b.Run(x.name+"/parts="+strconv.Itoa(parts), func(b *testing.B) {
				n, events := x.prepare(parts)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					n.Normalise(events[i%len(events)], discard)
					i++
				}
			})
		}
	}
}

// TestReplayFindsAnyPart replays deltas whose part is neither the newest nor that
// of the delta before, with many parts open. Looking through them would take a
// minute.
func TestReplayFindsAnyPart(t *testing.T) {
	const parts = 10_000
	var n Normaliser
	var journal []*steno.Event
	keep := func(e *steno.Event) { journal = append(journal, e.Clone()) }
	for i := range parts {
		n.Normalise(&steno.Event{Type: steno.TextDelta, Block: strconv.Itoa(i), Text: "a"}, keep)
	}
	for i := range 10 * parts {
		n.Normalise(&steno.Event{Type: steno.TextDelta, Block: strconv.Itoa(i * 7919 % parts), Text: "b"}, keep)
	}
	var again Normaliser
	i := 0
	for _, e := range journal {
		again.Normalise(e, func(got *steno.Event) {
			if want := journal[i]; got.Type != want.Type || got.Part != want.Part || got.Text != want.Text {
				t.Fatalf("event %d: %s %s, want %s %s", i, got.Type, got.Part, want.Type, want.Part)
			}
			i++
		})
	}
	if i != len(journal) {
		t.Errorf("%d events of %d", i, len(journal))
	}
}

// TestBorrowed checks that nothing emitted or kept holds on to the source's
// bytes.
func TestBorrowed(t *testing.T) {
	source := src(t,
		"{'type':'turn-start','message':'m'}",
		"{'type':'tool-delta','block':'7','call':'x','name':'f','text':'{}'}",
		"{'type':'tool-result','call':'y','result':'held'}",
		"{'type':'user-message','text':'u','message':'um','queued':true}",
		"{'type':'tool-call','block':'7'}",
		"{'type':'tool-call','call':'y','name':'g'}",
		"{'type':'tool-result','call':'x','result':'r'}",
		"{'type':'done'}",
	)
	want := dump(normalise(source...))
	var n Normaliser
	var got []*steno.Event
	buf := make([]byte, 0, 64)
	for _, e := range source {
		// Every string of the event lives in one buffer, which is then wiped.
		b := buf
		lend := func(s *string) {
			at := len(b)
			b = append(b, *s...)
			*s = unsafe.String(unsafe.SliceData(b[at:]), len(b)-at)
		}
		c := *e
		lend(&c.Text)
		lend(&c.Call)
		lend(&c.Name)
		lend(&c.Block)
		lend(&c.Message)
		n.Normalise(&c, func(e *steno.Event) { got = append(got, e.Clone()) })
		clear(buf[:cap(buf)])
	}
	if dump(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", dump(got), want)
	}
}

// TestStateBetweenTurns checks that a normaliser restored from a state, through
// JSON, goes on as the one the state was taken of.
func TestStateBetweenTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfN(anyEvent(), 0, 15).Draw(t, "first")
		second := rapid.SliceOfN(anyEvent(), 0, 15).Draw(t, "second")
		var a Normaliser
		normaliseWith(&a, first...)
		a.Recover(discard)
		raw, err := json.Marshal(a.State())
		if err != nil {
			t.Fatal(err)
		}
		var s State
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		var b Normaliser
		b.Restore(s)
		if b.InTurn() || !reflect.DeepEqual(s, b.State()) {
			t.Fatalf("restored %+v, is %+v", s, b.State())
		}
		// What a checkpoint leaves out speaks of events just before it.
		a.late, a.took, a.promoted, a.turn.calls.held = false, false, "", nil
		if x, y := dump(normaliseWith(&a, second...)), dump(normaliseWith(&b, second...)); x != y {
			t.Fatalf("went on:\n%s\nrestored:\n%s", x, y)
		}
	})
}

// TestRecover checks that a turn left open by a crash is closed, from its
// events in the journal alone, and that those events are not made again.
func TestRecover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SliceOfN(anyEvent(), 0, 30).Draw(t, "source")
		journal := normalise(source...)
		cut := rapid.IntRange(0, len(journal)).Draw(t, "cut")
		var n Normaliser
		for i, e := range journal[:cut] {
			e.Seq = int64(i + 1)
			n.Replay(e)
		}
		open := n.InTurn()
		var ends []*steno.Event
		n.Recover(func(e *steno.Event) { ends = append(ends, e.Clone()) })
		if n.InTurn() || n.State().Seq != 0 {
			t.Fatal("a turn is open after recovery, or its seq was taken for a source's")
		}
		if open {
			last := ends[len(ends)-1]
			if b, _ := last.Body.(*steno.Turn); b == nil || b.Reason != steno.FinishInterrupted {
				t.Fatalf("ends with %s", dump(ends))
			}
		}
		whole := append(append([]*steno.Event{}, journal[:cut]...), ends...)
		for _, e := range whole {
			e.Seq = 0
		}
		if x, y := dump(whole), dump(normalise(whole...)); x != y {
			t.Fatalf("recovered:\n%s\nagain:\n%s", x, y)
		}
	})
}

// TestA15Bytes checks that deltas pass byte for byte.
func TestA15Bytes(t *testing.T) {
	text := "h\u00e9\u4f60\U0001f642\r\n \u2028\x00end"
	var source []*steno.Event
	for _, r := range text {
		source = append(source, &steno.Event{Type: steno.TextDelta, Text: string(r)})
	}
	if got := reference(normalise(source...))[0].Parts[0].Text.String(); got != text {
		t.Errorf("%q became %q", text, got)
	}
}

// TestA21RoundTrip checks that every chunk is where it was after the events
// were written as JSON and read back.
func TestA21RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := normalise(rapid.SliceOfN(anyEvent(), 0, 30).Draw(t, "source")...)
		var back []*steno.Event
		err := ReadSource(strings.NewReader(dump(events)), func(e *steno.Event) { back = append(back, e.Clone()) })
		if err != nil {
			t.Fatal(err)
		}
		if x, y := dump(events), dump(back); x != y {
			t.Fatalf("wrote:\n%s\nread:\n%s", x, y)
		}
	})
}

// A call with free-form input, as some providers have, needs no JSON object.
func TestA13FreeformArguments(t *testing.T) {
	for _, freeform := range []bool{true, false} {
		events := normalise(
			&steno.Event{Type: steno.TurnStart},
			&steno.Event{Type: steno.ToolStart, Block: "0", Call: "c", Name: "sql"},
			&steno.Event{Type: steno.ToolDelta, Block: "0", Text: "SELECT 1"},
			&steno.Event{Type: steno.ToolCall, Block: "0", Call: "c", Name: "sql", Body: &steno.Seal{Freeform: freeform}},
			&steno.Event{Type: steno.StepEnd, Body: &steno.Step{Finish: steno.FinishComplete}},
		)
		refused := false
		for _, e := range events {
			refused = refused || e.Type == steno.ToolResult
		}
		if refused == freeform {
			t.Errorf("freeform %v: answered at the step's end: %v", freeform, refused)
		}
	}
}
