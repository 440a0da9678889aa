package anthropic

import (
	"bytes"
	"unicode/utf8"
	"unsafe"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// Machine decodes events that something else has framed: Bedrock's binary
// frames, or the lines of an agent's log. [Decoder] is a Machine behind an
// event stream. The zero value is ready.
type Machine struct {
	// Provider is who is named as the source of the answer and of its opaque
	// data; "" means "anthropic".
	Provider string

	answer answer
	dead   bool // a limit was passed: nothing more is decoded
	emit   func(*steno.Event)
	event  steno.Event
	buf    []byte
}

// answer is the state of the answer being read, or of the last one.
type answer struct {
	begun, open bool
	model       string
	stop        string
	usage       usage
	blocks      map[int64]*block
	order       []*block
	last        *block // the block with lastIndex: deltas come in runs
	lastIndex   int64
}

// parts are the members of an event that matter, raw.
type parts struct {
	kind, index, delta, block, message, usage, err []byte
}

// Event takes one event: its name on the wire, if it has one, and its JSON.
// It reports whether data is an event; if not, nothing was emitted.
func (m *Machine) Event(name, data []byte, emit func(*steno.Event)) bool {
	m.emit = emit
	if m.dead {
		return true
	}
	var e parts
	if !e.read(data) {
		return string(bytes.TrimSpace(data)) == "[DONE]" // said by some that imitate the format
	}
	kind := word(e.kind)
	if len(kind) == 0 {
		kind = name
	}
	switch string(kind) {
	case "content_block_delta":
		m.delta(&e, data)
	case "content_block_start":
		m.blockStart(&e, data)
	case "content_block_stop":
		m.blockStop(&e)
	case "message_start":
		m.begin(e.message)
	case "message_delta":
		m.messageDelta(&e, data)
	case "message_stop":
		m.end(true)
	case "message":
		m.begin(data)
		m.end(true)
	case "ping":
	case "error":
		m.fail(e.err, data)
	case "":
		if e.err == nil {
			return false
		}
		m.fail(e.err, data)
	default:
		m.unknown(kind, data)
	}
	return true
}

// Reject reports data that is no event as an error. The answer goes on.
func (m *Machine) Reject(data []byte, emit func(*steno.Event)) {
	m.emit = emit
	if m.dead {
		return
	}
	text := word(scan.Member(data, "message"))
	if len(text) == 0 {
		text = data
	}
	m.send(steno.Error, "", excerpt(text), &steno.Failure{Raw: raw.Value(data)})
}

// Abort ends the answer with an error of the decoder's own. All later events
// are dropped.
func (m *Machine) Abort(message string, emit func(*steno.Event)) {
	m.emit = emit
	if m.dead {
		return
	}
	m.send(steno.Error, "", []byte(message), &steno.Failure{Code: wire.CodeTooLarge})
	m.finish(steno.FinishError)
	m.dead = true
}

// Fail ends the answer, if one is open, after an error that was reported
// elsewhere.
func (m *Machine) Fail(emit func(*steno.Event)) {
	m.emit = emit
	m.finish(steno.FinishError)
}

// Close says that no more events will come.
func (m *Machine) Close(emit func(*steno.Event)) {
	m.emit = emit
	m.end(false)
	m.answer = answer{}
}

func (e *parts) read(data []byte) bool {
	return scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			e.kind = value
		case "index":
			e.index = value
		case "delta":
			e.delta = value
		case "content_block":
			e.block = value
		case "message":
			e.message = value
		case "usage":
			e.usage = value
		case "error":
			e.err = value
		}
		return true
	})
}

// begin opens an answer, after ending one that is open. The message may
// already hold whole blocks; it is nil where an answer begins in the middle.
func (m *Machine) begin(message []byte) {
	m.end(false)
	var id, content []byte
	a := answer{begun: true, open: true, blocks: make(map[int64]*block)}
	scan.Object(message, func(name, value []byte) bool {
		switch string(name) {
		case "id":
			id = value
		case "model":
			a.model = scan.String(value)
		case "stop_reason":
			a.stop = scan.String(value)
		case "usage":
			a.usage.merge(value)
		case "content":
			content = value
		}
		return true
	})
	m.answer = a
	m.send(steno.StepStart, "", nil, &steno.Step{Provider: m.provider(), Model: a.model, Response: scan.String(id)})
	index := int64(0)
	scan.Array(content, func(value []byte) bool {
		m.stop(m.start(index, value))
		index++
		return true
	})
}

