package transcript

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/stenolog/steno"
)

// anyEvent draws a source event of any type with few names, so that they clash.
func anyEvent() *rapid.Generator[*steno.Event] {
	return rapid.Custom(func(t *rapid.T) *steno.Event {
		pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
		e := &steno.Event{Type: steno.Type(rapid.IntRange(0, steno.TypeCount-1).Draw(t, "type"))}
		if rapid.IntRange(0, 2).Draw(t, "common") > 0 {
			e.Type = rapid.SampledFrom([]steno.Type{
				steno.TextDelta, steno.ReasoningDelta, steno.ToolStart, steno.ToolDelta, steno.ToolCall,
				steno.ToolResult, steno.TextEnd, steno.Error, steno.Notice, steno.UserMessage, steno.StepEnd,
				steno.StepStart, steno.QueueTaken, steno.AttemptStart, steno.AttemptFailed, steno.Done,
			}).Draw(t, "usual")
		}
		e.Block = pick("block", "", "", "0", "1")
		e.Text = pick("text", "", "a", "b", `{"a":1}`, "{}", "ab")
		e.Whole = rapid.IntRange(0, 4).Draw(t, "whole") == 0 && e.Type != steno.TextDelta
		switch e.Type {
		case steno.ToolStart, steno.ToolDelta, steno.ToolCall, steno.ToolOutput, steno.ToolResult,
			steno.PermissionAsked, steno.PermissionAnswered, steno.Held:
			e.Call = pick("call", "", "x", "y")
			e.Name = pick("name", "", "f")
		case steno.UserMessage, steno.TurnStart:
			e.Message = pick("message", "", "m1", "m2", "0.1", "1.1")
		}
		if rapid.IntRange(0, 9).Draw(t, "named") == 0 {
			e.Message = pick("message", "m1", "m2", "1.1", "2.1")
		}
		if e.Type == steno.AttemptStart {
			e.Attempt = uint32(rapid.IntRange(0, 3).Draw(t, "n"))
		}
		if rapid.IntRange(0, 30).Draw(t, "other") == 0 {
			e.Choice = 1
		}
		if rapid.IntRange(0, 12).Draw(t, "addressed") == 0 {
			e.Part = pick("part", "0", "1", "x")
		}
		e.Body = anyBody(t, e.Type)
		return e
	})
}

func anyBody(t *rapid.T, typ steno.Type) steno.Body {
	if rapid.Bool().Draw(t, "bodiless") {
		return nil
	}
	b := steno.NewBody(typ)
	name := rapid.SampledFrom([]string{"", "m1", "m2", "q0.1", "q1.1"}).Draw(t, "item")
	switch b := b.(type) {
	case *steno.UserInput:
		b.Queued = rapid.Bool().Draw(t, "queued")
		b.Item = name
	case *steno.Turn:
		b.Takes = name
		if typ == steno.TurnEnd {
			b.Reason = rapid.SampledFrom([]steno.Finish{"", "complete", "cancelled", "length"}).Draw(t, "reason")
		}
	case *steno.Step:
		b.Finish = rapid.SampledFrom([]steno.Finish{"", "complete", "length", "error"}).Draw(t, "finish")
		b.Model = rapid.SampledFrom([]string{"", "m"}).Draw(t, "model")
	case *steno.Seal:
		if rapid.Bool().Draw(t, "opaque") {
			b.Opaque = jsontext.Value(`{"signature":"s"}`)
		}
	case *steno.Permission:
		b.ID = rapid.SampledFrom([]string{"p1", "p2"}).Draw(t, "question")
	case *steno.Result:
		b.IsError = rapid.Bool().Draw(t, "isError")
	case *steno.Unrecognised:
		b.Name = "novel"
	}
	return b
}

// TestA17Idempotent checks the laws over random sources: normalising again
// changes nothing, and the output is balanced.
func TestA17Idempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SliceOfN(anyEvent(), 0, 30).Draw(t, "source")
		events := normalise(source...)
		again := normalise(events...)
		if a, b := dump(events), dump(again); a != b {
			t.Fatalf("once:\n%s\ntwice:\n%s\nsource:\n%s", a, b, dump(source))
		}
	})
}

// TestBalanced checks that random sources come out balanced.
func TestBalanced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := rapid.SliceOfN(anyEvent(), 0, 40).Draw(rt, "source")
		var n Normaliser
		events := normaliseWith(&n, source...)
		n.Recover(func(e *steno.Event) { events = append(events, e.Clone()) })
		b := balance{t: t, state: map[string]string{}}
		for i, e := range events {
			b.at = i
			b.event(e)
			if t.Failed() {
				rt.Fatalf("event %d of\n%s\nsource:\n%s", i, dump(events), dump(source))
			}
		}
		if n.InTurn() {
			rt.Fatal("a turn is open after recovery")
		}
	})
}
