// Package gemini decodes the answers of Gemini's generateContent and
// streamGenerateContent: event streams, the JSON array of the same method
// without them, whole answers and error bodies.
//
// The format names no blocks. Text and thoughts therefore have none, and any
// other part closes them; calls are blocks "call:0", "call:1" and so on.
//
//   - A functionCall's arguments are the raw bytes of args, "" where there are
//     none. Arguments that are streamed as partialArgs are put together and
//     written down as they come; where a piece belongs further back the call's
//     end has them whole. If a piece has no place at all, all pieces are kept in
//     the call's opaque data as "partialArgs".
//   - executableCode is a call of the provider named [CodeExecution] whose
//     arguments are the code; everything else of it, its language above all, is
//     in the opaque data. Its result is the raw codeExecutionResult.
//   - toolCall is a call of the provider named by its toolType; the opaque data
//     holds it whole as "toolCall". Its result is the raw toolResponse.
//   - A thoughtSignature is opaque data of the very part it came with. On a
//     text it is {"thoughtSignature":…} where it came with all of the text,
//     else with "from" and "to", the bytes of the text it came with; equal
//     where it came with an empty text. On another part "after" marks one that
//     came with an empty text just behind it. Several stand in a list,
//     "thoughtSignatures".
//   - Grounding, citations and what is fetched from URLs are sources, given at
//     the end of the answer because they are about all of it.
//   - Candidate n is choice n. The numbers of usageMetadata are those of the
//     whole response and stand with choice 0; every chunk has all of them, so
//     the newest replace all before.
//
// Safety ratings, log probabilities and token counts of a candidate stay in
// the raw bytes.
package gemini

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// Format is the name of the format. It is also the provider that the events
// name: whose server it was is not in the bytes.
const Format = "gemini"

// CodeExecution is the name of the tool that runs executableCode.
const CodeExecution = "code_execution"

// Decoder is a [wire.Decoder]. The zero value is ready, and after Close it is
// ready for another stream. A text delta costs time linear in its length and
// allocates nothing.
type Decoder struct {
	frames frame.Reader
	take   func(frame.Frame)
	emit   func(*steno.Event)
	ev     steno.Event // what is passed to emit, used again
	buf    []byte      // the text of the delta at hand
	seen   bool        // an answer or an error was seen
	lost   bool        // a frame was too large; nothing can follow
	response
}

// response is what is forgotten when a response ends.
type response struct {
	id, model  string
	candidates []*candidate
	usage      []byte // the newest numbers; each replaces all before it
	blocked    string // the reason the prompt was refused
	failed     bool
	extras     extras
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
	d.stop()
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
	d.stop()
}

// send passes an event on. It is the only place that calls emit.
func (d *Decoder) send(e steno.Event) {
	d.ev = e
	d.emit(&d.ev)
}

func (d *Decoder) fail(message string, f *steno.Failure) {
	d.seen, d.failed = true, true
	d.send(steno.Event{Type: steno.Error, Text: message, Body: f})
}

// frame takes one frame of whatever carries the answer.
func (d *Decoder) frame(f frame.Frame) {
	if d.lost || string(f.Data) == "[DONE]" {
		return
	}
	var c chunk
	switch {
	case !c.read(f.Data):
		switch {
		case f.Bare && !d.seen:
			d.fail(frame.TextFailure(f.Data))
		case f.Cut && (!f.Bare || scan.IsObject(f.Data)):
			// A frame the input was cut in tells nothing.
		default:
			d.keep("stray", raw.Quote(f.Data))
		}
	case !scan.IsNull(c.err):
		if !f.Bare {
			d.candidate(0)
		}
		d.failure(f.Data)
	case !c.ours:
		if message, failure, ok := frame.Failure(f.Data); ok && f.Bare {
			d.fail(message, failure)
			return
		}
		if c.leftover != nil || c.inner != nil {
			d.keep("stray", raw.Value(f.Data))
		}
	default:
		d.chunk(&c)
	}
}

func (d *Decoder) failure(data []byte) {
	message, f, ok := frame.Failure(data)
	if !ok {
		message, f = frame.TextFailure(data)
	}
	d.fail(message, f)
}

// keep passes on what is none of the format's parts.
func (d *Decoder) keep(kind string, value jsontext.Value) {
	c := d.candidate(0)
	c.end(d)
	d.sendBlock(steno.Opaque, c.index, kind, value)
}

