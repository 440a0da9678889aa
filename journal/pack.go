package journal

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/stenolog/steno"
)

// SegmentSize is the length of the uncompressed events at which a [Packer] is
// full. It bounds the memory that reading a segment takes; only a single
// larger run makes a larger segment.
const SegmentSize = 4 << 20

// maxRun bounds a run: one event may be as large as MaxEvent and stand alone.
const maxRun = MaxEvent + 1<<20

// maxUnpacked bounds what a segment may unpack to: less than SegmentSize, and
// one more run.
const maxUnpacked = SegmentSize + maxRun

// packer is shared: EncodeAll is safe for concurrent use.
var packer = func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	return w
}()

// Packer makes one segment of consecutive runs. The events of the segment are
// those of the runs in every byte: what this version does not understand in
// them, it copies. The zero value is ready; one packer makes one segment.
type Packer struct {
	first, at int64
	count     int
	in        Decoder
	out       encoder
	events    []byte
}

// Len returns the length of the events so far, uncompressed; see [SegmentSize].
func (p *Packer) Len() int { return len(p.events) }

// Add appends the events of a run, which must stay unchanged until the segment
// is made. It returns an error that wraps [steno.ErrCorrupt] for a damaged run
// and [steno.ErrGap] for one that does not follow the last; p is then of no
// more use.
func (p *Packer) Add(run []byte) error {
	if err := p.in.Reset(run); err != nil {
		return err
	}
	h := p.in.Header()
	switch {
	case h.Packed:
		return fmt.Errorf("pack: run %d is a segment: %w", h.First, steno.ErrUnsupported)
	case p.count == 0:
		p.first, p.at = h.First, h.At
		p.out.reset(h.At)
	case h.First != p.first+int64(p.count):
		return fmt.Errorf("pack: run %d after event %d: %w", h.First, p.first+int64(p.count)-1, steno.ErrGap)
	}
	for p.in.left > 0 {
		if err := p.in.raw(); err != nil {
			return err
		}
		p.events = p.out.raw(p.events, p.in.code, p.in.name, &p.in.event, p.in.body)
	}
	p.count += h.Count
	return nil
}

// AppendSegment appends the segment of all runs that were added to dst and
// returns the longer slice. There must be at least one.
func (p *Packer) AppendSegment(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, kindSegment)
	dst = binary.AppendUvarint(dst, uint64(p.first))
	dst = binary.AppendUvarint(dst, uint64(p.count))
	dst = binary.AppendVarint(dst, p.at)
	dst = binary.AppendUvarint(dst, uint64(len(p.events)))
	dst = packer.EncodeAll(p.events, dst)
	return seal(dst, start)
}