// ensure opens an answer if none is.
func (m *Machine) ensure() {
	if !m.answer.open {
		m.begin(nil)
	}
}

func (m *Machine) messageDelta(e *parts, data []byte) {
	if m.answer.begun && !m.answer.open {
		m.unknown(word(e.kind), data)
		return
	}
	m.ensure()
	if stop := scan.String(scan.Member(e.delta, "stop_reason")); stop != "" {
		m.answer.stop = stop
	}
	m.answer.usage.merge(e.usage)
}

// end closes the answer if one is open; stopped says that the provider said
// that it is over.
func (m *Machine) end(stopped bool) {
	m.finish(finishOf(m.answer.stop, stopped))
}

func (m *Machine) finish(why steno.Finish) {
	a := &m.answer
	if !a.open {
		return
	}
	for _, b := range a.order {
		if b.kind == other && !b.closed {
			m.stop(b)
		}
	}
	a.open = false
	m.send(steno.StepEnd, "", nil, &steno.Step{Finish: why, Stop: a.stop, Usage: a.usage.value()})
}

func finishOf(stop string, stopped bool) steno.Finish {
	switch stop {
	case "":
		if stopped {
			return steno.FinishComplete
		}
		return steno.FinishIncomplete
	case "max_tokens", "model_context_window_exceeded":
		return steno.FinishLength
	case "refusal":
		return steno.FinishRefusal
	case "pause_turn":
		return steno.FinishPaused
	}
	return steno.FinishComplete
}

// fail reports a provider's error, which ends the answer.
func (m *Machine) fail(err, data []byte) {
	text := word(err) // some give the message alone
	f := &steno.Failure{Raw: raw.Value(data)}
	if scan.IsObject(err) {
		f.Code = scan.String(scan.Member(err, "type"))
		text = word(scan.Member(err, "message"))
	}
	switch f.Code {
	case "overloaded_error", "rate_limit_error", "api_error", "timeout_error":
		f.Retryable = true
	}
	m.send(steno.Error, "", text, f)
	m.finish(steno.FinishError)
}

// unknown passes on an event that is not known, whole.
func (m *Machine) unknown(kind, data []byte) {
	m.send(steno.Opaque, "", nil, &steno.Block{
		Kind: string(bytes.ToValidUTF8(kind, []byte("\uFFFD"))), Raw: raw.Value(data),
		Provider: m.provider(), Model: m.answer.model,
	})
}

func (m *Machine) provider() string {
	if m.Provider != "" {
		return m.Provider
	}
	return "anthropic"
}

// send emits an event. Its text is borrowed until emit returns.
func (m *Machine) send(t steno.Type, block string, text []byte, body steno.Body) {
	m.event = steno.Event{} // filled in place: a literal would be copied
	m.event.Type, m.event.Block, m.event.Text, m.event.Body = t, block, borrow(text), body
	m.emit(&m.event)
}

func borrow(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// word returns the text of a string value, without copying where it is written
// without escapes.
func word(value []byte) []byte {
	switch string(value) {
	case `"content_block_delta"`, `"text_delta"`, `"thinking_delta"`, `"input_json_delta"`:
		return value[1 : len(value)-1] // nearly all there are
	}
	if len(value) > 1 && scan.IsString(value) && bytes.IndexByte(value, '\\') < 0 {
		if body := value[1 : len(value)-1]; isASCII(body) {
			return body
		}
	}
	return scan.AppendString(nil, value, nil)
}

func isASCII(p []byte) bool {
	for _, c := range p {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// excerpt returns the beginning of a text as a message to read.
func excerpt(text []byte) []byte {
	most := 1024
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}
