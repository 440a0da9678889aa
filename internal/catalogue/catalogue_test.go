package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stenolog/steno"
)

func TestEveryEntryIsWhole(t *testing.T) {
	seen := map[Code]bool{}
	for _, e := range Entries() {
		if seen[e.Code] {
			t.Errorf("%s stands twice", e.Code)
		}
		seen[e.Code] = true
		if e.What == "" || e.Means == "" || e.Do == "" {
			t.Errorf("%s: something is not said: %+v", e.Code, e)
		}
		if e.Status < 200 || e.Status > 599 {
			t.Errorf("%s: status %d", e.Code, e.Status)
		}
		switch e.Exit {
		case ExitFailure, ExitUsage, ExitRunning, ExitNotFound, ExitInterrupted:
		default:
			t.Errorf("%s: exit %d is no exit code of the program", e.Code, e.Exit)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   Code
		status int
		exit   int
		text   string
	}{
		{steno.ErrNotFound, NotFound, 404, 4, "not found"},
		{fmt.Errorf("open c1: %w", steno.ErrNotFound), NotFound, 404, 4, "not found: open c1"},
		{fmt.Errorf("append: %w", steno.ErrConflict), Conflict, 409, 1, "somebody else wrote first: append"},
		{steno.ErrGap, Gap, 409, 1, ""},
		{steno.ErrClosed, Closed, 503, 1, ""},
		{steno.ErrTooLarge, TooLarge, 413, 1, ""},
		{steno.ErrUnsupported, Unsupported, 422, 1, ""},
		{steno.ErrIncomplete, Incomplete, 422, 1, ""},
		{steno.ErrCorrupt, Corrupt, 500, 1, ""},
		{context.Canceled, Interrupted, 499, 130, ""},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, ReadOnly, 500, 1, ""},
		{fmt.Errorf("keep: %w", errors.Join(syscall.ENOSPC, syscall.ENOSPC, errors.New("x"))), DiskFull, 507, 1, "the disk is full: keep: no space left on device; no space left on device; x"},
		{errors.Join(fmt.Errorf("a: %w", steno.ErrGap), fmt.Errorf("a: %w", steno.ErrGap)), Gap, 409, 1, "a position does not follow the one before it: a"},
		{errors.New("odd"), Internal, 500, 1, "something went wrong inside steno: odd"},
		{fmt.Errorf("serve: %w", New(Running, "at 127.0.0.1:7836")), Running, 409, 3, "already running: at 127.0.0.1:7836"},
		{New("no such code", ""), Internal, 500, 1, ""},
	} {
		e := Of(c.err)
		if e.Code != c.code || e.Status != c.status || e.Exit != c.exit {
			t.Errorf("Of(%v) = %s %d %d, want %s %d %d", c.err, e.Code, e.Status, e.Exit, c.code, c.status, c.exit)
		}
		if c.text != "" && e.Error() != c.text {
			t.Errorf("Of(%v) says %q, want %q", c.err, e.Error(), c.text)
		}
	}
	if Of(nil) != nil {
		t.Error("nil is an error")
	}
}

// An error that came over HTTP has no cause, only its code.
func TestACodeMatchesItsSentinel(t *testing.T) {
	for _, s := range sentinels {
		if !errors.Is(New(s.code, ""), s.err) {
			t.Errorf("%s does not match %v", s.code, s.err)
		}
	}
	if errors.Is(New(NotFound, ""), steno.ErrConflict) {
		t.Error("not-found matches conflict")
	}
}
