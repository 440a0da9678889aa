package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno/journal/journaltest"
)

// TestMigrate brings a store to versions that do not exist yet: a step that
// fails leaves the version before it, and the store works.
func TestMigrate(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 3)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := source{path: filepath.Join(dir, FileName)}.connect(sqlite3.OPEN_READWRITE)
	if err != nil {
		t.Fatal(err)
	}
	now := int64(len(migrations))
	steps := append(append([]string{}, migrations...), "CREATE TABLE extra (x);", "CREATE TABLE more (x); not SQL;")
	if err := migrate(c, steps); err == nil {
		t.Error("a step that cannot be done was done")
	}
	if version, err := pragma(c, "user_version"); err != nil || version != now+1 {
		t.Errorf("version %d, %v, want %d", version, err, now+1)
	}
	if n, err := queryInt(c, "SELECT count(*) FROM sqlite_schema WHERE name IN ('extra', 'more')"); err != nil || n != 1 {
		t.Errorf("%d of the new tables, %v, want 1", n, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir, Options{})
	if v := (*VersionError)(nil); !errors.As(err, &v) || v.Store != int(now)+1 {
		t.Errorf("Open of the newer store: %v", err)
	}
}

// TestOpenAfterAKillWhileMaking opens what a process leaves that is killed
// between making the file and filling it.
func TestOpenAfterAKillWhileMaking(t *testing.T) {
	for _, statement := range []string{"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL", ""} {
		dir := t.TempDir()
		w, err := sqlite3.Open(filepath.Join(dir, FileName))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Exec(statement), w.Close()); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), "a", 0, journaltest.Deltas(1, 1)); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
