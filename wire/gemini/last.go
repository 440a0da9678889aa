package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// last is the newest part of a candidate. Its end waits for the next part,
// because a signature may still come behind it on an empty text.
type last struct {
	kind       lastKind
	signatures []signature

	thought bool // text
	size    int  // text: bytes so far
	carry   scan.Carry

	block, id, name string // call, result
	executor        steno.Executor
	more            []byte   // call: members of its opaque data
	streamed        *partial // call: arguments that come in pieces, until whole

	result *steno.Result
}

type lastKind uint8

const (
	nothing lastKind = iota
	lastText
	lastCall
	lastResult
	lastOther // what has no opaque data of its own
)

// signature is a thoughtSignature and the part of the text it came with.
type signature struct {
	text     string
	from, to int
	after    bool
}

// own adds the signature that stands on the part itself.
func (l *last) own(p *part) {
	if p.signature != nil {
		l.signatures = append(l.signatures, signature{text: scan.String(p.signature)})
	}
}

// sign takes a signature that came without content: it belongs to the part
// before. Where there is none, or one without opaque data, it stands alone.
func (c *candidate) sign(d *Decoder, p *part) {
	if p.signature == nil {
		return
	}
	l := &c.last
	s := signature{text: scan.String(p.signature), after: true}
	switch l.kind {
	case nothing:
		l.kind, l.thought = lastText, p.thought
		s.after = false
	case lastText:
		s = signature{text: s.text, from: l.size, to: l.size}
	case lastOther:
		d.sendBlock(steno.Opaque, c.index, "thoughtSignature", append(raw.Member([]byte{'{'}, "thoughtSignature", p.signature), '}'))
		return
	}
	l.signatures = append(l.signatures, s)
}

// end ends the newest part.
func (c *candidate) end(d *Decoder) {
	l := &c.last
	switch l.kind {
	case lastText:
		c.endText(d)
	case lastCall:
		c.endCall(d)
	case lastResult:
		l.result.Opaque = l.opaque()
		d.send(steno.Event{Type: steno.ToolResult, Choice: c.index, Block: l.block, Call: l.id, Name: l.name, Body: l.result})
	}
	c.last = last{}
}

func (c *candidate) endText(d *Decoder) {
	l := &c.last
	d.buf = l.carry.Flush(d.buf[:0])
	c.grow(d, d.buf)
	if len(l.signatures) == 0 {
		return // the format has no end of a text
	}
	start, end := steno.TextStart, steno.TextEnd
	if l.thought {
		start, end = steno.ReasoningStart, steno.ReasoningEnd
	}
	if l.size == 0 {
		d.send(steno.Event{Type: start, Choice: c.index})
	}
	d.send(steno.Event{Type: end, Choice: c.index, Body: &steno.Seal{
		Opaque: l.opaque(), Provider: Format, Model: d.model,
	}})
}

// endCall seals a call. One whose arguments were still coming when the answer
// was cut off gets no end.
func (c *candidate) endCall(d *Decoder) {
	l := &c.last
	whole := ""
	if l.streamed != nil {
		if l.streamed.goesOn && c.cut {
			return
		}
		whole = c.finishPartial(d)
	}
	seal := &steno.Seal{Executor: l.executor}
	if o := l.opaque(); o != nil {
		seal.Opaque, seal.Provider, seal.Model = o, Format, d.model
	}
	d.send(steno.Event{Type: steno.ToolCall, Choice: c.index, Block: l.block, Call: l.id, Name: l.name, Text: whole, Whole: whole != "", Body: seal})
}

// opaque makes the data that has to come back with the part, or nil.
func (l *last) opaque() jsontext.Value {
	obj := append([]byte{'{'}, l.more...)
	if len(l.signatures) == 1 {
		obj = l.signatures[0].append(obj, l)
	} else if len(l.signatures) > 1 {
		list := []byte{'['}
		for i, s := range l.signatures {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(s.append(append(list, '{'), l), '}')
		}
		obj = raw.Member(obj, "thoughtSignatures", append(list, ']'))
	}
	if len(obj) == 1 {
		return nil
	}
	// A member that stood twice makes an object that cannot be kept as one.
	if obj = append(obj, '}'); !jsontext.Value(obj).IsValid() {
		obj = append(raw.Member([]byte{'{'}, "invalid", obj), '}')
	}
	return obj
}

func (s *signature) append(obj []byte, l *last) []byte {
	quoted, _ := jsontext.AppendQuote(nil, s.text)
	obj = raw.Member(obj, "thoughtSignature", quoted)
	switch {
	case s.after:
		obj = raw.Member(obj, "after", []byte("true"))
	case l.kind == lastText && (s.from != 0 || s.to != l.size):
		obj = raw.Member(obj, "from", strconv.AppendInt(nil, int64(s.from), 10))
		obj = raw.Member(obj, "to", strconv.AppendInt(nil, int64(s.to), 10))
	}
	return obj
}
