package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/journaltest"
)

// faults is a file layer that fails at a chosen write or sync and, if it is
// sticky, at all that follow, as a full disk does.
type faults struct {
	vfs.VFS
	readOnlyMedium bool
	mu             struct {
		sync.Mutex
		count  int // of the operations that may fail
		failAt int // 0 is never
		kind   faultKind
	}
}

type faultKind struct {
	name   string
	err    error
	short  bool // half of the bytes are written before the error
	sync   bool // it is the n-th sync that fails, not the n-th write
	sticky bool
}

var faultKinds = []faultKind{
	{name: "ENOSPC", err: syscall.ENOSPC, sticky: true},
	{name: "ENOSPC once, half written", err: syscall.ENOSPC, short: true},
	{name: "EIO on write", err: syscall.EIO},
	{name: "EIO on write, half written", err: syscall.EIO, short: true, sticky: true},
	{name: "EIO on sync", err: syscall.EIO, sync: true},
	{name: "EIO on every sync", err: syscall.EIO, sync: true, sticky: true},
	{name: "read-only", err: syscall.EROFS, sticky: true},
}

func (f *faults) arm(kind faultKind, at int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.kind, f.mu.failAt, f.mu.count = kind, at, 0
}

// fails reports whether the operation at hand is one that fails.
func (f *faults) fails(sync bool) (faultKind, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.failAt == 0 || sync != f.mu.kind.sync {
		return faultKind{}, false
	}
	f.mu.count++
	return f.mu.kind, f.mu.count == f.mu.failAt || f.mu.kind.sticky && f.mu.count > f.mu.failAt
}

func (f *faults) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(f.VFS, name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &faultFile{File: file, faults: f}, flags, nil
}

type faultFile struct {
	vfs.File
	faults *faults
}

func (f *faultFile) SharedMemory() vfs.SharedMemory {
	if f.faults.readOnlyMedium {
		return nil // it stands in a file that cannot be made
	}
	return vfsutil.WrapSharedMemory(f.File)
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	kind, fails := f.faults.fails(false)
	if !fails {
		return f.File.WriteAt(p, off)
	}
	if kind.short {
		if n, err := f.File.WriteAt(p[:len(p)/2], off); err != nil {
			return n, err
		}
	}
	return 0, &fs.PathError{Op: "write", Path: "file", Err: kind.err}
}

// Sync only says that it did: what the tests kill is the store, not the machine.
func (f *faultFile) Sync(vfs.SyncFlag) error {
	if kind, fails := f.faults.fails(true); fails {
		return &fs.PathError{Op: "sync", Path: "file", Err: kind.err}
	}
	return nil
}

var faultLayers atomic.Int64

// newFaults returns a file layer and the name SQLite knows it by.
func newFaults(t *testing.T) (*faults, string) {
	f := &faults{VFS: vfs.Find("os")}
	name := fmt.Sprintf("faults%d", faultLayers.Add(1))
	vfs.Register(name, disk{f})
	t.Cleanup(func() { vfs.Unregister(name) })
	return f, name
}

// work appends, packs and deletes, and goes on after errors as a program does
// that opens its branch again. It returns the heads that were acknowledged, or
// for an append of unknown outcome both.
func work(t *testing.T, s *Store) (heads map[string][2]int64, failed int) {
	ctx := t.Context()
	heads = make(map[string][2]int64)
	for i := range 8 {
		branch := fmt.Sprint(i % 3)
		head := heads[branch][0]
		n := 1 + 40*(i%2)
		err := s.Append(ctx, branch, head, journaltest.Deltas(head+1, n))
		switch {
		case err == nil:
			heads[branch] = [2]int64{head + int64(n), head + int64(n)}
		case errors.Is(err, steno.ErrIncomplete):
			heads[branch] = [2]int64{head, head + int64(n)}
			failed++
		default:
			failed++
			if errors.Is(err, steno.ErrConflict) || errors.Is(err, steno.ErrCorrupt) {
				t.Errorf("append after a failure: %v", err)
			}
		}
		if i == 3 || i == 6 {
			if err := s.Compact(ctx, branch, head); err != nil && !errors.Is(err, steno.ErrNotFound) {
				failed++
			}
		}
	}
	return heads, failed
}

func checkHeads(t *testing.T, s *Store, heads map[string][2]int64) {
	t.Helper()
	for branch, want := range heads {
		next := int64(1)
		for e, err := range s.Read(t.Context(), branch, 0) {
			if err != nil {
				if want[0] == 0 && errors.Is(err, steno.ErrNotFound) {
					break
				}
				t.Fatalf("read %s: %v", branch, err)
			}
			if e.Seq != next || e.Text != journaltest.Deltas(next, 1)[0].Text {
				t.Fatalf("branch %s: event %d %q, want %d", branch, e.Seq, e.Text, next)
			}
			next++
		}
		if head := next - 1; head != want[0] && head != want[1] {
			t.Fatalf("branch %s: head %d, want one of %v", branch, head, want)
		}
	}
}

