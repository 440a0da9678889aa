package blob

import (
	"bytes"
	"errors"
	"io/fs"
	"sync"
	"syscall"
	"testing"
)

// faults is a disk whose n-th change fails, and all after it if it is sticky.
type faults struct {
	osDisk
	mu     sync.Mutex
	count  int
	failAt int
	sticky bool
	short  bool
	err    error
}

func (d *faults) fail() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	if d.failAt > 0 && (d.count == d.failAt || d.sticky && d.count > d.failAt) {
		return &fs.PathError{Op: "change", Path: "file", Err: d.err}
	}
	return nil
}

func (d *faults) CreateTemp(dir string) (file, string, error) {
	if err := d.fail(); err != nil {
		return nil, "", err
	}
	f, path, err := d.osDisk.CreateTemp(dir)
	return faultFile{f, d}, path, err
}

func (d *faults) OpenFile(path string) (file, error) {
	if err := d.fail(); err != nil {
		return nil, err
	}
	f, err := d.osDisk.OpenFile(path)
	return faultFile{f, d}, err
}

func (d *faults) Rename(from, to string) error {
	return first(d.fail, func() error { return d.osDisk.Rename(from, to) })
}

func (d *faults) MkdirAll(dir string) error {
	return first(d.fail, func() error { return d.osDisk.MkdirAll(dir) })
}

func (d *faults) SyncDir(dir string) error {
	return first(d.fail, func() error { return d.osDisk.SyncDir(dir) })
}

func first(fail, do func() error) error {
	if err := fail(); err != nil {
		return err
	}
	return do()
}

type faultFile struct {
	file
	disk *faults
}

func (f faultFile) Write(p []byte) (int, error) {
	if err := f.disk.fail(); err != nil {
		n := 0
		if f.disk.short {
			n, _ = f.file.Write(p[:len(p)/2]) // the injected error is the one to tell
		}
		return n, err
	}
	return f.file.Write(p)
}

func (f faultFile) Sync() error { return first(f.disk.fail, f.file.Sync) }

// TestFaults makes every change of the disk fail in turn while a blob is put
// and a stream written and sealed: no error, no blob, no half of either, and
// afterwards all of it works.
func TestFaults(t *testing.T) {
	content := noise(BlockSize + BlockSize/2)
	for _, kind := range []struct {
		err           error
		sticky, short bool
	}{
		{err: syscall.ENOSPC, sticky: true},
		{err: syscall.ENOSPC, short: true},
		{err: syscall.EIO},
		{err: syscall.EIO, short: true, sticky: true},
	} {
		for at := 1; ; at++ {
			layer := &faults{failAt: at, err: kind.err, sticky: kind.sticky, short: kind.short}
			s := New(t.TempDir())
			s.disk = layer
			putErr := faultPut(t, s, content, kind.err)
			streamErr := faultStream(t, s, content, kind.err)
			if layer.count >= at && putErr == nil && streamErr == nil {
				t.Errorf("%v at %d: no call was told", kind.err, at)
			}
			layer.failAt = 0
			if got, err := get(s, put(t, s, content)); err != nil || !bytes.Equal(got, content) {
				t.Fatalf("%v at %d: put afterwards: %v", kind.err, at, err)
			}
			w := stream(t, s, "a")
			if size := w.Size(); size != 0 && size != BlockSize && size != int64(len(content)) {
				t.Errorf("%v at %d: %d bytes are left of a stream", kind.err, at, size)
			}
			if _, err := w.Write(content[w.Size():]); err != nil {
				t.Fatal(err)
			}
			if name, err := w.Seal(t.Context()); err != nil || name != hashOf(content) {
				t.Fatalf("%v at %d: seal afterwards: %s, %v", kind.err, at, name, err)
			}
			if layer.count < at {
				break // there were not that many
			}
		}
	}
}

func faultPut(t *testing.T, s *Store, content []byte, want error) error {
	t.Helper()
	name, err := s.Put(t.Context(), bytes.NewReader(content))
	if err != nil && !errors.Is(err, want) {
		t.Errorf("Put: %v, want %v", err, want)
	}
	if err == nil {
		if got, err := get(s, name); err != nil || !bytes.Equal(got, content) {
			t.Errorf("after Put: %v", err)
		}
	}
	return err
}

func faultStream(t *testing.T, s *Store, content []byte, want error) error {
	t.Helper()
	w, err := s.Stream("a")
	if err == nil {
		if _, err = w.Write(content); err == nil {
			_, err = w.Seal(t.Context())
		}
		_ = w.Close() // after an error this is all that may be called
	}
	if err != nil && !errors.Is(err, want) {
		t.Errorf("Stream: %v, want %v", err, want)
	}
	return err
}
