package anthropic

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// kind is what a block is to us.
type kind uint8

const (
	text kind = iota
	thinking
	tool
	done  // whole when it starts: a result, redacted thinking
	other // not known: kept raw
)

// block is a content block being read.
type block struct {
	name   string
	uses   int // how many blocks of the answer had this index, this one included
	kind   kind
	closed bool
	carry  scan.Carry
	grown  bool // some text or arguments came in deltas

	signature []byte // of thinking, as far as it came
	sigCarry  scan.Carry

	call, tool string
	seal       *steno.Seal
	input      []byte // arguments that came with the start

	wire   string // the provider's word for the block
	start  []byte // an unknown block, raw
	deltas []byte // its deltas, raw, separated by commas
}

func (m *Machine) blockStart(e *parts, data []byte) {
	index, ok := scan.Int(e.index)
	if !ok || !scan.IsObject(e.block) {
		m.unknown(word(e.kind), data)
		return
	}
	m.ensure()
	m.start(index, e.block)
}

func (m *Machine) blockStop(e *parts) {
	index, ok := scan.Int(e.index)
	if b := m.find(index); ok && b != nil && m.answer.open {
		m.stop(b)
	}
}

// find returns the newest block with an index, or nil.
func (m *Machine) find(index int64) *block {
	a := &m.answer
	if a.last == nil || a.lastIndex != index {
		b := a.blocks[index]
		if b == nil {
			return nil
		}
		a.last, a.lastIndex = b, index
	}
	return a.last
}

// start begins a block, and emits it whole if nothing more can come for it.
func (m *Machine) start(index int64, value []byte) *block {
	b := &block{uses: 1, name: strconv.FormatInt(index, 10)}
	a := &m.answer
	if before := a.blocks[index]; before != nil {
		b.uses = before.uses + 1
		b.name += "." + strconv.Itoa(b.uses)
	}
	a.blocks[index], a.last, a.lastIndex = b, b, index
	a.order = append(a.order, b)

	b.wire = scan.String(scan.Member(value, "type"))
	switch b.wire {
	case "text":
		m.startText(b, value)
	case "thinking":
		m.startThinking(b, value)
	case "redacted_thinking":
		b.kind, b.closed = done, true
		m.send(steno.ReasoningStart, b.name, nil, nil)
		m.send(steno.ReasoningEnd, b.name, nil, m.seal(raw.Object(bytes.Clone(value))))
	case "tool_use", "server_tool_use", "mcp_tool_use":
		m.startTool(b, value)
	default:
		if n := len(b.wire) - len("_tool_result"); n > 0 && b.wire[n:] == "_tool_result" {
			b.kind, b.closed = done, true
			m.result(b, value)
			break
		}
		b.kind = other
		b.start = bytes.Clone(value)
	}
	return b
}

func (m *Machine) startText(b *block, value []byte) {
	b.kind = text
	m.send(steno.TextStart, b.name, nil, nil)
	m.grow(steno.TextDelta, b, scan.Member(value, "text"))
	scan.Array(scan.Member(value, "citations"), func(c []byte) bool {
		m.source(b.name, c)
		return true
	})
}

func (m *Machine) startThinking(b *block, value []byte) {
	b.kind = thinking
	m.send(steno.ReasoningStart, b.name, nil, nil)
	m.grow(steno.ReasoningDelta, b, scan.Member(value, "thinking"))
	m.sign(b, scan.Member(value, "signature"))
}

func (m *Machine) startTool(b *block, value []byte) {
	b.kind = tool
	b.call = scan.String(scan.Member(value, "id"))
	b.tool = scan.String(scan.Member(value, "name"))
	if input := scan.Member(value, "input"); !scan.IsNull(input) && string(input) != "{}" {
		b.input = bytes.Clone(input)
	}
	b.seal = &steno.Seal{Executor: steno.ExecutorClient}
	rest := []string{"id", "name", "input"}
	if b.wire == "tool_use" {
		rest = append(rest, "type")
	} else {
		b.seal.Executor = steno.ExecutorProvider
	}
	if extra := raw.Without(value, rest...); len(extra) > 0 {
		b.seal.Opaque, b.seal.Provider, b.seal.Model = extra, m.provider(), m.answer.model
	}
	m.sendCall(steno.ToolStart, b, nil, false)
}

func (m *Machine) sendCall(t steno.Type, b *block, args []byte, whole bool) {
	m.event = steno.Event{
		Type: t, Block: b.name, Call: b.call, Name: b.tool,
		Text: borrow(args), Whole: whole, Body: b.seal,
	}
	m.emit(&m.event)
}

// result emits the result of a provider's tool, which comes whole.
func (m *Machine) result(b *block, value []byte) {
	content := scan.Member(value, "content")
	r := &steno.Result{
		Raw: raw.Value(content), Executor: steno.ExecutorProvider, Outcome: steno.OutcomeOK,
		Opaque: raw.Without(value, "tool_use_id", "content", "is_error"),
	}
	kind := word(scan.Member(content, "type"))
	if string(scan.Member(value, "is_error")) == "true" || bytes.HasSuffix(kind, []byte("_tool_result_error")) {
		r.IsError, r.Outcome = true, steno.OutcomeError
	}
	m.event = steno.Event{
		Type: steno.ToolResult, Block: b.name, Body: r,
		Call: scan.String(scan.Member(value, "tool_use_id")),
	}
	m.emit(&m.event)
}

// stop ends a block.
func (m *Machine) stop(b *block) {
	if b.closed {
		return
	}
	b.closed = true
	switch b.kind {
	case text:
		m.flush(steno.TextDelta, b)
		m.send(steno.TextEnd, b.name, nil, nil)
	case thinking:
		m.flush(steno.ReasoningDelta, b)
		var body steno.Body
		if b.signature = b.sigCarry.Flush(b.signature); len(b.signature) > 0 {
			body = m.seal(append(raw.Member([]byte{'{'}, "signature", raw.Quote(b.signature)), '}'))
		}
		m.send(steno.ReasoningEnd, b.name, nil, body)
	case tool:
		m.flush(steno.ToolDelta, b)
		if !b.grown && len(b.input) > 0 {
			m.sendCall(steno.ToolCall, b, bytes.ToValidUTF8(b.input, []byte("\uFFFD")), true)
		} else {
			m.sendCall(steno.ToolCall, b, nil, false)
		}
	case other:
		m.send(steno.Opaque, b.name, nil, &steno.Block{
			Kind: b.wire, Raw: b.whole(), Provider: m.provider(), Model: m.answer.model,
		})
		b.start, b.deltas = nil, nil
	}
}

func (m *Machine) seal(opaque jsontext.Value) *steno.Seal {
	return &steno.Seal{Opaque: opaque, Provider: m.provider(), Model: m.answer.model}
}

func (m *Machine) source(name string, citation []byte) {
	m.send(steno.Source, name, nil, &steno.Block{
		Kind: scan.String(scan.Member(citation, "type")), Raw: raw.Value(citation),
		Provider: m.provider(), Model: m.answer.model,
	})
}
