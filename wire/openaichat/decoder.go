// Package openaichat decodes answers in the Chat Completions format, as OpenAI
// sends them and in the dialects of everyone who speaks the same format: as a
// stream of server-sent events, as one JSON body, or as an error body.
//
// The format names no blocks. Text and reasoning therefore have none, and any
// other kind closes them; a refusal has the block "refusal", and the calls of
// one answer "call:0", "call:1" and so on, because their pieces may alternate.
//
// What the dialects add is passed on so:
//
//   - Reasoning details are gathered piece by piece. They go on the end of the
//     reasoning they came with, as {"reasoning_details": […]}, and are an
//     opaque part of that form where they came with none.
//   - Annotations, citations and search results are sources.
//   - Members of a call with no place in the event are its opaque data.
//   - A generated image is an opaque part where it came. Any other object, list
//     or text not known here is an opaque part after the text it came beside,
//     or at the end of the answer if it stood beside the choices. Plain strings
//     beside the choices are taken for labels of the server, and with scores,
//     filter results and timings they are left out.
//   - An error that comes before any choice stands alone: there is no step
//     around it.
package openaichat

import (
	"bytes"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/raw"
)

// Format is the name of the format. It is also the provider that the events
// name: whose server it was is not in the bytes.
const Format = "openai-chat"

var _ wire.Decoder = (*Decoder)(nil)

// Decoder decodes one stream. See [wire.Decoder]; the zero value is ready, and
// after Close it is ready for another stream.
//
// A delta costs time linear in its length and allocates nothing. Memory held
// is that of the largest frame, and of what must come back with a part when it
// ends (reasoning details, citations).
type Decoder struct {
	// InlineThink takes what stands between <think> and </think> in the text
	// as reasoning, however the tags are cut. It is off because a text may
	// speak of the tags; without it they stay in the text.
	InlineThink bool

	emit func(*steno.Event) // of the running call
	ev   steno.Event        // the event being emitted

	frames frame.Reader
	take   func(frame.Frame)
	bare   bool // the frame at hand stands outside of an event stream
	framed bool // something was decoded

	response

	buf   []byte // decoded text of the delta at hand
	split []byte // the same, with what a cut tag held back before it
	key   []byte
	// Unknown members of the object at hand, and of the call in it.
	extra, callExtra []member
}

// response is what is forgotten when a response ends.
type response struct {
	id, model string
	choices   map[uint32]*choice
	order     []*choice
	last      *choice // the one used last, to save the look-up
	usage     usage
	extras    extras // unknown members of whole chunks
	failed    bool   // the provider reported an error
	whole     bool   // came as one body
}

// member is a member of an object, as it stands on the wire.
type member struct{ name, value []byte }

// Decode implements [wire.Decoder].
func (d *Decoder) Decode(p []byte, emit func(*steno.Event)) {
	d.emit = emit
	if err := d.frames.Feed(p, d.taker()); err != nil {
		d.tooLarge(err)
	}
	d.emit = nil
}

// Close implements [wire.Decoder].
func (d *Decoder) Close(emit func(*steno.Event)) {
	d.emit = emit
	if err := d.frames.Close(d.taker()); err != nil {
		d.tooLarge(err)
	}
	d.end(d.whole)
	*d = Decoder{InlineThink: d.InlineThink}
}

// taker returns the function that takes frames, made once so that feeding
// allocates nothing.
func (d *Decoder) taker() func(frame.Frame) {
	if d.take == nil {
		d.take = d.frame
	}
	return d.take
}

// frame takes one frame. What the end of the input cut off is no error, the
// answer is incomplete, unless there was nothing else.
func (d *Decoder) frame(f frame.Frame) {
	data := bytes.TrimSpace(f.Data)
	d.bare = f.Bare
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		d.end(true)
	case d.value(data, string(f.Name) == "error"):
	case f.Cut && (d.framed || !f.Bare):
	default:
		d.undecoded(data)
	}
}

// undecoded reports what is no chunk. The answer goes on.
func (d *Decoder) undecoded(text []byte) {
	d.interrupt()
	d.send(steno.Event{
		Type: steno.Error, Text: "the answer holds something that is not in the format " + Format,
		Body: &steno.Failure{Raw: raw.Quote(text)},
	})
}

func (d *Decoder) tooLarge(err error) {
	d.fail(err.Error(), &steno.Failure{Code: wire.CodeTooLarge})
	d.end(false)
}

func (d *Decoder) send(e steno.Event) {
	d.ev = e
	d.emit(&d.ev)
}
