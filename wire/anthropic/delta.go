package anthropic

import (
	"strconv"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/scan"
)

// delta takes a content_block_delta.
func (m *Machine) delta(e *parts, data []byte) {
	index, ok := scan.Int(e.index)
	var d deltaParts
	if !ok || !d.read(e.delta) {
		m.unknown(word(e.kind), data)
		return
	}
	if !m.answer.begun {
		m.begin(nil)
	}
	name := word(d.kind)
	b := m.find(index)
	if b != nil && b.kind == other && m.answer.open && !b.closed {
		m.keep(b, e.delta)
		return
	}
	switch string(name) {
	case "text_delta":
		ok = m.piece(steno.TextDelta, text, b, index, d.text)
	case "thinking_delta":
		ok = m.piece(steno.ReasoningDelta, thinking, b, index, d.thinking)
	case "input_json_delta":
		ok = m.piece(steno.ToolDelta, tool, b, index, d.args)
	case "signature_delta":
		if ok = b != nil && b.kind == thinking && !b.closed && m.answer.open; ok {
			m.sign(b, d.signature)
		}
	case "citations_delta":
		if ok = d.citation != nil; ok {
			m.source(nameOf(b, index), d.citation)
		}
	default:
		ok = false
	}
	if !ok {
		m.unknown(name, data)
	}
}

// deltaParts are the members of a delta that matter, raw.
type deltaParts struct {
	kind, text, thinking, args, signature, citation []byte
}

func (d *deltaParts) read(delta []byte) bool {
	return scan.Object(delta, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			d.kind = value
		case "text":
			d.text = value
		case "thinking":
			d.thinking = value
		case "partial_json":
			d.args = value
		case "signature":
			d.signature = value
		case "citation":
			d.citation = value
		}
		return true
	})
}

// piece takes a piece of text for a block. A piece for a block that is not
// there, or has ended, is passed on as it is: whoever addresses events refuses
// it. It reports false for one that does not belong into such a block.
func (m *Machine) piece(t steno.Type, k kind, b *block, index int64, value []byte) bool {
	if !scan.IsNull(value) && !scan.IsString(value) || b != nil && b.kind != k {
		return false
	}
	if b != nil && !b.closed && m.answer.open {
		m.grow(t, b, value)
		return true
	}
	m.buf = scan.AppendString(m.buf[:0], value, nil)
	if len(m.buf) > 0 {
		m.send(t, nameOf(b, index), m.buf, nil)
	}
	return true
}

func nameOf(b *block, index int64) string {
	if b != nil {
		return b.name
	}
	return strconv.FormatInt(index, 10)
}

// grow emits a piece of an open block, less what is not a whole character yet.
func (m *Machine) grow(t steno.Type, b *block, value []byte) {
	m.buf = scan.AppendString(m.buf[:0], value, &b.carry)
	m.sendDelta(t, b)
}

func (m *Machine) sendDelta(t steno.Type, b *block) {
	if len(m.buf) > 0 {
		b.grown = true
		m.send(t, b.name, m.buf, nil)
	}
}

func (m *Machine) sign(b *block, value []byte) {
	if m.room(len(b.signature) + len(value)) {
		b.signature = scan.AppendString(b.signature, value, &b.sigCarry)
	}
}

// flush emits what was held back of a character that never became whole.
func (m *Machine) flush(t steno.Type, b *block) {
	if b.carry.Pending() {
		m.buf = b.carry.Flush(m.buf[:0])
		m.sendDelta(t, b)
	}
}
