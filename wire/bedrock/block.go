package bedrock

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// kind is what a block is to us.
type kind uint8

const (
	unclear kind = iota // started without saying what it is
	textual
	thinking
	tool
	result // of a tool that the provider ran
	other  // not known: kept raw
)

// block is a content block being read.
type block struct {
	name   string
	uses   int // how many blocks of the answer had this index, this one included
	kind   kind
	closed bool
	carry  scan.Carry

	signature, redacted []byte // of thinking, as far as they came

	call, tool string
	seal       *steno.Seal
	input      []byte // the arguments, where the call came whole

	word   string // the provider's word for the block
	start  []byte // what a result or an unknown block started with, raw
	deltas []byte // the deltas of one, raw, separated by commas
	count  int    // how many
}

func (c *converse) find(index int64) *block {
	if c.last == nil || c.lastIndex != index {
		b := c.blocks[index]
		if b == nil {
			return nil
		}
		c.last, c.lastIndex = b, index
	}
	return c.last
}

// add opens a block.
func (c *converse) add(index int64) *block {
	c.ensure()
	b := &block{uses: 1, name: strconv.FormatInt(index, 10)}
	if before := c.blocks[index]; before != nil {
		b.uses = before.uses + 1
		b.name += "." + strconv.Itoa(b.uses)
	}
	c.blocks[index], c.last, c.lastIndex = b, b, index
	c.order = append(c.order, b)
	return b
}

func (c *converse) blockStart(index int64, start []byte) bool {
	if !scan.IsNull(start) && !scan.IsObject(start) {
		return false
	}
	b := c.add(index)
	name, value := first(start)
	switch string(name) {
	case "":
	case "toolUse":
		c.startTool(b, value)
	case "toolResult":
		b.kind = result
		b.call = scan.String(scan.Member(value, "toolUseId"))
		b.start = bytes.Clone(value)
		b.word = string(name)
	default:
		b.kind = other
		b.start = bytes.Clone(start)
		b.word = text(name)
	}
	return true
}

func (c *converse) startTool(b *block, value []byte) {
	b.kind = tool
	b.call = scan.String(scan.Member(value, "toolUseId"))
	b.tool = scan.String(scan.Member(value, "name"))
	b.seal = &steno.Seal{Executor: steno.ExecutorClient}
	rest := []string{"toolUseId", "name", "input"}
	switch kind := scan.String(scan.Member(value, "type")); kind {
	case "", "tool_use":
		rest = append(rest, "type")
	case "server_tool_use":
		b.seal.Executor = steno.ExecutorProvider
	}
	if extra := raw.Without(value, rest...); len(extra) > 0 {
		b.seal.Opaque, b.seal.Provider = extra, provider
	}
	c.sendCall(steno.ToolStart, b)
}

func (c *converse) sendCall(t steno.Type, b *block) {
	c.ev = steno.Event{
		Type: t, Block: b.name, Call: b.call, Name: b.tool, Body: b.seal,
		Text: text(b.input), Whole: len(b.input) > 0,
	}
	c.emit(&c.ev)
}

// delta takes the delta of a block. It reports false for one that has no place
// in the block.
func (c *converse) delta(index int64, delta []byte) bool {
	name, value := first(delta)
	if len(name) == 0 {
		return false
	}
	b := c.find(index)
	if b == nil {
		if c.begun && !c.open {
			return c.late(name, value, strconv.FormatInt(index, 10))
		}
		b = c.add(index)
	}
	if b.closed || !c.open {
		return c.late(name, value, b.name)
	}
	switch string(name) {
	case "text":
		return c.is(b, textual) && c.grow(steno.TextDelta, b, value)
	case "toolUse":
		return b.kind == tool && c.grow(steno.ToolDelta, b, scan.Member(value, "input"))
	case "reasoningContent":
		return c.is(b, thinking) && c.reasoning(b, value)
	case "citation":
		if c.is(b, textual) {
			c.send(steno.Source, b.name, nil, &steno.Block{Kind: "citation", Raw: raw.Value(value), Provider: provider})
			return true
		}
		return false
	case "toolResult":
		if b.kind == result {
			c.keep(b, value)
		}
		return b.kind == result
	}
	if b.kind == unclear {
		b.kind, b.word = other, text(name)
	}
	if b.kind == other {
		c.keep(b, delta)
	}
	return b.kind == other
}

// is makes an unclear block one of kind k, and reports whether it is one.
func (c *converse) is(b *block, k kind) bool {
	if b.kind == unclear {
		b.kind = k
		if k == textual {
			c.send(steno.TextStart, b.name, nil, nil)
		} else {
			c.send(steno.ReasoningStart, b.name, nil, nil)
		}
	}
	return b.kind == k
}

// late passes on a piece of text for a block that has ended: whoever addresses
// events refuses it.
func (c *converse) late(name, value []byte, block string) bool {
	var t steno.Type
	switch string(name) {
	case "text":
		t = steno.TextDelta
	case "toolUse":
		t, value = steno.ToolDelta, scan.Member(value, "input")
	case "reasoningContent":
		t, value = steno.ReasoningDelta, scan.Member(value, "text")
	default:
		return false
	}
	if c.buf = scan.AppendString(c.buf[:0], value, nil); len(c.buf) == 0 {
		return false
	}
	c.send(t, block, c.buf, nil)
	return true
}

