package bedrock

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

// A message of the vnd.amazon.eventstream encoding is a prelude (total length,
// length of the headers, CRC of these eight bytes), the headers, the payload,
// and a CRC of all before it. Numbers are big-endian, CRCs are CRC-32 (IEEE).
const (
	preludeSize = 12
	trailerSize = 4
)

// message is one message. Its bytes are borrowed.
type message struct {
	// kind is ":message-type": event, exception or error.
	kind []byte
	// name is the type of the event or exception, or the code of an error.
	name []byte
	// text is the message of an error, which has no payload.
	text    []byte
	payload []byte
}

// reader cuts bytes into messages. The zero value is ready. It buffers a
// message only while it is incomplete; the cost is linear.
type reader struct {
	buf []byte
	m   message // the last one, kept here so that none is allocated
}

// feed passes each message that p completes to emit. An error is final: where
// the next message begins is not known any more. It wraps [steno.ErrTooLarge]
// or [steno.ErrCorrupt].
func (r *reader) feed(p []byte, emit func(*message)) error {
	for len(p) > 0 {
		data := p
		if len(r.buf) > 0 || len(p) < preludeSize {
			p = r.fill(p, preludeSize)
			data = r.buf
		}
		if len(data) < preludeSize {
			return nil
		}
		total, err := prelude(data)
		if err != nil {
			return err
		}
		if len(r.buf) > 0 {
			p = r.fill(p, total)
			data = r.buf
		}
		if len(data) < total {
			if len(r.buf) == 0 {
				r.buf = append(r.buf, data...)
			}
			return nil
		}
		if err := r.parse(data[:total], emit); err != nil {
			return err
		}
		if len(r.buf) > 0 {
			r.buf = r.buf[:0]
		} else {
			p = p[total:]
		}
	}
	return nil
}

// fill moves bytes from p into the buffer until it holds n, and returns the
// rest of p.
func (r *reader) fill(p []byte, n int) []byte {
	take := max(min(n-len(r.buf), len(p)), 0)
	r.buf = append(r.buf, p[:take]...)
	return p[take:]
}

// prelude checks the beginning of a message and returns its length.
func prelude(p []byte) (int, error) {
	if crc32.ChecksumIEEE(p[:8]) != binary.BigEndian.Uint32(p[8:]) {
		return 0, fmt.Errorf("%w: an event stream message with a wrong prelude checksum", steno.ErrCorrupt)
	}
	total, headers := binary.BigEndian.Uint32(p), binary.BigEndian.Uint32(p[4:])
	if total > wire.MaxFrame {
		return 0, fmt.Errorf("%w: an event stream message of %d bytes, more than %d", steno.ErrTooLarge, total, wire.MaxFrame)
	}
	if total < preludeSize+trailerSize || headers > total-preludeSize-trailerSize {
		return 0, fmt.Errorf("%w: an event stream message of %d bytes with %d of headers", steno.ErrCorrupt, total, headers)
	}
	return int(total), nil
}

func (r *reader) parse(p []byte, emit func(*message)) error {
	end := len(p) - trailerSize
	if crc32.ChecksumIEEE(p[:end]) != binary.BigEndian.Uint32(p[end:]) {
		return fmt.Errorf("%w: an event stream message with a wrong checksum", steno.ErrCorrupt)
	}
	payload := preludeSize + int(binary.BigEndian.Uint32(p[4:]))
	r.m = message{payload: p[payload:end]}
	if !r.m.readHeaders(p[preludeSize:payload]) {
		return fmt.Errorf("%w: an event stream message with malformed headers", steno.ErrCorrupt)
	}
	emit(&r.m)
	return nil
}

// The types of header values that have a length of their own. The others have
// a fixed one.
const (
	headerBytes  = 6
	headerString = 7
)

var fixedSize = [...]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}

func (m *message) readHeaders(p []byte) bool {
	for len(p) > 0 {
		n := int(p[0])
		if len(p) < 2+n {
			return false
		}
		name, kind := p[1:1+n], int(p[1+n])
		p = p[2+n:]
		var size int
		switch {
		case kind == headerBytes || kind == headerString:
			if len(p) < 2 {
				return false
			}
			size = int(binary.BigEndian.Uint16(p))
			p = p[2:]
		case kind < len(fixedSize):
			size = fixedSize[kind]
		default:
			return false
		}
		if len(p) < size {
			return false
		}
		if kind == headerString {
			m.header(name, p[:size])
		}
		p = p[size:]
	}
	return true
}

func (m *message) header(name, value []byte) {
	switch string(name) {
	case ":message-type":
		m.kind = value
	case ":event-type", ":exception-type", ":error-code":
		m.name = value
	case ":error-message":
		m.text = value
	}
}
