// Package sse reads and writes server-sent events as bytes.
//
// Both sides follow the event stream format of the HTML standard. The reader
// differs from a browser's in three points, because a record must not lose
// what a page may ignore: an event that no blank line ends is delivered when
// the input ends, a line that is no field is reported, and an event above
// [MaxEvent] is an error instead of memory without bound.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// MaxEvent is the largest event, and the largest line, a [Reader] takes, in
// bytes.
const MaxEvent = 64 << 20

// ErrTooLarge is returned for an event or a line above [MaxEvent].
var ErrTooLarge = errors.New("server-sent event too large")

// Event is one event, or one line that belongs to none.
type Event struct {
	// Name is the event's type, empty where the stream gave none (which means
	// "message").
	Name []byte
	// ID is the last event id in force, given with this event or an earlier one.
	ID []byte
	// Data is the payload: the data lines joined by LF.
	Data []byte

	// Stray is a whole line that is no field of an event stream. The other
	// fields are then empty.
	Stray []byte
	// Unterminated says that the input ended before the blank line that ends
	// an event: its data may be incomplete.
	Unterminated bool
}

// Reader cuts a stream of bytes into events. The zero value is ready to use.
// It is for one stream and one goroutine at a time.
//
// How the bytes are cut never changes the events. The cost is linear in the
// bytes fed; nothing is allocated per event once the buffers have grown to the
// largest event so far.
type Reader struct {
	line []byte // the beginning of a line that is not complete yet
	name []byte
	data []byte
	id   []byte // in force
	next []byte // in force once the event it came with is dispatched

	retry   time.Duration
	begun   bool // past the place where a byte order mark may stand
	afterCR bool // the next byte, if it is LF, belongs to the line end before
	hasData bool
	limit   int // MaxEvent if 0
	err     error
}

var mark = []byte("\uFEFF")

// ID returns the id of the last event that was dispatched: where a reader that
// lost its connection goes on. It is valid until the next Feed and survives
// Close.
func (r *Reader) ID() []byte { return r.id }

// Retry returns the pause before reconnecting that the stream asked for last,
// or 0. It survives Close.
func (r *Reader) Retry() time.Duration { return r.retry }

// Feed takes the next bytes and passes every event they complete to emit. The
// event's bytes are borrowed: they are valid only until emit returns. Feed
// keeps no reference to p.
//
// The only error is [ErrTooLarge]; it is final, and the rest of p and all
// later input is dropped.
func (r *Reader) Feed(p []byte, emit func(Event)) error {
	if r.err != nil {
		return r.err
	}
	if !r.begun {
		if p = r.begin(p); !r.begun {
			return nil
		}
	}
	// Both line ends are searched once: each stays valid over the others before it.
	lf, cr := -1, -1
	for pos := 0; pos < len(p); {
		if r.afterCR {
			r.afterCR = false
			if p[pos] == '\n' {
				pos++
				continue
			}
		}
		if lf < pos {
			lf = next(p, pos, '\n')
		}
		if cr < pos {
			cr = next(p, pos, '\r')
		}
		end := min(lf, cr)
		r.afterCR = cr < lf
		if !r.fits(len(r.line) + end - pos) {
			return r.err
		}
		if end == len(p) {
			r.line = append(r.line, p[pos:]...)
			return nil
		}
		line := p[pos:end]
		if len(r.line) > 0 {
			r.line = append(r.line, line...)
			line = r.line
		}
		r.take(line, emit)
		r.line = r.line[:0]
		if r.err != nil {
			return r.err
		}
		pos = end + 1
	}
	return nil
}

// next returns the index of the first c in p from pos on, or its length.
func next(p []byte, pos int, c byte) int {
	if i := bytes.IndexByte(p[pos:], c); i >= 0 {
		return pos + i
	}
	return len(p)
}

// Close says that the input has ended. A last line without an end is taken as
// a line, and an event that was not terminated is delivered and marked so. The
// reader is then ready for another stream.
func (r *Reader) Close(emit func(Event)) error {
	if r.err == nil && len(r.line) > 0 {
		r.take(r.line, emit)
	}
	err := r.err
	if err == nil && r.hasData {
		emit(Event{Name: r.name, ID: r.next, Data: r.data, Unterminated: true})
	}
	*r = Reader{
		line: r.line[:0], name: r.name[:0], data: r.data[:0],
		id: r.id, next: append(r.next[:0], r.id...), retry: r.retry, limit: r.limit,
	}
	return err
}

// begin skips a byte order mark at the very start and returns what follows.
func (r *Reader) begin(p []byte) []byte {
	n := len(r.line) // a prefix of the mark
	for _, c := range p {
		if n == len(mark) {
			break
		}
		if c != mark[n] {
			// No mark after all: what was held back is text.
			r.begun = true
			return p
		}
		n++
	}
	taken := n - len(r.line)
	if n < len(mark) {
		r.line = append(r.line, p[:taken]...)
		return nil
	}
	r.begun = true
	r.line = r.line[:0]
	return p[taken:]
}

func (r *Reader) fits(n int) bool {
	limit := r.limit
	if limit == 0 {
		limit = MaxEvent
	}
	if n <= limit {
		return true
	}
	r.err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	r.line, r.name, r.data, r.hasData = nil, nil, nil, false
	return false
}

// take handles one line, without its end.
func (r *Reader) take(line []byte, emit func(Event)) {
	if len(line) == 0 {
		r.dispatch(emit)
		return
	}
	if line[0] == ':' {
		return
	}
	field, value := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		field, value = line[:i], line[i+1:]
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(field) {
	case "data":
		if !r.fits(len(r.data) + 1 + len(value)) {
			return
		}
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData = true
	case "event":
		r.name = append(r.name[:0], value...)
	case "id":
		// An id with NUL in it is void.
		if bytes.IndexByte(value, 0) < 0 {
			r.next = append(r.next[:0], value...)
		}
	case "retry":
		if d, ok := millis(value); ok {
			r.retry = d
		}
	default:
		emit(Event{Stray: line[:len(line):len(line)]}) // appending to it must not write into p
	}
}

func (r *Reader) dispatch(emit func(Event)) {
	r.id = append(r.id[:0], r.next...)
	if r.hasData {
		emit(Event{Name: r.name, ID: r.id, Data: r.data})
	}
	r.name, r.data, r.hasData = r.name[:0], r.data[:0], false
}

// millis reads digits only, as the standard asks; a pause beyond a day is none.
func millis(p []byte) (time.Duration, bool) {
	var n time.Duration
	for _, c := range p {
		if c < '0' || c > '9' || n > 24*60*60*1000 {
			return 0, false
		}
		n = n*10 + time.Duration(c-'0')
	}
	return n * time.Millisecond, len(p) > 0
}
