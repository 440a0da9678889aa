// Package openairesponses decodes the Responses API of OpenAI and of those who
// speak it: its event stream, its whole JSON answers and its error bodies.
//
// An answer is a list of items. Where the stream names an item only its
// output_index is trusted: proxies give an item another id in every event.
//
//   - Text and refusals are blocks named "<output_index>.<content_index>". The
//     end of each carries the message's id and phase as opaque data.
//   - A reasoning item is one block named "<output_index>": its summaries, then
//     its content, joined without a separator. Its opaque data is the item as
//     it stood when it was done, without its texts: "id", "encrypted_content"
//     and whatever else the provider put there. Where the text is not one
//     summary, "summaryLengths" and "contentLengths" give the bytes of each
//     piece, so that the item can be built again.
//   - function_call and custom_tool_call are tool calls; opaque data holds the
//     item's id, and its "type" where that is custom_tool_call.
//   - Every other item, known or not, is one opaque part of its type with the
//     item's bytes as they stood when it was done. What is streamed of such an
//     item in between is contained in them.
//   - Annotations are sources named after the text they stand in.
//
// Log probabilities stay in the raw bytes.
package openairesponses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// Format is the name of the format. It is also the provider that the events
// name: whose server it was is not in the bytes.
const Format = "openai-responses"

// Decoder is a [wire.Decoder]. The zero value is ready, and after Close it is
// ready for another stream. A delta costs time linear in its length and
// allocates nothing, amortised; what was streamed of an item is held until the
// item is done, to be compared with it.
type Decoder struct {
	frames frame.Reader
	take   func(frame.Frame)
	emit   func(*steno.Event)
	ev     steno.Event // what is passed to emit, used again
	answer current
	seen   bool // an answer or an error was seen
	lost   bool // a frame was too large; nothing can follow
}

// current is the state of one response.
type current struct {
	open, over bool
	id, model  string
	items      map[int64]*item
	order      []*item
	waiting    []*item // opaque items in order of appearance, until done
	refused    bool
	failed     bool
}

// Decode implements [wire.Decoder].
func (d *Decoder) Decode(p []byte, emit func(*steno.Event)) {
	d.begin(emit)
	d.check(d.frames.Feed(p, d.take))
}

// Close implements [wire.Decoder].
func (d *Decoder) Close(emit func(*steno.Event)) {
	d.begin(emit)
	d.check(d.frames.Close(d.take))
	if d.answer.open {
		d.stop(&ending{})
	}
	*d = Decoder{}
}

func (d *Decoder) begin(emit func(*steno.Event)) {
	d.emit = emit
	if d.take == nil {
		d.take = d.frame
	}
}

func (d *Decoder) check(err error) {
	if err == nil {
		return
	}
	d.lost = true
	d.fail(err.Error(), &steno.Failure{Code: wire.CodeTooLarge})
	if d.answer.open {
		d.stop(&ending{})
	}
}

// send passes an event on. It is the only place that calls emit.
func (d *Decoder) send(e steno.Event) {
	d.ev = e
	d.emit(&d.ev)
}

func (d *Decoder) fail(message string, f *steno.Failure) {
	d.seen = true
	d.answer.failed = true
	d.send(steno.Event{Type: steno.Error, Text: message, Body: f})
}

// frame takes one frame of whatever carries the answer.
func (d *Decoder) frame(f frame.Frame) {
	switch {
	case d.lost:
	case f.Bare:
		d.bare(f)
	case string(f.Data) == "[DONE]":
	default:
		var m message
		if !m.read(f.Data) {
			if !f.Cut { // a frame the input was cut in tells nothing
				d.stray(f.Data)
			}
			return
		}
		if len(m.kind) == 0 {
			m.kind = f.Name
		}
		d.event(&m)
	}
}

// bare takes a whole body: an answer that was not streamed, an event without
// the frame of one, or an error.
func (d *Decoder) bare(f frame.Frame) {
	var m message
	if !m.read(f.Data) {
		switch {
		case !d.seen && !d.answer.open:
			d.fail(frame.TextFailure(f.Data))
		case !f.Cut || !scan.IsObject(f.Data):
			d.stray(f.Data)
		}
		return
	}
	if len(m.kind) > 0 && string(m.kind) != "error" {
		d.event(&m)
		return
	}
	if scan.IsArray(scan.Member(f.Data, "output")) {
		d.respond(f.Data)
		d.finish(f.Data, "")
		return
	}
	if message, failure, ok := frame.Failure(f.Data); ok {
		d.fail(message, failure)
		return
	}
	d.stray(f.Data)
}

