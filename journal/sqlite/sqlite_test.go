package sqlite_test

import (
	"os"
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
