package bedrock

import (
	"unsafe"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// converse decodes the events of ConverseStream. The zero value is ready.
type converse struct {
	begun, open bool
	stopped     bool // the provider said that the answer is over
	stop        string
	usage       []byte
	blocks      map[int64]*block
	order       []*block
	last        *block // the block with lastIndex: deltas come in runs
	lastIndex   int64

	emit func(*steno.Event)
	ev   steno.Event
	buf  []byte
}

// isConverse reports whether an event is one of this format.
func isConverse(name []byte) bool {
	switch string(name) {
	case "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata":
		return true
	}
	return false
}

// event takes one event. It reports false for a payload that is no object.
func (c *converse) event(name, payload []byte) bool {
	var index, start, delta, stop, usage []byte
	if !scan.Object(payload, func(name, value []byte) bool {
		switch string(name) {
		case "contentBlockIndex":
			index = value
		case "start":
			start = value
		case "delta":
			delta = value
		case "stopReason":
			stop = value
		case "usage":
			usage = value
		}
		return true
	}) {
		return false
	}
	at, ok := scan.Int(index)
	switch string(name) {
	case "messageStart":
		c.end()
		c.begin()
		ok = true
	case "contentBlockStart":
		ok = ok && c.blockStart(at, start)
	case "contentBlockDelta":
		ok = ok && c.delta(at, delta)
	case "contentBlockStop":
		if b := c.find(at); ok && b != nil {
			c.stopBlock(b)
		}
		ok = true
	case "messageStop":
		ok = c.messageStop(stop)
	case "metadata":
		ok = c.metadata(usage)
	default:
		ok = false
	}
	if !ok {
		c.unknown(name, payload)
	}
	return true
}

func (c *converse) begin() {
	*c = converse{
		begun: true, open: true, blocks: make(map[int64]*block),
		emit: c.emit, buf: c.buf,
	}
	c.send(steno.StepStart, "", nil, &steno.Step{Provider: provider})
}

// ensure opens an answer if none is.
func (c *converse) ensure() {
	if !c.open {
		c.begin()
	}
}

func (c *converse) messageStop(stop []byte) bool {
	if c.begun && !c.open {
		return false
	}
	c.ensure()
	c.stopped = true
	c.stop = scan.String(stop)
	return true
}

// metadata holds the usage, and ends an answer that the provider has stopped.
func (c *converse) metadata(usage []byte) bool {
	if !c.open {
		return false
	}
	if scan.IsObject(usage) {
		c.usage = raw.Value(usage)
	}
	if c.stopped {
		c.end()
	}
	return true
}

func (c *converse) end() { c.finish(c.reason()) }

// close says that no more events will come.
func (c *converse) close() {
	c.end()
	*c = converse{buf: c.buf}
}

func (c *converse) reason() steno.Finish {
	switch c.stop {
	case "":
		if c.stopped {
			return steno.FinishComplete
		}
		return steno.FinishIncomplete
	case "max_tokens", "model_context_window_exceeded":
		return steno.FinishLength
	case "guardrail_intervened", "content_filtered":
		return steno.FinishRefusal
	case "malformed_model_output", "malformed_tool_use":
		return steno.FinishError
	}
	return steno.FinishComplete
}

func (c *converse) finish(why steno.Finish) {
	if !c.open {
		return
	}
	for _, b := range c.order {
		if !b.closed && (b.kind == other || b.kind == result) {
			c.sendRaw(b)
		}
	}
	c.open = false
	c.send(steno.StepEnd, "", nil, &steno.Step{Finish: why, Stop: c.stop, Usage: c.usage})
}

// report emits an error, which ends the answer.
func (c *converse) report(message string, f *steno.Failure) {
	c.ev = steno.Event{Type: steno.Error, Text: message, Body: f}
	c.emit(&c.ev)
	c.finish(steno.FinishError)
}

// unknown passes on an event that is not known, whole.
func (c *converse) unknown(name, payload []byte) {
	c.send(steno.Opaque, "", nil, &steno.Block{Kind: text(name), Raw: raw.Value(payload), Provider: provider})
}

// send emits an event. Its text is borrowed until emit returns.
func (c *converse) send(t steno.Type, block string, text []byte, body steno.Body) {
	c.ev = steno.Event{Type: t, Block: block, Text: unsafe.String(unsafe.SliceData(text), len(text)), Body: body}
	c.emit(&c.ev)
}
