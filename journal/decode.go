package journal

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"github.com/stenolog/steno"
)

// Decoder reads the events of a run or a segment. The zero value is ready for
// Reset. It allocates nothing for events without a body once its buffers have
// grown, and never more than a small multiple of the bytes it is given or, in
// a segment, of the length that those state.
type Decoder struct {
	header Header
	in     cursor
	prev   carried
	dict   []string
	left   int
	event  steno.Event
	code   byte
	name   string
	body   []byte
	plain  []byte // uncompressed events of a segment
}

// unpacker is shared: DecodeAll is safe for concurrent use. A frame that claims
// to be larger than a segment can be is refused before memory is taken for it.
var unpacker = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}()

// Reset verifies data and makes d read its events from the first on. The data
// must stay unchanged until the last event has been used, since events alias it.
//
// It returns an error that wraps [steno.ErrCorrupt] for bytes that are not
// exactly what was written.
func (d *Decoder) Reset(data []byte) error {
	h, rest, size, err := readHeader(data)
	if err != nil {
		return err
	}
	if h.Packed {
		if d.plain, err = unpacker.DecodeAll(rest, d.plain[:0]); err != nil {
			return corrupt(err)
		}
		if len(d.plain) != size {
			return corrupt(errMalformed)
		}
		rest = d.plain
	}
	d.header, d.left = h, h.Count
	d.in = cursor{data: rest}
	d.prev = carried{at: h.At}
	d.dict = append(d.dict[:0], "")
	return nil
}

// Header returns what the run says of itself.
func (d *Decoder) Header() Header { return d.header }

// Next returns the next event, or nil after the last. The event and its
// strings are valid until the next call; its body may be kept.
//
// An error wraps [steno.ErrCorrupt] and is final.
func (d *Decoder) Next() (*steno.Event, error) {
	if d.left == 0 {
		if d.in.bad || len(d.in.data) > 0 {
			return nil, corrupt(errMalformed)
		}
		return nil, nil
	}
	if err := d.raw(); err != nil {
		return nil, err
	}
	if err := d.interpret(); err != nil {
		return nil, err
	}
	return &d.event, nil
}

// raw reads an event, its type as code or name and its body as bytes.
func (d *Decoder) raw() error {
	in, p, e := &d.in, &d.prev, &d.event
	d.code, d.name, d.body = in.byte(), "", nil
	if d.code == byName {
		d.name = d.string()
	}
	mask := in.uvarint()
	if mask&hasAt != 0 {
		p.at += in.varint()
	}
	e.Text = ""
	if mask&hasText != 0 {
		e.Text = alias(in.bytes())
	}
	if mask&^(hasAt|hasText) != 0 {
		d.rare(mask)
	}
	if in.bad || mask >= maskEnd {
		d.left = 0
		return corrupt(errMalformed)
	}
	e.Seq = d.header.First + int64(d.header.Count-d.left)
	d.left--
	e.At, e.Turn, e.Step, e.Attempt, e.Choice = p.at, p.turn, p.step, p.attempt, p.choice
	e.Message, e.Part, e.Block, e.Call, e.Name = p.message, p.part, p.block, p.call, p.name
	e.Whole = mask&isWhole != 0
	return nil
}

// rare reads the fields that most events have in common with the one before.
func (d *Decoder) rare(mask uint64) {
	in, p := &d.in, &d.prev
	if mask&hasPart != 0 {
		p.part = d.string()
	}
	if mask&hasBlock != 0 {
		p.block = d.string()
	}
	if mask&hasCall != 0 {
		p.call = d.string()
	}
	if mask&hasBody != 0 {
		d.body = in.bytes()
	}
	if mask&hasMessage != 0 {
		p.message = d.string()
	}
	if mask&hasName != 0 {
		p.name = d.string()
	}
	if mask&hasTurn != 0 {
		p.turn = in.uint32()
	}
	if mask&hasStep != 0 {
		p.step = in.uint32()
	}
	if mask&hasAttempt != 0 {
		p.attempt = in.uint32()
	}
	if mask&hasChoice != 0 {
		p.choice = in.uint32()
	}
}

// interpret gives the event its type and body from their written forms.
func (d *Decoder) interpret() error {
	e := &d.event
	e.Body = nil
	if e.Type = typesByCode[d.code]; d.code == byName {
		e.Type = steno.TypeNamed(d.name)
	} else if e.Type == steno.Unknown {
		return fmt.Errorf("event %d: type code %d: %w", e.Seq, d.code, steno.ErrUnsupported)
	}
	if e.Type == steno.Unknown {
		u := &steno.Unrecognised{Name: strings.Clone(d.name)}
		if d.body != nil {
			u.Raw = append(jsontext.Value{}, d.body...)
		}
		e.Body = u
		return nil
	}
	if d.body == nil {
		return nil
	}
	b := steno.NewBody(e.Type)
	if b == nil {
		return fmt.Errorf("event %d: %s carries no body: %w", e.Seq, e.Type, steno.ErrCorrupt)
	}
	if err := json.Unmarshal(d.body, b, asItCame); err != nil {
		return fmt.Errorf("event %d (%s): body: %w: %w", e.Seq, e.Type, steno.ErrCorrupt, err)
	}
	e.Body = b
	return nil
}

func (d *Decoder) string() string {
	ref := d.in.uvarint()
	if ref == 0 {
		s := alias(d.in.bytes())
		d.dict = append(d.dict, s)
		return s
	}
	if ref > uint64(len(d.dict)) {
		d.in.bad = true
		return ""
	}
	return d.dict[ref-1]
}

// alias returns b as a string without copying. The string is borrowed.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
