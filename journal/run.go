package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/stenolog/steno"
)

// The written form of events. A run holds the events of one commit, a segment
// those of many runs in the same form, compressed. Both are
//
//	kind     1 byte    kindRun or kindSegment
//	first    uvarint   seq of the first event
//	count    uvarint   number of events, at least 1
//	at       varint    At of the first event
//	size     uvarint   segments only: length of the events uncompressed
//	events             as below; in a segment as one zstd frame
//	checksum 4 bytes   CRC-32C of all before it, little endian
//
// and an event is
//
//	code     1 byte    its type by codes, or 0 and a string: its type by name
//	mask     uvarint   which fields follow, in the order of the bits
//	fields
//
// A field without its bit has the value it had in the event before, except
// text, body and whole, which are absent. Times are signed differences to the
// event before; numbers are uvarints; text and body are a length and bytes. A
// string is a reference: 0 and a length and bytes for one that is new in this
// run, else one more than its place among them, where place 0 is "". The seq
// of an event is not written: it is first plus its index.
const (
	kindRun     = 1
	kindSegment = 2
)

const (
	hasAt = 1 << iota
	hasText
	hasPart
	hasBlock
	hasCall
	hasBody
	hasMessage // the last bit of a one-byte mask; what a delta needs stands before it
	hasName
	hasTurn
	hasStep
	hasAttempt
	hasChoice
	isWhole
	maskEnd
)

// MaxEvent is the largest event that can be written, in bytes of its written
// form. Larger contents belong in a blob.
const MaxEvent = 64 << 20

const (
	checksumLen = 4
	minEventLen = 2 // code and mask
	minRunLen   = 1 + 1 + 1 + 1 + minEventLen + checksumLen
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errMalformed is the reason given for bytes that pass their checksum, or have
// none to pass, and still are no run.
var errMalformed = errors.New("malformed run")

// errChecksum is the reason given for bytes that fail their checksum.
var errChecksum = errors.New("checksum mismatch")

func seal(dst []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// Header describes a run or segment without its events.
type Header struct {
	// First is the seq of the first event and Count the number of events.
	First int64
	Count int
	// At is when the first event was recorded, in milliseconds since the epoch.
	At int64
	// Packed says that it is a compressed segment.
	Packed bool
}

// Last returns the seq of the last event.
func (h Header) Last() int64 { return h.First + int64(h.Count) - 1 }

// ReadHeader verifies the checksum of a run or segment and returns its header.
// It returns an error that wraps [steno.ErrCorrupt] for bytes that are not
// exactly what was written.
func ReadHeader(data []byte) (Header, error) {
	h, _, _, err := readHeader(data)
	return h, err
}

// readHeader also returns the bytes after the header and, for a segment, their
// length once uncompressed.
func readHeader(data []byte) (h Header, rest []byte, size int, err error) {
	if len(data) < minRunLen {
		return h, nil, 0, corrupt(errMalformed)
	}
	end := len(data) - checksumLen
	if crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return h, nil, 0, corrupt(errChecksum)
	}
	c := cursor{data: data[1:end]}
	first, count, at := c.uvarint(), c.uvarint(), c.varint()
	limit := uint64(len(c.data))
	switch data[0] {
	case kindRun:
	case kindSegment:
		h.Packed = true
		limit = c.uvarint()
		if limit > maxUnpacked {
			c.bad = true
		}
	default:
		return h, nil, 0, fmt.Errorf("run of kind %d: %w", data[0], steno.ErrUnsupported)
	}
	if c.bad || first < 1 || first > 1<<62 || count < 1 || count > limit/minEventLen {
		return h, nil, 0, corrupt(errMalformed)
	}
	h.First, h.Count, h.At = int64(first), int(count), at
	return h, c.data, int(limit), nil
}

func corrupt(reason error) error { return fmt.Errorf("%w: %w", steno.ErrCorrupt, reason) }

// cursor takes values from the front of data. After the first that is not
// there it is bad and gives zeroes.
type cursor struct {
	data []byte
	bad  bool
}

func (c *cursor) byte() byte {
	if len(c.data) == 0 {
		c.bad = true
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *cursor) uvarint() uint64 {
	if len(c.data) > 0 && c.data[0] < 0x80 {
		v := uint64(c.data[0])
		c.data = c.data[1:]
		return v
	}
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.bad, c.data = true, nil
		return 0
	}
	c.data = c.data[n:]
	return v
}

func (c *cursor) varint() int64 {
	u := c.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (c *cursor) uint32() uint32 {
	v := c.uvarint()
	if v > 1<<32-1 {
		c.bad = true
	}
	return uint32(v)
}

// bytes takes a length and as many bytes. They alias data.
func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.bad, c.data = true, nil
		return nil
	}
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}
