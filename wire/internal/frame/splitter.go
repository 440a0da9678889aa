package frame

import (
	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

// Splitter cuts a stream of bytes into top-level JSON values, and a top-level
// array into its elements, each as soon as it is complete. The zero value is
// ready.
type Splitter struct {
	buf     []byte // the value so far, if it began in an earlier piece
	depth   int
	inside  bool // within a value
	text    bool // within a string
	escape  bool // after a backslash
	scalar  bool // the value is neither object, array nor string
	inArray bool // within the top-level array
}

// Open reports whether a value or the top-level array has begun and not ended.
func (s *Splitter) Open() bool { return s.inside || s.inArray }

// Feed passes each value that p completes to emit, which borrows it.
func (s *Splitter) Feed(p []byte, emit func(value []byte)) error {
	start := 0
	for i, c := range p {
		if !s.inside {
			if s.between(c) {
				continue
			}
			start = i
		}
		end, over := s.step(c)
		if !over {
			continue
		}
		value := p[start : i+end]
		if len(s.buf) > 0 {
			s.buf = append(s.buf, value...)
			value = s.buf
		}
		if len(value) > wire.MaxFrame {
			return steno.ErrTooLarge
		}
		emit(value)
		s.buf = s.buf[:0]
		s.inside, s.scalar = false, false
		if end == 0 { // a scalar is ended by a byte that is not its own
			s.between(c)
		}
	}
	if s.inside {
		if len(s.buf)+len(p)-start > wire.MaxFrame {
			return steno.ErrTooLarge
		}
		s.buf = append(s.buf, p[start:]...)
	}
	return nil
}

// Close returns what was left of a value that did not end, and resets s.
func (s *Splitter) Close() []byte {
	rest := s.buf
	*s = Splitter{buf: rest[:0]}
	return rest
}

// between takes a byte that stands between values and reports whether it does;
// otherwise it begins a value.
func (s *Splitter) between(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',':
		return true
	case ']':
		s.inArray = false
		return true
	case '[':
		if !s.inArray {
			s.inArray = true
			return true
		}
	}
	s.inside = true
	s.scalar = c != '{' && c != '[' && c != '"'
	return false
}

// step takes the next byte of a value. It reports whether the value is over,
// and whether c is its last byte (1) or stands behind it (0).
func (s *Splitter) step(c byte) (end int, over bool) {
	if s.text {
		switch {
		case s.escape:
			s.escape = false
		case c == '\\':
			s.escape = true
		case c == '"':
			s.text = false
			return 1, s.depth == 0
		}
		return 0, false
	}
	if s.scalar {
		switch c {
		case ' ', '\t', '\r', '\n', ',', ']':
			return 0, true
		}
		return 0, false
	}
	switch c {
	case '"':
		s.text = true
	case '{', '[':
		s.depth++
	case '}', ']':
		s.depth--
		return 1, s.depth <= 0
	}
	return 0, false
}
