// Package ollama decodes answers of Ollama's own API, /api/chat and
// /api/generate: one JSON object a line, or one as the whole body.
//
// The format names no blocks, and any other kind closes a text. A call comes
// whole in one line; its block is "call:0", "call:1" and so on. The line that
// says done ends the answer.
package ollama

import (
	"bytes"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/lines"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// Format is the name of the format, and the provider that the events name.
const Format = "ollama"

var _ wire.Decoder = (*Decoder)(nil)

// Decoder decodes one stream. See [wire.Decoder]; the zero value is ready, and
// after Close it is ready for another stream. A delta costs time linear in its
// length and allocates nothing.
type Decoder struct {
	emit func(*steno.Event) // of the running call
	ev   steno.Event        // the event being emitted

	lines  lines.Reader
	onLine func([]byte) // method value, made once
	buf    []byte       // decoded text of the delta at hand
	// stray is lines that are no object by themselves: an object over several
	// lines, or what no one expects.
	stray  []byte
	framed bool // something was decoded
	broken bool // over the limit: nothing is decoded any more

	response
}

// response is what is forgotten when an answer ends.
type response struct {
	open   bool
	failed bool // the server reported an error
	model  string
	kind   steno.Type // of the last delta: what its next one goes on with
	carry  scan.Carry // the cut character at its end
	calls  int
	later  []steno.Block // what may not cut a text in two
}

// Decode implements [wire.Decoder].
func (d *Decoder) Decode(p []byte, emit func(*steno.Event)) {
	if d.broken {
		return
	}
	d.emit = emit
	if d.onLine == nil {
		d.onLine = d.line
	}
	if err := d.lines.Feed(p, d.onLine); err != nil {
		d.broken = true
		d.fail(err.Error(), &steno.Failure{Code: wire.CodeTooLarge})
		d.end("", false, nil)
	}
	d.emit = nil
}

// Close implements [wire.Decoder].
func (d *Decoder) Close(emit func(*steno.Event)) {
	d.emit = emit
	d.lines.Close(func(last []byte) {
		// What the end of the input cut off is no error, the answer is
		// incomplete; but it may be the last line of an object.
		if !isObject(last) && len(d.stray) == 0 && d.framed {
			return
		}
		d.line(last)
	})
	d.strays()
	d.end("", false, nil)
	*d = Decoder{}
}

// isObject reports whether data is one JSON object.
func isObject(data []byte) bool {
	return scan.Object(data, func(_, _ []byte) bool { return true })
}

// line takes one line.
func (d *Decoder) line(data []byte) {
	if !isObject(data) {
		if len(d.stray)+len(data) < wire.MaxFrame {
			d.stray = append(append(d.stray, data...), '\n')
		}
		return
	}
	d.strays()
	d.object(data)
}

// strays takes the lines that were no object by themselves.
func (d *Decoder) strays() {
	data := bytes.TrimSpace(d.stray)
	d.stray = d.stray[:0]
	switch {
	case len(data) == 0:
	case isObject(data):
		d.object(data)
	default:
		d.close()
		d.send(steno.Event{
			Type: steno.Error, Text: "the answer holds something that is not in the format " + Format,
			Body: &steno.Failure{Raw: raw.Quote(data)},
		})
	}
}

func (d *Decoder) send(e steno.Event) {
	d.ev = e
	d.emit(&d.ev)
}
