package ollama

import (
	"bytes"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// object is what a line holds, aliasing it.
type object struct {
	model, message, response, thinking, done, reason, failure []byte
}

func (d *Decoder) object(data []byte) {
	var o object
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "model":
			o.model = value
		case "message":
			o.message = value
		case "response":
			o.response = value
		case "thinking":
			o.thinking = value
		case "done":
			o.done = value
		case "done_reason":
			o.reason = value
		case "error":
			o.failure = value
		}
		return true
	})
	isAnswer := o.message != nil || o.response != nil || o.thinking != nil || o.done != nil
	if !scan.IsNull(o.failure) || !isAnswer && !d.open {
		d.framed = true
		d.providerError(data)
		return
	}
	d.framed = true
	d.start(o.model)
	d.message(o.thinking, o.response, o.message)
	d.keepUnknown(data, known)
	if string(o.done) == "true" {
		d.end(scan.String(o.reason), true, data)
	}
}

func (d *Decoder) start(model []byte) {
	if d.open {
		return
	}
	d.open = true
	d.model = scan.String(model)
	d.send(steno.Event{Type: steno.StepStart, Body: &steno.Step{Provider: Format, Model: d.model}})
}

// message takes the pieces of an answer, of either endpoint, in the order
// reasoning, text, calls.
func (d *Decoder) message(thinking, response, message []byte) {
	var images, calls []byte
	scan.Object(message, func(name, value []byte) bool {
		switch string(name) {
		case "thinking":
			thinking = value
		case "content":
			response = value
		case "images":
			images = value
		case "tool_calls":
			calls = value
		}
		return true
	})
	d.say(steno.ReasoningDelta, thinking)
	d.say(steno.TextDelta, response)
	scan.Array(images, func(v []byte) bool {
		d.close()
		d.opaque(steno.Block{Kind: "image", Raw: raw.Value(v)})
		return true
	})
	scan.Array(calls, func(v []byte) bool {
		d.call(v)
		return true
	})
	d.keepUnknown(message, knownOfMessage)
}

// say takes the next string of a text. An empty one opens nothing (semantics A5).
func (d *Decoder) say(kind steno.Type, value []byte) {
	if !scan.IsString(value) || len(value) <= len(`""`) {
		return
	}
	if d.kind != kind {
		d.close()
		d.kind = kind
	}
	d.buf = scan.AppendString(d.buf[:0], value, &d.carry)
	d.delta(kind, d.buf)
}

func (d *Decoder) delta(kind steno.Type, text []byte) {
	if len(text) == 0 {
		return
	}
	d.ev = steno.Event{Type: kind, Text: unsafe.String(unsafe.SliceData(text), len(text))}
	d.emit(&d.ev)
}

// close gives out what waited for the end of the open text.
func (d *Decoder) close() {
	if d.carry.Pending() {
		var room [utf8.UTFMax]byte
		d.delta(d.kind, d.carry.Flush(room[:0]))
	}
	d.kind = steno.Unknown
	later := d.later
	d.later = nil
	for _, b := range later {
		d.opaque(b)
	}
}

func (d *Decoder) opaque(b steno.Block) {
	b.Provider, b.Model = Format, d.model
	d.send(steno.Event{Type: steno.Opaque, Body: &b})
}

// call takes a tool call, which comes whole. Its arguments are an object; the
// bytes of it are the arguments.
func (d *Decoder) call(data []byte) {
	if !scan.IsObject(data) {
		return
	}
	d.close()
	e := steno.Event{
		Type: steno.ToolStart, Block: "call:" + strconv.Itoa(d.calls),
		Call: scan.String(scan.Member(data, "id")), Name: scan.String(scan.Member(data, "function", "name")),
	}
	d.calls++
	d.send(e)
	var args []byte
	switch v := scan.Member(data, "function", "arguments"); {
	case scan.IsString(v):
		args = scan.AppendString(nil, v, nil)
	case !scan.IsNull(v):
		args = bytes.ToValidUTF8(v, []byte("\uFFFD"))
	}
	if len(args) > 0 {
		e.Type, e.Text = steno.ToolDelta, string(args)
		d.send(e)
	}
	e.Type, e.Text = steno.ToolCall, ""
	if opaque := unknownOf(data, "id", "function", "type"); opaque != nil {
		e.Body = &steno.Seal{Opaque: opaque, Provider: Format, Model: d.model}
	}
	d.send(e)
}

// unknownOf returns an object with the members of data that hold something
// and are not among the known, or nil if there are none.
func unknownOf(data []byte, known ...string) jsontext.Value {
	v := []byte{'{'}
	scan.Object(data, func(name, value []byte) bool {
		for _, k := range known {
			if string(name) == k {
				return true
			}
		}
		if holds(value) {
			v = raw.Member(v, string(name), value)
		}
		return true
	})
	if len(v) == 1 {
		return nil
	}
	return raw.Object(append(v, '}'))
}

// keepUnknown keeps the members of data that hold something we have no place
// for, until the open text closes.
func (d *Decoder) keepUnknown(data []byte, known func(name []byte) bool) {
	scan.Object(data, func(name, value []byte) bool {
		if !known(name) && holds(value) {
			d.later = append(d.later, steno.Block{Kind: string(bytes.ToValidUTF8(name, []byte("\uFFFD"))), Raw: raw.Value(value)})
		}
		return true
	})
}

func known(name []byte) bool {
	switch string(name) {
	case "model", "created_at", "message", "response", "thinking", "done", "done_reason", "logprobs", "remote_model", "remote_host":
		return true
	}
	return false
}

func knownOfMessage(name []byte) bool {
	switch string(name) {
	case "role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id":
		return true
	}
	return false
}

// holds reports whether value is a string, object or array with something in it.
func holds(value []byte) bool {
	switch {
	case scan.IsString(value):
		return len(value) > len(`""`)
	case scan.IsObject(value), scan.IsArray(value):
		return len(bytes.TrimSpace(value[1:len(value)-1])) > 0
	}
	return false
}