func (d *Decoder) sendBlock(t steno.Type, choice uint32, kind string, value jsontext.Value) {
	d.send(steno.Event{Type: t, Choice: choice, Body: &steno.Block{
		Kind: strings.ToValidUTF8(kind, "\uFFFD"), Raw: value, Provider: Format, Model: d.model,
	}})
}

// chunk is one GenerateContentResponse. Its values alias the frame.
type chunk struct {
	ours                           bool // it has a member of the format
	candidates, usage, model, id   []byte
	feedback, err, inner, leftover []byte
}

// read reports whether data is an object at all. Some endpoints wrap each
// response into another object.
func (c *chunk) read(data []byte) bool {
	*c = chunk{}
	ok := scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "candidates":
			c.candidates, c.ours = value, true
		case "usageMetadata":
			c.usage, c.ours = value, true
		case "modelVersion":
			c.model, c.ours = value, true
		case "responseId":
			c.id, c.ours = value, true
		case "promptFeedback":
			c.feedback, c.ours = value, true
		case "createTime":
		case "error":
			c.err = value
		case "response":
			c.inner = value
		default:
			c.leftover = data
		}
		return true
	})
	if ok && !c.ours && scan.IsObject(c.inner) {
		return c.read(c.inner)
	}
	return ok
}

func (d *Decoder) chunk(c *chunk) {
	if scan.IsString(c.id) && string(c.id[1:len(c.id)-1]) != d.id {
		if d.id != "" && d.finished() {
			d.stop()
		}
		if d.id == "" {
			d.id = scan.String(c.id)
		}
	}
	if d.model == "" {
		d.model = scan.String(c.model)
	}
	if scan.IsNull(c.candidates) && len(d.candidates) == 0 {
		d.candidate(0)
	}
	scan.Array(c.candidates, func(value []byte) bool {
		d.takeCandidate(value)
		return true
	})
	if scan.IsObject(c.usage) {
		d.usage = append(d.usage[:0], c.usage...)
	}
	if reason := scan.Member(c.feedback, "blockReason"); !scan.IsNull(reason) {
		d.candidate(0)
		d.blocked = scan.String(reason)
		d.extras.add(steno.Opaque, "promptFeedback", c.feedback)
	}
	if c.leftover != nil {
		d.leftover(c.leftover)
	}
}

// leftover keeps the members of a response that have no meaning here.
func (d *Decoder) leftover(data []byte) {
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "candidates", "usageMetadata", "modelVersion", "responseId", "promptFeedback", "createTime", "error", "response":
		default:
			d.extras.add(steno.Opaque, string(name), value)
		}
		return true
	})
}

// finished reports whether every candidate said why it ended.
func (d *Decoder) finished() bool {
	for _, c := range d.candidates {
		if c.stop == "" {
			return false
		}
	}
	return len(d.candidates) > 0
}

// stop ends the response and its candidates.
func (d *Decoder) stop() {
	for i, c := range d.candidates {
		finish, stop := d.reason(c)
		c.cut = finish != steno.FinishComplete && finish != steno.FinishRefusal
		c.end(d)
		c.extras.send(d, c.index)
		step := &steno.Step{Provider: Format, Model: d.model, Response: d.id, Finish: finish, Stop: stop}
		if i == 0 { // the numbers are those of the response, not of a candidate
			d.extras.send(d, c.index)
			step.Usage = raw.Value(d.usage)
		}
		d.send(steno.Event{Type: steno.StepEnd, Choice: c.index, Body: step})
	}
	d.response = response{}
}

// extras are things that are about a whole answer and wait for its end.
type extras []extra

type extra struct {
	event steno.Type
	kind  string
	raw   jsontext.Value
}

// maxExtras bounds how many are kept; a stream has a handful.
const maxExtras = 1 << 12

// add keeps one more, save where the same came just before: some are sent
// again with every chunk.
func (x *extras) add(event steno.Type, kind string, value []byte) {
	for i := len(*x) - 1; i >= 0; i-- {
		if e := &(*x)[i]; e.kind == kind {
			if string(e.raw) == string(value) {
				return
			}
			break
		}
	}
	if len(*x) < maxExtras {
		*x = append(*x, extra{event, kind, raw.Value(value)})
	}
}

func (x extras) send(d *Decoder, choice uint32) {
	for _, e := range x {
		d.sendBlock(e.event, choice, e.kind, e.raw)
	}
}
