// Package lines cuts a stream of bytes into lines, for formats that hold one
// JSON value a line.
package lines

import (
	"bytes"
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

// Reader cuts bytes into lines. The zero value is ready. How the bytes are cut
// never changes the lines; the cost is linear, and nothing is allocated once
// the buffer has grown to the longest line that came in pieces.
type Reader struct {
	part   []byte // the beginning of a line
	limit  int    // wire.MaxFrame if 0
	failed bool
}

var newline = []byte("\n")

// Feed takes the next bytes and passes each line that they complete to emit,
// without its end and the blanks around it. Blank lines are left out. A line
// is borrowed until emit returns; Feed keeps no reference to p. The only error
// is [steno.ErrTooLarge], for a line above [wire.MaxFrame]. It is given once,
// and what comes after it is dropped.
func (r *Reader) Feed(p []byte, emit func(line []byte)) error {
	for len(p) > 0 && !r.failed {
		line, rest, ended := bytes.Cut(p, newline)
		if !ended {
			return r.keep(line)
		}
		if err := r.fits(line); err != nil {
			return err
		}
		if len(r.part) > 0 {
			r.part = append(r.part, line...)
			line = r.part
		}
		pass(line, emit)
		r.part, p = r.part[:0], rest
	}
	return nil
}

// Close passes on a last line that has no end, and makes the reader ready for
// another stream.
func (r *Reader) Close(emit func(line []byte)) {
	pass(r.part, emit)
	*r = Reader{limit: r.limit, part: r.part[:0]}
}

func (r *Reader) keep(p []byte) error {
	if err := r.fits(p); err != nil {
		return err
	}
	r.part = append(r.part, p...)
	return nil
}

// fits checks that the line is within the limit with p in it.
func (r *Reader) fits(p []byte) error {
	limit := r.limit
	if limit == 0 {
		limit = wire.MaxFrame
	}
	if len(r.part)+len(p) <= limit {
		return nil
	}
	r.failed, r.part = true, nil
	return fmt.Errorf("%w: a line of more than %d bytes", steno.ErrTooLarge, limit)
}

func pass(line []byte, emit func([]byte)) {
	if line = bytes.TrimSpace(line); len(line) > 0 {
		emit(line)
	}
}
