package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

func wantRead(t *testing.T, s *sqlite.Store, branch string, want []*steno.Event) {
	t.Helper()
	got, err := readAll(t, s, branch, 0)
	if err != nil {
		t.Fatalf("read %s: %v", branch, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("read %s (-want +got):\n%s", branch, diff)
	}
}

func readAll(t *testing.T, s *sqlite.Store, branch string, after int64) ([]*steno.Event, error) {
	t.Helper()
	var events []*steno.Event
	for e, err := range s.Read(t.Context(), branch, after) {
		if err != nil {
			return events, err
		}
		events = append(events, e.Clone())
	}
	return events, nil
}

// fill appends n events to a branch, ten to a run.
func fill(t *testing.T, s *sqlite.Store, branch string, n int64) {
	t.Helper()
	for at := int64(0); at < n; at += 10 {
		if err := s.Append(t.Context(), branch, at, journaltest.Deltas(at+1, 10)); err != nil {
			t.Fatal(err)
		}
	}
}

// stored makes a store with branches a and b of 100 events in ten runs each,
// with a packed up to the given seq, and closes it.
func stored(t *testing.T, packed int64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir, sqlite.Options{})
	fill(t, s, "a", 100)
	fill(t, s, "b", 100)
	if err := s.Compact(t.Context(), "a", packed); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tamper changes the database behind the store's back.
func tamper(t *testing.T, dir, sql string) {
	t.Helper()
	c, err := sqlite3.Open(filepath.Join(dir, sqlite.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Exec(sql), c.Close()); err != nil {
		t.Fatal(err)
	}
}

const (
	ofA     = "branch = (SELECT id FROM branches WHERE name = 'a')"
	breakIt = "UPDATE runs SET data = CAST(substr(data, 1, length(data) - 6) || X'000000000000' AS BLOB) WHERE " + ofA
)

func TestG39TornTailIsCut(t *testing.T) {
	for _, c := range []struct{ name, how string }{
		{"bytes", breakIt},
		{"half", "UPDATE runs SET data = substr(data, 1, length(data) / 2) WHERE " + ofA},
		{"empty", "UPDATE runs SET data = X'' WHERE " + ofA},
		{"zeroes", "UPDATE runs SET data = zeroblob(length(data)) WHERE " + ofA},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := stored(t, 50)
			tamper(t, dir, c.how+" AND first = 91")

			// A reader repairs nothing and says where the whole part ends.
			r, err := sqlite.OpenReadOnly(dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(t, r, "a", 0)
			if len(got) != 90 || !errors.Is(err, steno.ErrIncomplete) || errors.Is(err, steno.ErrCorrupt) {
				t.Errorf("read only: %d events, %v", len(got), err)
			}
			if head, err := r.Head(t.Context(), "a"); head != 90 || err != nil {
				t.Errorf("read only: head %d, %v", head, err)
			}
			if report, err := r.Verify(t.Context(), "a"); err != nil || len(report.Damage) != 1 || report.Damage[0].First != 91 {
				t.Errorf("read only: verify %+v, %v", report, err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}

			s := open(t, dir, sqlite.Options{})
			if diff := cmp.Diff([]sqlite.Cut{{Branch: "a", First: 91, Last: 100}}, s.Cuts()); diff != "" {
				t.Errorf("cuts (-want +got):\n%s", diff)
			}
			wantRead(t, s, "a", journaltest.Deltas(1, 90))
			if err := s.Append(t.Context(), "a", 90, journaltest.Deltas(91, 1)); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, sqlite.Options{})
			if len(s.Cuts()) != 0 {
				t.Errorf("second opening cut %v", s.Cuts())
			}
			wantRead(t, s, "a", journaltest.Deltas(1, 91))
			wantRead(t, s, "b", journaltest.Deltas(1, 100))
		})
	}
}

func TestTornTailOfTheOnlyRun(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, sqlite.Options{})
	fill(t, s, "a", 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tamper(t, dir, breakIt)
	s = open(t, dir, sqlite.Options{})
	if len(s.Cuts()) != 1 {
		t.Errorf("cuts %v", s.Cuts())
	}
	wantRead(t, s, "a", nil)
	fill(t, s, "a", 20)
	wantRead(t, s, "a", journaltest.Deltas(1, 20))
}

// TestDamageInTheMiddle damages what is not a torn tail: only the branch it is
// in refuses writes, and what is around the damage can be read.
func TestDamageInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		name, how   string
		first, last int64
	}{
		{"a run", breakIt + " AND first = 71", 71, 80},
		{"a segment", breakIt + " AND first = 1", 1, 50},
		{"a run is missing", "DELETE FROM runs WHERE first = 71 AND " + ofA, 71, 80},
		{"a run is another", "UPDATE runs SET data = (SELECT data FROM runs WHERE first = 61 AND " + ofA + ") WHERE first = 71 AND " + ofA, 71, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := stored(t, 50)
			tamper(t, dir, c.how)
			s := open(t, dir, sqlite.Options{})
			if len(s.Cuts()) != 0 {
				t.Errorf("cuts %v", s.Cuts())
			}
			got, err := readAll(t, s, "a", 0)
			var d *journal.DamageError
			if !errors.Is(err, steno.ErrCorrupt) || !errors.As(err, &d) || d.Branch != "a" || d.First != c.first || d.Last != c.last {
				t.Fatalf("read: %v", err)
			}
			if want := journaltest.Deltas(1, int(c.first-1)); len(want) != len(got) {
				t.Errorf("%d events before the damage, want %d", len(got), len(want))
			}
			rest, err := readAll(t, s, "a", c.last)
			if diff := cmp.Diff(journaltest.Deltas(c.last+1, int(100-c.last)), rest); err != nil || diff != "" {
				t.Errorf("after the damage: %v\n%s", err, diff)
			}
			checkRefusal(t, s)
			report, err := s.Verify(t.Context(), "a")
			if err != nil || len(report.Damage) != 1 || report.Damage[0].First != c.first || report.Events != 100-(c.last-c.first+1) {
				t.Errorf("verify: %+v, %v", report, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			checkRefusal(t, open(t, dir, sqlite.Options{})) // it is remembered
		})
	}
}

