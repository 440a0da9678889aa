// Package openaichat decodes answers in the Chat Completions format, as OpenAI
// sends them and in the dialects of everyone who speaks the same format: as a
// stream of server-sent events, as one JSON body, or as an error body.
//
// The format names no blocks. Text and reasoning therefore have none, and any
// other kind closes them; a refusal has the block "refusal", and the calls of
// one answer "call:0", "call:1" and so on, because their pieces may alternate.
package openaichat

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/sse"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/raw"
)

// Format is the name of the format. It is also the provider that the events
// name: whose server it was is not in the bytes.
const Format = "openai-chat"

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

	mode    mode
	reader  sse.Reader
	onEvent func(sse.Event) // method value, made once
	stray   []byte          // lines that are no event
	body    []byte          // the whole input, where it is no event stream
	closing bool
	broken  bool // over the limit: nothing is decoded any more
	framed  bool // something was decoded

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
	whole     bool   // came as a message, not as deltas
}

// member is a member of an object, as it stands on the wire.
type member struct{ name, value []byte }

// mode is what the input was seen to be.
type mode uint8

const (
	unknown mode = iota
	stream       // server-sent events
	plain        // JSON
)

// Decode implements [wire.Decoder].
func (d *Decoder) Decode(p []byte, emit func(*steno.Event)) {
	d.emit = emit
	defer func() { d.emit = nil }()
	if d.mode == unknown {
		p = d.sniff(p)
	}
	if d.broken || len(p) == 0 {
		return
	}
	if d.mode == plain {
		if len(d.body)+len(p) > wire.MaxFrame {
			d.tooLarge(fmt.Errorf("answer larger than %d bytes", wire.MaxFrame))
			return
		}
		d.body = append(d.body, p...)
		return
	}
	if err := d.reader.Feed(p, d.onEvent); err != nil {
		d.tooLarge(err)
	}
}

// Close implements [wire.Decoder].
func (d *Decoder) Close(emit func(*steno.Event)) {
	d.emit = emit
	d.closing = true
	done := false
	switch {
	case d.broken:
	case d.mode == plain:
		done = d.values()
	case d.mode == stream:
		if err := d.reader.Close(d.onEvent); err != nil {
			d.tooLarge(err)
		}
		d.strays()
	}
	d.end(done)
	*d = Decoder{InlineThink: d.InlineThink}
}

// sniff decides what the input is by its first byte that is neither space nor
// byte order mark, and returns the input from there.
func (d *Decoder) sniff(p []byte) []byte {
	p = bytes.TrimLeft(p, " \t\r\n")
	for len(p) > 0 && (p[0] == 0xEF || p[0] == 0xBB || p[0] == 0xBF) {
		p = bytes.TrimLeft(p[1:], " \t\r\n")
	}
	switch {
	case len(p) == 0:
	case p[0] == '{' || p[0] == '[':
		d.mode = plain
	default:
		d.mode = stream
		d.onEvent = d.event
	}
	return p
}

// event takes one server-sent event.
func (d *Decoder) event(e sse.Event) {
	if e.Stray != nil {
		if len(d.stray)+len(e.Stray) < wire.MaxFrame {
			d.stray = append(append(d.stray, e.Stray...), '\n')
		}
		return
	}
	d.strays()
	data := bytes.TrimSpace(e.Data)
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		d.end(true)
	case !d.frame(data, string(e.Name) == "error") && !e.Unterminated:
		d.undecoded(data)
	}
}

// strays takes the lines that were no event: some servers put an error body
// into the stream as it is. What was cut by the end of the input is no error.
func (d *Decoder) strays() {
	if len(d.stray) == 0 {
		return
	}
	text := bytes.TrimSpace(d.stray)
	d.stray = d.stray[:0]
	if !d.frame(text, false) && !(d.closing && d.framed) {
		d.undecoded(text)
	}
}

// values takes a body that is no event stream: mostly one JSON value, but some
// tools write one chunk a line. It reports whether the answer came whole.
func (d *Decoder) values() bool {
	dec := jsontext.NewDecoder(bytes.NewReader(d.body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		v, err := dec.ReadValue()
		if errors.Is(err, io.EOF) {
			return d.whole
		}
		if err != nil {
			if !d.framed {
				d.undecoded(d.body)
			}
			return false
		}
		if !d.frame(v, false) {
			d.undecoded(v)
		}
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
	d.broken = true
	d.fail(err.Error(), &steno.Failure{})
	d.end(false)
}

func (d *Decoder) send(e steno.Event) {
	d.ev = e
	d.emit(&d.ev)
}
