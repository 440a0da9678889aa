package sqlite_test

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(runChild(role, os.Getenv(childDir)))
	}
	goleak.VerifyTestMain(m)
}

// open opens a store that is closed when the test ends.
func open(t testing.TB, dir string, options sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journal.Journal {
		return open(t, t.TempDir(), sqlite.Options{})
	})
}

func TestConformanceRelaxed(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journal.Journal {
		return open(t, t.TempDir(), sqlite.Options{Relaxed: true})
	})
}

func TestClosed(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	journaltest.RunClosed(t, s)
}

// TestG42ClockJumps records with a clock that jumps back, stands still and
// jumps ahead: order is that of seq, and the times come back as they were.
func TestG42ClockJumps(t *testing.T) {
	s := open(t, t.TempDir(), sqlite.Options{})
	events := journaltest.Deltas(1, 7)
	for i, at := range []int64{5_000, 2_000, 2_000, 0, -1, math.MaxInt64, math.MinInt64} {
		events[i].At = at
	}
	if err := s.Append(t.Context(), "a", 0, events[:3]); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", 3, events[3:]); err != nil {
		t.Fatal(err)
	}
	wantRead(t, s, "a", events)
	if err := s.Compact(t.Context(), "a", 7); err != nil {
		t.Fatal(err)
	}
	wantRead(t, s, "a", events)
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits there")
	}
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir, sqlite.Options{})
	fill(t, s, "a", 10)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 4 {
		t.Errorf("%d files, want the database, its log, its index and the lock", len(entries))
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v, %v", info.Mode(), err)
	}
}
