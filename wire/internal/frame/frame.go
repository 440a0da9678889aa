// Package frame cuts a provider's answer into JSON values, whatever carries
// them: server-sent events, one JSON body, an array of bodies that grows as
// the answer does, or an error body that a proxy wrote into an event stream.
package frame

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/sse"
	"github.com/stenolog/steno/wire"
)

// Frame is one piece of an answer. Its bytes are borrowed until emit returns.
type Frame struct {
	// Name is the event's name, empty outside of an event stream.
	Name []byte
	// Data is what the frame holds: JSON, as far as the provider kept to it.
	Data []byte
	// Bare says that the frame stood outside of any event: a whole body, an
	// element of one, or text that has no place in an event stream.
	Bare bool
	// Cut says that the input ended within or just after the frame, so that
	// it may not be whole.
	Cut bool
}

// Reader cuts bytes into frames. The zero value is ready. How the bytes are
// cut never changes the frames. The cost is linear, and no frame allocates
// once the buffers have grown to the largest.
type Reader struct {
	mode   mode
	lead   []byte // blanks before the first byte that tells the mode
	events sse.Reader
	values Splitter
	stray  []byte // lines that belong to no event, until they are a value
	failed bool
	emit   func(Frame)
	take   func(sse.Event)
	bare   func([]byte)
}

type mode uint8

const (
	undecided mode = iota
	eventStream
	bareValues
)

// Feed takes the next bytes and passes every frame they complete to emit. The
// only error is [steno.ErrTooLarge], for a frame above [wire.MaxFrame]; it is
// final and given once, and what comes after it is dropped.
func (r *Reader) Feed(p []byte, emit func(Frame)) error {
	if r.failed {
		return nil
	}
	if r.mode == undecided {
		if p = r.decide(p); len(p) == 0 {
			return nil
		}
	}
	r.begin(emit)
	var err error
	if r.mode == bareValues {
		err = r.values.Feed(p, r.bare)
	} else {
		err = r.events.Feed(p, r.take)
	}
	return r.check(err)
}

// Close says that the input has ended and passes on what is left.
func (r *Reader) Close(emit func(Frame)) error {
	if r.failed {
		return nil
	}
	r.begin(emit)
	var err error
	if r.mode == eventStream {
		err = r.events.Close(r.take)
		r.flushStray(true)
	}
	if rest := r.values.Close(); len(rest) > 0 && err == nil {
		emit(Frame{Data: rest, Bare: true, Cut: true})
	}
	return r.check(err)
}

func (r *Reader) check(err error) error {
	if err == nil {
		return nil
	}
	r.failed = true
	return fmt.Errorf("%w: a frame of more than %d bytes", steno.ErrTooLarge, wire.MaxFrame)
}

// decide looks for the first byte that is no blank: a body begins with a brace
// or a bracket, an event stream never does. It returns what is to be read.
func (r *Reader) decide(p []byte) []byte {
	p = append(r.lead, p...)
	r.lead = nil
	rest := bytes.TrimLeft(p, " \t\r\n")
	if m := "\uFEFF"; len(rest) < len(m) && strings.HasPrefix(m, string(rest)) {
		r.lead = p
		return nil
	}
	body := bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("\uFEFF")), " \t\r\n")
	switch {
	case len(body) == 0:
		r.lead = p
		return nil
	case body[0] == '{' || body[0] == '[':
		r.mode = bareValues
		return body
	}
	r.mode = eventStream
	return p
}

var newline = []byte("\n")

// begin makes the functions that take what is read, once, so that feeding
// allocates nothing.
func (r *Reader) begin(emit func(Frame)) {
	r.emit = emit
	if r.take == nil {
		r.take = r.event
		r.bare = func(value []byte) { r.emit(Frame{Data: value, Bare: true}) }
	}
}

func (r *Reader) event(e sse.Event) {
	if e.Stray != nil {
		r.addStray(e.Stray)
		return
	}
	r.flushStray(false)
	r.emit(Frame{Name: e.Name, Data: e.Data, Cut: e.Unterminated})
}

// addStray takes a line that is no field of an event. Lines that begin like
// JSON are put together again into a value.
func (r *Reader) addStray(line []byte) {
	if len(r.stray) == 0 && !r.values.Open() {
		if t := bytes.TrimLeft(line, " \t"); len(t) == 0 || t[0] != '{' && t[0] != '[' {
			r.stray = append(r.stray, line...)
			return
		}
	}
	if len(r.stray) > 0 {
		if len(r.stray)+len(line) < wire.MaxFrame {
			r.stray = append(append(r.stray, '\n'), line...)
		}
		return
	}
	err := r.values.Feed(line, r.bare)
	if err == nil {
		err = r.values.Feed(newline, r.bare)
	}
	if err != nil {
		r.values = Splitter{}
	}
}

// flushStray passes on lines that did not become a value.
func (r *Reader) flushStray(end bool) {
	if len(r.stray) > 0 {
		r.emit(Frame{Data: r.stray, Bare: true, Cut: end})
		r.stray = r.stray[:0]
	}
	if rest := r.values.Close(); len(rest) > 0 {
		r.emit(Frame{Data: rest, Bare: true, Cut: end})
	}
}