// TestDamageAtTheTailWhileOpen damages the last run behind the owner's back:
// it was whole when the store was opened, so it is no torn tail.
func TestDamageAtTheTailWhileOpen(t *testing.T) {
	dir := stored(t, 50)
	s := open(t, dir, sqlite.Options{})
	tamper(t, dir, breakIt+" AND first = 91")
	got, err := readAll(t, s, "a", 0)
	if len(got) != 90 || !errors.Is(err, steno.ErrCorrupt) || errors.Is(err, steno.ErrIncomplete) {
		t.Errorf("%d events, %v", len(got), err)
	}
	checkRefusal(t, s)
}

// checkRefusal checks that branch a of s refuses writes and branch b does not.
func checkRefusal(t *testing.T, s *sqlite.Store) {
	t.Helper()
	ctx := t.Context()
	err := s.Append(ctx, "a", 100, journaltest.Deltas(101, 1))
	if !errors.Is(err, steno.ErrCorrupt) {
		t.Errorf("append to the damaged branch: %v", err)
	}
	head, err := s.Head(ctx, "b")
	if err == nil {
		err = s.Append(ctx, "b", head, journaltest.Deltas(head+1, 1))
	}
	if err != nil {
		t.Errorf("append to a sound branch: %v", err)
	}
	for info, err := range s.List(ctx) {
		if err != nil || info.Damaged != (info.Branch == "a") {
			t.Errorf("list: %+v, %v", info, err)
		}
	}
}

// TestVerifyFindsAll has two damages in one branch, one of them where nobody
// has read, and repairs them, after which the branch takes events again.
func TestVerifyFindsAll(t *testing.T) {
	dir := stored(t, 0)
	tamper(t, dir, "CREATE TABLE backup AS SELECT * FROM runs")
	tamper(t, dir, breakIt+" AND first IN (21, 61)")
	s := open(t, dir, sqlite.Options{})
	report, err := s.Verify(t.Context(), "a")
	if err != nil || len(report.Damage) != 2 || report.Events != 80 || report.Bytes <= 0 {
		t.Fatalf("verify: %+v, %v", report, err)
	}
	if report.Damage[0].First != 21 || report.Damage[1].First != 61 || report.Damage[1].Last != 70 {
		t.Errorf("damage: %v", report.Damage)
	}
	if err := s.Compact(t.Context(), "a", 100); !errors.Is(err, steno.ErrCorrupt) {
		t.Errorf("compact: %v", err)
	}
	checkRefusal(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tamper(t, dir, "DELETE FROM runs WHERE "+ofA+"; INSERT INTO runs SELECT * FROM backup WHERE "+ofA)
	s = open(t, dir, sqlite.Options{})
	if report, err := s.Verify(t.Context(), "a"); err != nil || len(report.Damage) != 0 || report.Events != 100 {
		t.Errorf("verify after repair: %+v, %v", report, err)
	}
	if err := s.Append(t.Context(), "a", 100, journaltest.Deltas(101, 1)); err != nil {
		t.Errorf("append after repair: %v", err)
	}
}

func TestNotADatabase(t *testing.T) {
	for _, c := range []struct {
		name    string
		content []byte
		want    error
	}{
		{"text", bytes.Repeat([]byte("this is no database\n"), 500), steno.ErrCorrupt},
		{"zeroes", make([]byte, 8192), steno.ErrCorrupt},
		{"short", []byte("SQLite format 3\x00 and then nothing"), steno.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, sqlite.FileName)
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := sqlite.Open(t.Context(), dir, sqlite.Options{}); !errors.Is(err, c.want) {
				t.Errorf("Open: %v", err)
			} else {
				t.Log(err)
			}
			if _, err := sqlite.OpenReadOnly(dir); !errors.Is(err, c.want) {
				t.Errorf("OpenReadOnly: %v", err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, c.content) {
				t.Errorf("the file was touched: %v", err)
			}
		})
	}
}

// TestVersions refuses what it does not know without touching it.
func TestVersions(t *testing.T) {
	for _, c := range []struct{ name, how string }{
		{"newer", "PRAGMA user_version = 999"},
		{"other program", "PRAGMA application_id = 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := stored(t, 0)
			tamper(t, dir, c.how)
			before, err := os.ReadFile(filepath.Join(dir, sqlite.FileName))
			if err != nil {
				t.Fatal(err)
			}
			_, err = sqlite.Open(t.Context(), dir, sqlite.Options{})
			if !errors.Is(err, steno.ErrUnsupported) {
				t.Errorf("Open: %v", err)
			}
			var v *sqlite.VersionError
			if isNewer := c.name == "newer"; errors.As(err, &v) != isNewer || isNewer && (v.Store != 999 || v.Known < 1) {
				t.Errorf("Open: %v", err)
			}
			if _, err = sqlite.OpenReadOnly(dir); !errors.Is(err, steno.ErrUnsupported) {
				t.Errorf("OpenReadOnly: %v", err)
			}
			if after, err := os.ReadFile(filepath.Join(dir, sqlite.FileName)); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was touched: %v", err)
			}
		})
	}
}
