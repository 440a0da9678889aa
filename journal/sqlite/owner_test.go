package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

func TestG43SecondOwnerIsTold(t *testing.T) {
	dir := t.TempDir()
	owner := start(t, roleOwn, dir)
	owner.took(t)
	for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
		_, err := sqlite.Open(t.Context(), dir, sqlite.Options{Wait: wait})
		var locked *sqlite.LockedError
		if !errors.As(err, &locked) || locked.PID != owner.cmd.Process.Pid || locked.Dir != dir {
			t.Fatalf("second Open: %v, want LockedError with process %d", err, owner.cmd.Process.Pid)
		}
		if !strings.Contains(err.Error(), fmt.Sprint(locked.PID)) {
			t.Errorf("message %q does not name the owner", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Open(ctx, dir, sqlite.Options{Wait: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Open: %v", err)
	}
	if err := owner.in.Close(); err != nil { // now it gives the store up
		t.Fatal(err)
	}
	open(t, dir, sqlite.Options{Wait: time.Minute})
}

func TestG43OwnerInTheSameProcess(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, sqlite.Options{})
	if _, err := sqlite.Open(t.Context(), dir, sqlite.Options{}); !errors.As(err, new(*sqlite.LockedError)) {
		t.Errorf("second Open: %v", err)
	}
}

func TestOwnerKilled(t *testing.T) {
	dir := t.TempDir()
	owner := start(t, roleOwn, dir)
	owner.took(t)
	if err := owner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	open(t, dir, sqlite.Options{Wait: time.Minute})
}

// TestG43EightProcesses has eight processes write to one store while a ninth
// holds SQLite's own lock for 3 s twice, and readers read all the time.
func TestG43EightProcesses(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	first := open(t, dir, sqlite.Options{})
	if err := first.Append(t.Context(), "first", 0, journaltest.Deltas(1, 1)); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	lock := start(t, roleLock, dir)
	lock.took(t)
	writers := make([]*child, 8)
	for i := range writers {
		writers[i] = start(t, roleWrite, dir)
	}
	stop := make(chan struct{})
	read := make(chan error, 1)
	go func() { read <- readUntil(t.Context(), dir, stop) }()
	for _, w := range writers {
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("writer: %v", err)
		}
	}
	close(stop)
	if err := <-read; err != nil {
		t.Errorf("reader: %v", err)
	}
	s := open(t, dir, sqlite.Options{})
	total := int64(0)
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		wantRead(t, s, info.Branch, journaltest.Deltas(1, int(info.Head)))
		total += info.Head
	}
	if total != 8*500+1 {
		t.Errorf("%d events, want 4001", total)
	}
}

// readUntil opens the store to read and reads all of it, again and again.
func readUntil(ctx context.Context, dir string, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(5 * time.Millisecond):
		}
		s, err := sqlite.OpenReadOnly(dir)
		if err != nil {
			return err
		}
		for info, err := range s.List(ctx) {
			if err != nil {
				return errors.Join(err, s.Close())
			}
			for _, err := range s.Read(ctx, info.Branch, 0) {
				if err != nil {
					return errors.Join(err, s.Close())
				}
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
}

// TestG43ForeignLock appends while another program holds SQLite's write lock
// for 3 s: the append waits and succeeds.
func TestG43ForeignLock(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	s := open(t, dir, sqlite.Options{})
	lock := start(t, roleLock, dir)
	lock.took(t)
	if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 3)); err != nil {
		t.Fatal(err)
	}
	wantRead(t, s, "a", journaltest.Deltas(1, 3))
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := sqlite.OpenReadOnly(dir); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("no store: %v", err)
	}
	s := open(t, dir, sqlite.Options{})
	if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 10)); err != nil {
		t.Fatal(err)
	}
	check := func(name string) {
		r, err := sqlite.OpenReadOnly(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer r.Close()
		wantRead(t, r, "a", journaltest.Deltas(1, 10))
		for what, err := range map[string]error{
			"Append":  r.Append(t.Context(), "a", 10, journaltest.Deltas(11, 1)),
			"Compact": r.Compact(t.Context(), "a", 10),
			"Delete":  r.Delete(t.Context(), "a"),
		} {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %s: %v, want ErrPermission", name, what, err)
			}
		}
		if report, err := r.Verify(t.Context(), "a"); err != nil || report.Events != 10 || len(report.Damage) > 0 {
			t.Errorf("%s: Verify: %+v, %v", name, report, err)
		}
	}
	check("beside the owner")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("without an owner")
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) == 0 {
		t.Error("the store is gone")
	}
}
