package openairesponses

import (
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// message is one event of the stream. Its values alias the frame.
type message struct {
	raw                      []byte
	kind                     []byte // the type, without quotes
	output, content, summary int64  // output is -1 where the event names none
	delta                    []byte // a string
	whole                    []byte // the text of a done event, a string
	item, part, response     []byte
	annotation               []byte
}

// read reports whether data is an event at all.
func (m *message) read(data []byte) bool {
	*m = message{raw: data, output: -1}
	return scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			if scan.IsString(value) && len(value) >= 2 {
				m.kind = value[1 : len(value)-1]
			}
		case "output_index":
			if n, ok := scan.Int(value); ok {
				m.output = n
			}
		case "content_index":
			m.content, _ = scan.Int(value)
		case "summary_index":
			m.summary, _ = scan.Int(value)
		case "delta":
			m.delta = value
		case "text", "refusal", "arguments", "input":
			m.whole = value
		case "item":
			m.item = value
		case "part":
			m.part = value
		case "response":
			m.response = value
		case "annotation":
			m.annotation = value
		}
		return true
	})
}

// event takes one event of the stream.
func (d *Decoder) event(m *message) {
	switch string(m.kind) {
	case "response.output_text.delta":
		d.textDelta(m, false)
	case "response.refusal.delta":
		d.textDelta(m, true)
	case "response.reasoning_summary_text.delta":
		d.reasoningDelta(m, false)
	case "response.reasoning_text.delta":
		d.reasoningDelta(m, true)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		d.argumentsDelta(m)
	case "response.created":
		d.created(m.response)
	case "response.queued", "response.in_progress":
		d.respond(m.response)
	case "response.completed", "response.incomplete", "response.failed", "response.done", "response.cancelled":
		d.respond(m.response)
		d.finish(m.response, strings.TrimPrefix(string(m.kind), "response."))
	case "response.output_item.added":
		d.itemAdded(m)
	case "response.output_item.done":
		d.itemDone(m)
	case "response.content_part.added":
		d.partAdded(m)
	case "response.content_part.done":
		d.partDone(m)
	case "response.output_text.done", "response.refusal.done":
		d.textDone(m)
	case "response.output_text.annotation.added":
		d.annotated(m)
	case "response.function_call_arguments.done", "response.custom_tool_call_input.done":
		d.argumentsDone(m)
	case "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
		"response.reasoning_summary_text.done", "response.reasoning_text.done",
		"keepalive", "ping":
		// Said again, and with authority, when the item is done.
	case "error":
		d.errorEvent(m)
	default:
		d.unknown(m)
	}
}

// errorEvent takes an error that stands in the stream.
func (d *Decoder) errorEvent(m *message) {
	d.start()
	text, f, ok := frame.Failure(m.raw)
	if !ok {
		text, f = frame.TextFailure(m.raw)
	}
	d.fail(text, f)
}

// unknown takes an event that has no meaning here. What tells of an opaque
// item while it grows is contained in that item when it is done.
func (d *Decoder) unknown(m *message) {
	if d.answer.over {
		return
	}
	if it := d.answer.items[m.output]; it != nil && it.kind == opaqueItem && !it.sealed {
		return
	}
	d.start()
	kind := strings.ToValidUTF8(string(m.kind), "\uFFFD")
	d.send(steno.Event{Type: steno.Opaque, Body: &steno.Block{
		Kind: kind, Raw: raw.Value(m.raw), Provider: Format, Model: d.answer.model,
	}})
}
