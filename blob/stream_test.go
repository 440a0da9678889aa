package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/stenolog/steno"
)

func stream(t testing.TB, s *Store, name string) *Stream {
	t.Helper()
	w, err := s.Stream(name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStream writes in pieces of any size, closes and opens again anywhere, and
// syncs anywhere: the blob is what was written.
func TestStream(t *testing.T) {
	dir := t.TempDir()
	count := 0
	rapid.Check(t, func(t *rapid.T) {
		count++
		s := New(filepath.Join(dir, fmt.Sprint(count)))
		defer os.RemoveAll(s.root)
		var want []byte
		w, err := s.Stream("a")
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			if err != nil {
				t.Fatal(err)
			}
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				w, err = s.Stream("a")
			case 1:
				err = w.Sync()
			default:
				piece := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.IntRange(0, 3*BlockSize/2).Draw(t, "size"))
				want = append(want, piece...)
				_, err = w.Write(piece)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if w.Size() != int64(len(want)) {
			t.Fatalf("size %d, want %d", w.Size(), len(want))
		}
		name, err := w.Seal(context.Background())
		if err != nil || name != hashOf(want) {
			t.Fatalf("sealed as %s, %v, want %s", name, err, hashOf(want))
		}
		if got, err := get(s, name); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v, want %d", len(got), err, len(want))
		}
		if names, err := s.Streams(); err != nil || len(names) > 0 {
			t.Fatalf("streams %v, %v", names, err)
		}
	})
}

func TestStreams(t *testing.T) {
	s := New(t.TempDir())
	if names, err := s.Streams(); err != nil || len(names) > 0 {
		t.Errorf("no streams: %v, %v", names, err)
	}
	for _, name := range []string{"b", "a"} {
		w := stream(t, s, name)
		defer w.Close()
	}
	if names, err := s.Streams(); err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("%v, %v", names, err)
	}
	w := stream(t, s, "b")
	if err := w.Discard(); err != nil {
		t.Fatal(err)
	}
	if names, err := s.Streams(); err != nil || !slices.Equal(names, []string{"a"}) {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, steno.ErrClosed) {
		t.Errorf("write after Discard: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestStreamTornAnywhere cuts the file of a stream at every length near the
// borders of its blocks and at many others: what is left is whole blocks.
func TestStreamTornAnywhere(t *testing.T) {
	s := New(t.TempDir())
	content := append(bytes.Repeat([]byte("some text, "), 20_000), noise(BlockSize/4)...)
	w := stream(t, s, "a")
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	last := int64(-1)
	for n := 0; n <= len(whole); n += 1 + n/50 {
		if err := os.WriteFile(w.path, whole[:n], fileMode); err != nil {
			t.Fatal(err)
		}
		w := stream(t, s, "a")
		size := w.Size()
		if size < last || size%BlockSize != 0 && size != int64(len(content)) {
			t.Fatalf("cut to %d: %d bytes are left, %d were before", n, size, last)
		}
		last = size
		if n%7 == 0 { // go on from there
			if _, err := w.Write(content[size:]); err != nil {
				t.Fatal(err)
			}
			name, err := w.Seal(t.Context())
			if err != nil || name != hashOf(content) {
				t.Fatalf("cut to %d: sealed as %s, %v", n, name, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(w.path, whole, fileMode); err != nil {
		t.Fatal(err)
	}
	w = stream(t, s, "a")
	defer w.Close()
	if w.Size() != int64(len(content)) {
		t.Errorf("nothing cut: %d of %d bytes", w.Size(), len(content))
	}
}

// TestStreamDamage damages a block that is not the last.
func TestStreamDamage(t *testing.T) {
	s := New(t.TempDir())
	w := stream(t, s, "a")
	if _, err := w.Write(noise(8 * BlockSize)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	whole[2*BlockSize] ^= 1
	if err := os.WriteFile(w.path, whole, fileMode); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stream("a"); !errors.Is(err, steno.ErrCorrupt) {
		t.Errorf("Stream: %v", err)
	}
	if after, err := os.ReadFile(w.path); err != nil || !bytes.Equal(after, whole) {
		t.Errorf("the file was touched: %v", err)
	}
}

// TestStreamIsZstd reads the file of a stream with nothing of ours.
func TestStreamIsZstd(t *testing.T) {
	s := New(t.TempDir())
	content := bytes.Repeat([]byte("0123456789abcdef"), 3*BlockSize/16+100)
	w := stream(t, s, "a")
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	name, err := w.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(s.path(name, true))
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, err := d.DecodeAll(stored, nil); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if len(stored) > len(content)/10 {
		t.Errorf("%d bytes take %d", len(content), len(stored))
	}
}

// FuzzStreamRecover opens a stream whose file holds anything.
func FuzzStreamRecover(f *testing.F) {
	s := New(f.TempDir())
	w := stream(f, s, "seed")
	for _, piece := range []string{"one", "two"} {
		if _, err := w.Write([]byte(piece)); err != nil {
			f.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(w.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)-1])
	f.Add([]byte{0x5e, 0x2a, 0x4d, 0x18, 12, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(t.TempDir())
		if err := os.MkdirAll(filepath.Join(s.root, openDir), dirMode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.root, openDir, "a"), data, fileMode); err != nil {
			t.Fatal(err)
		}
		w, err := s.Stream("a")
		if err != nil {
			if !errors.Is(err, steno.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		size := w.Size()
		name, err := w.Seal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := get(s, name); err != nil || int64(len(got)) != size {
			t.Fatalf("%d bytes, %v, want %d", len(got), err, size)
		}
	})
}
