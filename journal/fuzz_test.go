package journal_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/journaltest"
)

// sealed puts a right checksum behind data, so that what follows is tested too.
func sealed(data []byte) []byte {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(append([]byte{}, data...), sum)
}

// FuzzDecoder gives the decoder bytes whose checksum is right: it must not
// panic, not go on after an error, and not make more events than bytes.
func FuzzDecoder(f *testing.F) {
	add := func(data []byte) { f.Add(data[:len(data)-4]) }
	run, err := journal.AppendRun(nil, oneOfEach())
	if err != nil {
		f.Fatal(err)
	}
	add(run)
	var p journal.Packer
	if err := p.Add(run); err != nil {
		f.Fatal(err)
	}
	add(p.AppendSegment(nil))
	small, err := journal.AppendRun(nil, journaltest.Deltas(1, 3))
	if err != nil {
		f.Fatal(err)
	}
	add(small)
	f.Add([]byte("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x0c\x00"))             // a count that cannot be
	f.Add([]byte("\x01\x01\x01\x00\x0c\x02\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))         // a text that cannot be
	f.Add([]byte("\x02\x01\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x28\xb5\x2f\xfd")) // a size that cannot be
	f.Add([]byte("\x01\x01\x01\x00\x0c\x04\x63\x00"))                                     // a string that was never written
	f.Fuzz(func(t *testing.T, data []byte) {
		var d journal.Decoder
		if err := d.Reset(sealed(data)); err != nil {
			return
		}
		h := d.Header()
		if h.First < 1 || h.Last() < h.First || !h.Packed && h.Count > len(data) {
			t.Fatalf("header %+v of %d bytes", h, len(data))
		}
		for n := 0; n < 1<<12; n++ { // a small segment may rightly hold millions
			e, err := d.Next()
			if err != nil {
				if !errors.Is(err, steno.ErrCorrupt) && !errors.Is(err, steno.ErrUnsupported) {
					t.Fatalf("unmatched error: %v", err)
				}
				return
			}
			if e == nil {
				if n != h.Count {
					t.Fatalf("%d events, the header says %d", n, h.Count)
				}
				return
			}
			if e.Seq != h.First+int64(n) {
				t.Fatalf("event %d has seq %d", n, e.Seq)
			}
		}
	})
}

// TestFormatIsFixed compares with runs that were written when the format was
// made: what is on users' disks must be read for ever, and what this version
// writes must be readable by those before it.
func TestFormatIsFixed(t *testing.T) {
	run := encode(t, oneOfEach())
	path := filepath.Join("testdata", "run-1.bin")
	if os.Getenv("STENO_UPDATE") != "" {
		if err := os.WriteFile(path, run, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(oneOfEach(), decode(t, golden)); diff != "" {
		t.Errorf("reading (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(golden, run); diff != "" {
		t.Errorf("writing (-want +got):\n%s", diff)
	}
}

// TestUnknownFieldsSurvivePacking changes a name inside a body to one no
// version knows. Packing must not lose it, though no event shows it.
func TestUnknownFieldsSurvivePacking(t *testing.T) {
	run := encode(t, []*steno.Event{{Seq: 1, Type: steno.TurnEnd, Body: &steno.Turn{Reason: "x"}}})
	changed := sealed([]byte(strings.Replace(string(run[:len(run)-4]), `"reason"`, `"future"`, 1)))
	var p journal.Packer
	if err := p.Add(changed); err != nil {
		t.Fatal(err)
	}
	segment := p.AppendSegment(nil)
	// Events this small are stored in the compressed frame as they are.
	if !strings.Contains(string(segment), `{"future":"x"}`) {
		t.Errorf("segment %q has lost the field", segment)
	}
	if e := decode(t, segment)[0]; e.Type != steno.TurnEnd {
		t.Errorf("event %+v", e)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	const n = 1000
	events := journaltest.Deltas(1, n)
	for i, e := range events { // parallel calls: the addresses change with every event
		e.Part, e.Call = []string{"1", "2", "3"}[i%3], []string{"call_a", "call_b", "call_c"}[i%3]
	}
	run := encode(t, events)
	buf := make([]byte, 0, 2*len(run))
	var p journal.Packer
	if err := p.Add(run); err != nil {
		t.Fatal(err)
	}
	segment := p.AppendSegment(nil)
	var d journal.Decoder
	for name, c := range map[string]struct {
		work func()
		max  float64
	}{
		"encode":         {func() { buf, _ = journal.AppendRun(buf[:0], events) }, 8},
		"decode run":     {func() { drain(t, &d, run) }, 0},
		"decode segment": {func() { drain(t, &d, segment) }, 8},
	} {
		if got := testing.AllocsPerRun(20, c.work); got > c.max {
			t.Errorf("%s: %v allocations for %d events, at most %v", name, got, n, c.max)
		}
	}
}

func drain(t testing.TB, d *journal.Decoder, data []byte) {
	if err := d.Reset(data); err != nil {
		t.Fatal(err)
	}
	for {
		e, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return
		}
	}
}

func BenchmarkRun(b *testing.B) {
	const n = 1000
	events := journaltest.Deltas(1, n)
	run, err := journal.AppendRun(nil, events)
	if err != nil {
		b.Fatal(err)
	}
	var p journal.Packer
	if err := p.Add(run); err != nil {
		b.Fatal(err)
	}
	segment := p.AppendSegment(nil)
	var d journal.Decoder
	perEvent := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
	}
	b.Run("encode", func(b *testing.B) {
		buf := make([]byte, 0, 2*len(run))
		for b.Loop() {
			buf, _ = journal.AppendRun(buf[:0], events)
		}
		perEvent(b)
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			drain(b, &d, run)
		}
		perEvent(b)
	})
	b.Run("decode segment", func(b *testing.B) {
		for b.Loop() {
			drain(b, &d, segment)
		}
		perEvent(b)
	})
}
