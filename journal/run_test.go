package journal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// decode returns clones of all events of a run or segment.
func decode(t interface {
	Helper()
	Fatalf(string, ...any)
}, data []byte,
) []*steno.Event {
	t.Helper()
	var d journal.Decoder
	if err := d.Reset(data); err != nil {
		t.Fatalf("Reset: %v", err)
	}
	var events []*steno.Event
	for {
		e, err := d.Next()
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		if e == nil {
			return events
		}
		events = append(events, e.Clone())
	}
}

func encode(t interface {
	Helper()
	Fatalf(string, ...any)
}, events []*steno.Event,
) []byte {
	t.Helper()
	data, err := journal.AppendRun(nil, events)
	if err != nil {
		t.Fatalf("AppendRun: %v", err)
	}
	return data
}

// oneOfEach returns an event of every type, each with a body where its type
// has one, and some with every field.
func oneOfEach() []*steno.Event {
	var events []*steno.Event
	for typ := range steno.Type(steno.TypeCount) {
		e := &steno.Event{Seq: int64(len(events)) + 1, At: 1_700_000_000_000 + int64(typ)*7, Type: typ, Body: steno.NewBody(typ)}
		if typ%2 == 0 {
			e.Turn, e.Step, e.Attempt, e.Choice = 1, 2, 3, 1<<32-1
			e.Message, e.Part, e.Block = "1", "12", "block"
			e.Call, e.Name, e.Text, e.Whole = "toolu_01", "bash", "text \x00 ü", true
		}
		if u, ok := e.Body.(*steno.Unrecognised); ok {
			u.Name, u.Raw = "from-the-future", jsontext.Value(`{"a":[1, 2.0]}`)
		}
		events = append(events, e)
	}
	return events
}

func TestRunKeepsEveryType(t *testing.T) {
	want := oneOfEach()
	if diff := cmp.Diff(want, decode(t, encode(t, want))); diff != "" {
		t.Errorf("run differs (-want +got):\n%s", diff)
	}
}

func TestSegmentKeepsEveryEvent(t *testing.T) {
	want := oneOfEach()
	var p journal.Packer
	for i := 0; i < len(want); i += 3 {
		if err := p.Add(encode(t, want[i:min(i+3, len(want))])); err != nil {
			t.Fatal(err)
		}
	}
	segment := p.AppendSegment(nil)
	if diff := cmp.Diff(want, decode(t, segment)); diff != "" {
		t.Errorf("segment differs (-want +got):\n%s", diff)
	}
	h, err := journal.ReadHeader(segment)
	if err != nil || !h.Packed || h.First != 1 || h.Last() != int64(len(want)) || h.At != want[0].At {
		t.Errorf("header %+v, %v", h, err)
	}
	if err := new(journal.Packer).Add(segment); !errors.Is(err, steno.ErrUnsupported) {
		t.Errorf("packing a segment: %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []*steno.Event
		want   error
	}{
		{"none", nil, steno.ErrGap},
		{"seq 0", []*steno.Event{{}}, steno.ErrGap},
		{"gap", []*steno.Event{{Seq: 1}, {Seq: 3}}, steno.ErrGap},
		{"repeat", []*steno.Event{{Seq: 4}, {Seq: 4}}, steno.ErrGap},
		{"too large", []*steno.Event{{Seq: 1, Text: strings.Repeat("x", journal.MaxEvent)}}, steno.ErrTooLarge},
	} {
		if got, err := journal.AppendRun([]byte("kept"), c.events); !errors.Is(err, c.want) || string(got) != "kept" {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestRunRoundTrip is the law of the codec: whatever is written in runs of any
// size, read as runs or as the segment of them, is what was written.
func TestRunRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEvents(t)
		var p journal.Packer
		var got []*steno.Event
		for rest := want; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "run")
			run := encode(t, rest[:n])
			got = append(got, decode(t, run)...)
			if err := p.Add(run); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("runs differ (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, decode(t, p.AppendSegment(nil))); diff != "" {
			t.Fatalf("segment differs (-want +got):\n%s", diff)
		}
	})
}

func drawEvents(t *rapid.T) []*steno.Event {
	id := rapid.SampledFrom([]string{"", "1", "2", "call_a", "call_b", "\xff\x00"})
	small := rapid.Uint32Range(0, 3)
	types := rapid.SampledFrom([]steno.Type{
		steno.TextDelta, steno.TextDelta, steno.ReasoningDelta, steno.ToolDelta, steno.ToolOutput, steno.ToolResult,
		steno.TurnStart, steno.Opaque, steno.Unknown, steno.Done,
	})
	first := rapid.Int64Range(1, 1<<40).Draw(t, "first")
	events := make([]*steno.Event, rapid.IntRange(1, 40).Draw(t, "count"))
	for i := range events {
		e := &steno.Event{
			Seq: first + int64(i), At: rapid.Int64().Draw(t, "at"), Type: types.Draw(t, "type"),
			Turn: small.Draw(t, "turn"), Step: small.Draw(t, "step"), Attempt: small.Draw(t, "attempt"),
			Choice: rapid.Uint32().Draw(t, "choice"), Whole: rapid.Bool().Draw(t, "whole"),
			Message: id.Draw(t, "message"), Part: id.Draw(t, "part"), Block: id.Draw(t, "block"),
			Call: id.Draw(t, "call"), Name: id.Draw(t, "name"), Text: rapid.String().Draw(t, "text"),
		}
		switch {
		case e.Type == steno.Unknown:
			e.Body = &steno.Unrecognised{Name: "x-" + id.Draw(t, "unknown"), Raw: jsontext.Value(`{"k":1}`)}
		case e.Type == steno.ToolResult && rapid.Bool().Draw(t, "body"):
			e.Body = &steno.Result{IsError: true, Outcome: steno.OutcomeError, Raw: jsontext.Value(`{"b":[1,2]}`)}
		case e.Type == steno.ToolOutput && rapid.Bool().Draw(t, "body"):
			e.Body = &steno.Output{Stream: "stderr", Data: []byte{0xff}}
		}
		events[i] = e
	}
	return events
}

// TestRunDamage flips every bit and cuts at every length: never an event.
func TestRunDamage(t *testing.T) {
	data := encode(t, oneOfEach()[:12])
	var d journal.Decoder
	for i := range len(data) * 8 {
		bad := append([]byte{}, data...)
		bad[i/8] ^= 1 << (i % 8)
		if err := d.Reset(bad); !errors.Is(err, steno.ErrCorrupt) {
			t.Fatalf("bit %d flipped: %v", i, err)
		}
	}
	for n := range data {
		if err := d.Reset(data[:n]); !errors.Is(err, steno.ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}