// stray keeps what is no event of the format. What follows the end of an
// answer has no place in it and stays in the raw bytes.
func (d *Decoder) stray(data []byte) {
	if d.answer.over {
		return
	}
	d.start()
	d.send(steno.Event{Type: steno.Opaque, Body: &steno.Block{Kind: "stray", Raw: raw.Quote(data), Provider: Format, Model: d.answer.model}})
}

// respond takes the response object that several events carry.
func (d *Decoder) respond(response []byte) {
	var id, model string
	scan.Object(response, func(name, value []byte) bool {
		switch string(name) {
		case "id":
			id = scan.String(value)
		case "model":
			model = scan.String(value)
		}
		return true
	})
	if d.answer.open || d.answer.over {
		return
	}
	d.answer.id, d.answer.model = id, model
	d.start()
}

// created takes the start of a response: another answer, where one has ended or
// one with another id is open.
func (d *Decoder) created(response []byte) {
	id := scan.String(scan.Member(response, "id"))
	if d.answer.open && d.answer.id != "" && id != d.answer.id {
		d.stop(&ending{})
	}
	if d.answer.over {
		d.answer = current{}
	}
	d.respond(response)
}

// start begins the answer if it has not begun.
func (d *Decoder) start() {
	if d.answer.open || d.answer.over {
		return
	}
	d.seen = true
	d.answer.open = true
	d.answer.items = make(map[int64]*item)
	d.send(steno.Event{Type: steno.StepStart, Body: &steno.Step{
		Provider: Format, Model: d.answer.model, Response: d.answer.id,
	}})
}

// ending is what a response said of its end; the zero value is a bare end of
// input.
type ending struct {
	status  string // the response's own word
	implied string // the word in the name of the event, where there is none
	reason  string
	usage   jsontext.Value
}

// finish takes the response that ends an answer, and the last word of the name
// of the event that brought it.
func (d *Decoder) finish(response []byte, word string) {
	if !d.answer.open {
		return
	}
	e := ending{implied: word}
	var output []byte
	scan.Object(response, func(name, value []byte) bool {
		switch string(name) {
		case "status":
			e.status = scan.String(value)
		case "incomplete_details":
			e.reason = scan.String(scan.Member(value, "reason"))
		case "usage":
			if scan.IsObject(value) {
				e.usage = raw.Value(value)
			}
		case "output":
			output = value
		case "error":
			if message, f, ok := frame.Failure(value); ok {
				d.fail(message, f)
			}
		}
		return true
	})
	if len(d.answer.order) == 0 {
		// Nothing was streamed: all there is stands here.
		index := int64(0)
		scan.Array(output, func(it []byte) bool {
			d.itemDone(&message{output: index, item: it})
			index++
			return true
		})
	}
	d.stop(&e)
}

// stop ends the answer.
func (d *Decoder) stop(e *ending) {
	finish := d.reason(e)
	if finish == steno.FinishComplete || finish == steno.FinishRefusal {
		for _, it := range d.answer.order {
			d.seal(it, nil)
		}
	}
	for _, it := range d.answer.waiting {
		d.sendOpaque(it)
	}
	d.send(steno.Event{Type: steno.StepEnd, Body: &steno.Step{
		Provider: Format, Model: d.answer.model, Response: d.answer.id,
		Finish: finish, Stop: e.status, Usage: e.usage,
	}})
	d.answer = current{over: true, id: d.answer.id, model: d.answer.model}
}

// reason says in our words why the answer ended.
func (d *Decoder) reason(e *ending) steno.Finish {
	word := e.status
	if word == "" {
		word = e.implied
	}
	switch {
	case word == "completed" && d.answer.refused:
		return steno.FinishRefusal
	case word == "completed":
		return steno.FinishComplete
	case word == "failed":
		return steno.FinishError
	case e.reason == "max_output_tokens":
		return steno.FinishLength
	case e.reason == "content_filter":
		return steno.FinishRefusal
	case word == "" && d.answer.failed:
		return steno.FinishError
	}
	return steno.FinishIncomplete
}
