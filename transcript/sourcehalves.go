package transcript

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// halves holds back the beginning of a character that a delta broke off in, a
// surrogate or some bytes, until the next delta of its part completes it (A15).
type halves struct {
	emit func(*steno.Event)
	held []half
	// seen is the last seq: an event at or below it will be skipped (A29).
	seen int64
}

// maxHeld is how many parts may break off in a character at once. Sources that
// interleave have a few blocks.
const maxHeld = 64

// half is such a beginning, as it was written, and an event without text that
// says whose it is.
type half struct {
	of  steno.Event
	raw []byte
}

// event emits e, whose text was written as raw.
func (h *halves) event(e *steno.Event, raw jsontext.Value) {
	if e.Seq > 0 && e.Seq <= h.seen {
		h.emit(e)
		return
	}
	h.seen = max(h.seen, e.Seq)
	switch e.Type {
	case steno.TextDelta, steno.ReasoningDelta, steno.ToolDelta, steno.ToolOutput:
		if raw.Kind() == '"' {
			h.join(e, raw)
		}
	case steno.TextEnd, steno.ReasoningEnd, steno.ToolCall, steno.ToolResult:
		h.flush(func(of *steno.Event) bool { return kindOf(of.Type) == kindOf(e.Type) && samePart(of, e) })
	case steno.StepStart, steno.StepEnd, steno.AttemptStart, steno.AttemptFailed,
		steno.TurnStart, steno.TurnEnd, steno.Done, steno.UserMessage:
		h.flushAll()
	}
	h.emit(e)
}

// join puts what is held of e's part before its text, and holds back what is not
// whole at its end.
func (h *halves) join(e *steno.Event, raw jsontext.Value) {
	body := raw[1 : len(raw)-1]
	i := slices.IndexFunc(h.held, func(x half) bool { return x.of.Type == e.Type && samePart(&x.of, e) })
	if i >= 0 {
		body = slices.Concat(h.held[i].raw, body)
		h.held = slices.Delete(h.held, i, i+1)
	}
	whole := len(body) - halfAtEnd(body)
	if whole < len(body) {
		of := *e
		of.Seq, of.Text, of.Name, of.Body, of.Whole = 0, "", "", nil, false
		if len(h.held) == maxHeld {
			first := h.held[0].of
			h.flush(func(of *steno.Event) bool { return of.Type == first.Type && samePart(&first, of) })
		}
		h.held = append(h.held, half{of, slices.Clone(body[whole:])})
	} else if i < 0 {
		return // as nearly always
	}
	e.Text = plain(slices.Concat([]byte{'"'}, body[:whole], []byte{'"'}))
}

// halfAtEnd returns how much at the end of the inside of a JSON string is the
// beginning of a character.
func halfAtEnd(body []byte) int {
	const escape = len(`\ud83d`)
	if at := len(body) - escape; at >= 0 && body[at] == '\\' && body[at+1] == 'u' {
		slashes := 1
		for slashes <= at && body[at-slashes] == '\\' {
			slashes++
		}
		high := (body[at+2] == 'd' || body[at+2] == 'D') && slices.Contains([]byte("89abAB"), body[at+3])
		if high && slashes%2 == 1 {
			return escape
		}
	}
	return cutShort(string(body[max(0, len(body)-4):]))
}

// samePart reports whether b speaks of the part of a, as far as it says.
func samePart(a, b *steno.Event) bool {
	return a.Choice == b.Choice && a.Message == b.Message && a.Part == b.Part && a.Block == b.Block &&
		(a.Call == b.Call || b.Call == "" || b.Block != "")
}

// flush gives up on the rest of what is held: it is one replacement character.
func (h *halves) flush(which func(*steno.Event) bool) {
	h.held = slices.DeleteFunc(h.held, func(x half) bool {
		if !which(&x.of) {
			return false
		}
		x.of.Text = "\ufffd"
		h.emit(&x.of)
		return true
	})
}

func (h *halves) flushAll() { h.flush(func(*steno.Event) bool { return true }) }
