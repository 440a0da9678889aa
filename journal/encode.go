package journal

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// carried holds the fields that stand for the next event too.
type carried struct {
	at                               int64
	turn, step, attempt, choice      uint32
	message, part, block, call, name string
}

// encoder writes events in the form described in run.go.
type encoder struct {
	prev carried
	dict map[string]uint64 // reference of each string written so far
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func (w *encoder) reset(at int64) {
	w.prev = carried{at: at}
	if w.dict == nil {
		w.dict = make(map[string]uint64)
	}
	clear(w.dict)
}

// release forgets the borrowed strings and gives w back.
func (w *encoder) release() {
	w.reset(0)
	encoders.Put(w)
}

// asItCame makes a body keep what a provider sent, token by token, however odd:
// a strict reading would refuse what it is our work to keep. Only white space
// between tokens is lost.
var asItCame = json.JoinOptions(
	jsontext.PreserveRawStrings(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
)

// AppendRun appends the events to dst as one run and returns the longer slice.
// It keeps nothing of the events and allocates nothing for events without a
// body when dst has room.
//
// It returns [steno.ErrGap] if their seqs do not follow each other and
// [steno.ErrTooLarge] for an event above [MaxEvent]; dst is then as it was.
func AppendRun(dst []byte, events []*steno.Event) ([]byte, error) {
	if len(events) == 0 || events[0].Seq < 1 {
		return dst, fmt.Errorf("run: no first event: %w", steno.ErrGap)
	}
	w := encoders.Get().(*encoder)
	defer w.release()

	first := events[0]
	start := len(dst)
	buf := append(dst, kindRun)
	buf = binary.AppendUvarint(buf, uint64(first.Seq))
	buf = binary.AppendUvarint(buf, uint64(len(events)))
	buf = binary.AppendVarint(buf, first.At)
	w.reset(first.At)
	for i, e := range events {
		if e.Seq != first.Seq+int64(i) {
			return dst, fmt.Errorf("run: seq %d after %d: %w", e.Seq, first.Seq+int64(i)-1, steno.ErrGap)
		}
		before := len(buf)
		var err error
		if buf, err = w.event(buf, e); err != nil {
			return dst, err
		}
		if len(buf)-before > MaxEvent {
			return dst, fmt.Errorf("event %d (%s): %d bytes, at most %d: %w",
				e.Seq, e.Type, len(buf)-before, MaxEvent, steno.ErrTooLarge)
		}
	}
	return seal(buf, start), nil
}

func (w *encoder) event(dst []byte, e *steno.Event) ([]byte, error) {
	name, body := "", []byte(nil)
	switch u, ok := e.Body.(*steno.Unrecognised); {
	case ok && e.Type == steno.Unknown:
		name, body = u.Name, u.Raw
	case e.Body != nil:
		var err error
		if body, err = json.Marshal(e.Body, asItCame); err != nil {
			return dst, fmt.Errorf("event %d (%s): body: %w", e.Seq, e.Type, err)
		}
	}
	var code byte
	if int(e.Type) < len(codes) {
		code = codes[e.Type]
	}
	if code == byName && name == "" {
		name = e.Type.String()
	}
	return w.raw(dst, code, name, e, body), nil
}

// raw writes an event whose type and body are already in their written form.
func (w *encoder) raw(dst []byte, code byte, name string, e *steno.Event, body []byte) []byte {
	dst = append(dst, code)
	if code == byName {
		dst = w.string(dst, name)
	}
	p := &w.prev
	mask := w.mask(e, body)
	dst = binary.AppendUvarint(dst, mask)
	if mask&hasAt != 0 {
		dst = binary.AppendVarint(dst, e.At-p.at)
	}
	if mask&hasText != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(e.Text)))
		dst = append(dst, e.Text...)
	}
	if mask&^(hasAt|hasText) == 0 {
		p.at = e.At
		return dst
	}
	if mask&hasPart != 0 {
		dst = w.string(dst, e.Part)
	}
	if mask&hasBlock != 0 {
		dst = w.string(dst, e.Block)
	}
	if mask&hasCall != 0 {
		dst = w.string(dst, e.Call)
	}
	if mask&hasBody != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(body)))
		dst = append(dst, body...)
	}
	if mask&hasMessage != 0 {
		dst = w.string(dst, e.Message)
	}
	if mask&hasName != 0 {
		dst = w.string(dst, e.Name)
	}
	for _, n := range [...]struct {
		bit   uint64
		value uint32
	}{{hasTurn, e.Turn}, {hasStep, e.Step}, {hasAttempt, e.Attempt}, {hasChoice, e.Choice}} {
		if mask&n.bit != 0 {
			dst = binary.AppendUvarint(dst, uint64(n.value))
		}
	}
	*p = carry(e)
	return dst
}

func (w *encoder) mask(e *steno.Event, body []byte) uint64 {
	p := &w.prev
	var mask uint64
	for _, f := range [...]struct {
		set bool
		bit uint64
	}{
		{e.At != p.at, hasAt},
		{e.Text != "", hasText},
		{e.Part != p.part, hasPart},
		{e.Block != p.block, hasBlock},
		{e.Call != p.call, hasCall},
		{body != nil, hasBody},
		{e.Message != p.message, hasMessage},
		{e.Name != p.name, hasName},
		{e.Turn != p.turn, hasTurn},
		{e.Step != p.step, hasStep},
		{e.Attempt != p.attempt, hasAttempt},
		{e.Choice != p.choice, hasChoice},
		{e.Whole, isWhole},
	} {
		if f.set {
			mask |= f.bit
		}
	}
	return mask
}

func carry(e *steno.Event) carried {
	return carried{
		at: e.At, turn: e.Turn, step: e.Step, attempt: e.Attempt, choice: e.Choice,
		message: e.Message, part: e.Part, block: e.Block, call: e.Call, name: e.Name,
	}
}

func (w *encoder) string(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, 1)
	}
	if ref, ok := w.dict[s]; ok {
		return binary.AppendUvarint(dst, ref)
	}
	w.dict[s] = uint64(len(w.dict)) + 2 // 0 is "new" and 1 is ""
	dst = append(dst, 0)
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}