// grow emits a piece of text, less what is not a whole character yet.
func (c *converse) grow(t steno.Type, b *block, value []byte) bool {
	if !scan.IsNull(value) && !scan.IsString(value) {
		return false
	}
	c.buf = scan.AppendString(c.buf[:0], value, &b.carry)
	if len(c.buf) > 0 {
		c.send(t, b.name, c.buf, nil)
	}
	return true
}

func (c *converse) reasoning(b *block, value []byte) bool {
	return scan.Object(value, func(name, v []byte) bool {
		switch string(name) {
		case "text":
			c.grow(steno.ReasoningDelta, b, v)
		case "signature":
			if c.room(len(b.signature) + len(v)) {
				b.signature = scan.AppendString(b.signature, v, nil)
			}
		case "redactedContent", "data":
			if c.room(len(b.redacted) + len(v)) {
				b.redacted = scan.AppendString(b.redacted, v, nil)
			}
		}
		return c.open
	})
}

// keep stores what came for a block that is emitted when it ends.
func (c *converse) keep(b *block, value []byte) {
	if !c.room(len(b.start) + len(b.deltas) + len(value)) {
		return
	}
	if b.count++; b.count > 1 {
		b.deltas = append(b.deltas, ',')
	}
	b.deltas = append(b.deltas, raw.Value(value)...)
}

// room reports whether a block may grow to n bytes in memory; if not the
// answer is over.
func (c *converse) room(n int) bool {
	if n <= wire.MaxFrame {
		return true
	}
	c.report(fmt.Sprintf("a block of more than %d bytes", wire.MaxFrame), &steno.Failure{Code: wire.CodeTooLarge})
	return false
}

// stopBlock ends a block.
func (c *converse) stopBlock(b *block) {
	if b.closed || !c.open {
		return
	}
	switch b.kind {
	case textual:
		c.flush(steno.TextDelta, b)
		c.send(steno.TextEnd, b.name, nil, nil)
	case thinking:
		c.flush(steno.ReasoningDelta, b)
		c.send(steno.ReasoningEnd, b.name, nil, b.reasoningSeal())
	case tool:
		c.flush(steno.ToolDelta, b)
		c.sendCall(steno.ToolCall, b)
	case result:
		c.sendResult(b)
	case other:
		c.sendRaw(b)
	}
	b.closed = true
}

// flush emits what was held back of a character that never became whole.
func (c *converse) flush(t steno.Type, b *block) {
	if b.carry.Pending() {
		c.buf = b.carry.Flush(c.buf[:0])
		c.send(t, b.name, c.buf, nil)
	}
}

func (b *block) reasoningSeal() steno.Body {
	opaque := []byte{'{'}
	if len(b.signature) > 0 {
		opaque = raw.Member(opaque, "signature", raw.Quote(b.signature))
	}
	if len(b.redacted) > 0 {
		opaque = raw.Member(opaque, "redactedContent", raw.Quote(b.redacted))
	}
	if len(opaque) == 1 {
		return nil
	}
	return &steno.Seal{Opaque: append(opaque, '}'), Provider: provider}
}

// sendResult emits the result of a provider's tool: the delta as it came, or
// one array of the elements of all deltas.
func (c *converse) sendResult(b *block) {
	r := &steno.Result{
		Executor: steno.ExecutorProvider, Outcome: steno.OutcomeOK,
		Opaque: raw.Without(b.start, "toolUseId"),
	}
	if scan.String(scan.Member(b.start, "status")) == "error" {
		r.IsError, r.Outcome = true, steno.OutcomeError
	}
	if r.Raw = raw.Value(b.deltas); b.count > 1 {
		r.Raw = raw.Value(b.joined())
	}
	c.ev = steno.Event{Type: steno.ToolResult, Block: b.name, Call: b.call, Body: r}
	c.emit(&c.ev)
}

// joined returns the elements of the deltas of a result as one array; a delta
// that is no array is an element.
func (b *block) joined() []byte {
	out := []byte{'['}
	add := func(v []byte) bool {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, v...)
		return true
	}
	scan.Array(b.list(), func(delta []byte) bool {
		if scan.IsArray(delta) {
			return scan.Array(delta, add)
		}
		return add(delta)
	})
	return append(out, ']')
}

func (b *block) list() []byte { return slices.Concat([]byte{'['}, b.deltas, []byte{']'}) }

// sendRaw emits a block that is not known, or a result that did not end, with
// all that came for it.
func (c *converse) sendRaw(b *block) {
	whole := raw.Value(b.start)
	if b.count > 0 {
		out := []byte{'{'}
		if len(b.start) > 0 {
			out = raw.Member(out, "start", b.start)
		}
		whole = append(raw.Member(out, "deltas", b.list()), '}')
	}
	c.send(steno.Opaque, b.name, nil, &steno.Block{Kind: b.word, Raw: whole, Provider: provider})
	b.start, b.deltas = nil, nil
}

// first returns the first member of an object, whose name says what it is.
func first(object []byte) (name, value []byte) {
	scan.Object(object, func(n, v []byte) bool {
		name, value = n, v
		return false
	})
	return name, value
}