// TestFaults makes every write and every sync of a small history fail in turn,
// in every way: what was acknowledged is there and what was refused is not, in
// the running store, after opening it again, and in what it takes then.
func TestFaults(t *testing.T) {
	for _, kind := range faultKinds {
		t.Run(kind.name, func(t *testing.T) {
			step := 1
			if testing.Short() {
				step = 7
			}
			layer, name := newFaults(t)
			for at := 1; ; at += step {
				if !failAt(t, layer, name, kind, at) {
					if at == 1 {
						t.Error("nothing failed")
					}
					return
				}
			}
		})
	}
}

// failAt does the work with a fault at one operation and reports whether there
// were that many.
func failAt(t *testing.T, layer *faults, name string, kind faultKind, at int) bool {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{vfs: name})
	if err != nil {
		t.Fatal(err)
	}
	layer.arm(kind, at)
	heads, _ := work(t, s)
	layer.mu.Lock()
	reached := layer.mu.count >= at
	layer.mu.Unlock()
	checkHeads(t, s, heads)
	crash(t, s) // no last write that could put things right
	layer.arm(faultKind{}, 0)

	s, err = Open(t.Context(), dir, Options{vfs: name})
	if err != nil {
		t.Fatalf("%s at %d: open again: %v", kind.name, at, err)
	}
	if len(s.Cuts()) > 0 {
		t.Errorf("%s at %d: cut %v", kind.name, at, s.Cuts())
	}
	checkHeads(t, s, heads)
	for branch := range heads {
		head, err := s.Head(t.Context(), branch)
		if err != nil && !errors.Is(err, steno.ErrNotFound) {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), branch, head, journaltest.Deltas(head+1, 1)); err != nil {
			t.Fatalf("%s at %d: append after opening again: %v", kind.name, at, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return reached
}

// crash gives the store up while its files still fail, so that closing writes
// nothing back.
func crash(t *testing.T, s *Store) {
	t.Helper()
	_ = s.Close() // what closing cannot write is what this is about
}

// TestFaultMessages checks that a failed append can be told by its cause.
func TestFaultMessages(t *testing.T) {
	for _, c := range []struct {
		err  error
		want error
	}{
		{syscall.ENOSPC, errNoSpace},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, errNoSpace},
		{syscall.EROFS, fs.ErrPermission},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EACCES}, fs.ErrPermission},
		{syscall.EIO, sqlite3.IOERR},
	} {
		layer, name := newFaults(t)
		s, err := Open(t.Context(), t.TempDir(), Options{vfs: name})
		if err != nil {
			t.Fatal(err)
		}
		layer.arm(faultKind{err: c.err, sticky: true}, 1)
		err = s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 1))
		if !errors.Is(err, c.want) || errors.Is(err, steno.ErrIncomplete) {
			t.Errorf("append on %v: %v, want %v", c.err, err, c.want)
		}
		t.Log(err)
		layer.arm(faultKind{}, 0)
		// The disk works again: so does the store, without opening it again.
		if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 1)); err != nil {
			t.Errorf("append after the disk recovered: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFaultReachesEveryWaiter fails one commit of many appends: all of them are
// told, none is visible.
func TestFaultReachesEveryWaiter(t *testing.T) {
	layer, name := newFaults(t)
	s, err := Open(t.Context(), t.TempDir(), Options{vfs: name})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	layer.arm(faultKind{err: syscall.ENOSPC, sticky: true}, 1)
	var told atomic.Int64
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			if err := s.Append(t.Context(), fmt.Sprint(i), 0, journaltest.Deltas(1, 3)); errors.Is(err, errNoSpace) {
				told.Add(1)
			}
		})
	}
	group.Wait()
	if told.Load() != 20 {
		t.Errorf("%d of 20 waiters were told", told.Load())
	}
	for info := range s.List(t.Context()) {
		t.Errorf("branch %s is visible", info.Branch)
	}
	layer.arm(faultKind{}, 0)
}

// TestReadOnlyMedium reads a store where no file can be made beside it.
func TestReadOnlyMedium(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 10)); err != nil {
		t.Fatal(err)
	}
	layer, name := newFaults(t)
	layer.readOnlyMedium = true
	if _, err := openReadOnly(dir, Options{vfs: name}); !errors.Is(err, sqlite3.CANTOPEN) {
		t.Errorf("with commits in the log, which would be missed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := openReadOnly(dir, Options{vfs: name})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	checkHeads(t, r, map[string][2]int64{"a": {10, 10}})
}

// TestForeignLockForLong has another program hold SQLite's lock for longer than
// an append waits.
func TestForeignLockForLong(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	impatient := &job{apart: true, do: func(w *writer) error { return w.conn.BusyTimeout(10 * time.Millisecond) }}
	if err := s.commit(t.Context(), impatient); err != nil {
		t.Fatal(err)
	}
	other, err := source{path: filepath.Join(dir, FileName)}.connect(sqlite3.OPEN_READWRITE)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 1)); !errors.As(err, &locked) || locked.PID != 0 {
		t.Errorf("append: %v", err)
	}
	if err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 1)); err != nil {
		t.Errorf("append after the lock: %v", err)
	}
}
