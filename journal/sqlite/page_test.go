package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

// TestDamagedPage destroys a page of the database, in the middle or at the end
// of what one branch has: SQLite itself cannot read there. The store opens, the
// other branch is not touched, and of the damaged one is read what comes before.
func TestDamagedPage(t *testing.T) {
	for _, where := range []string{"middle", "end"} {
		t.Run(where, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, sqlite.Options{Relaxed: true})
			for _, branch := range []string{"b", "a"} { // the end of a is that of the table
				for seq := int64(1); seq <= 200; seq++ {
					events := journaltest.Deltas(seq, 1)
					events[0].Text = strings.Repeat("branch "+branch+" ", 40)
					if err := s.Append(t.Context(), branch, seq-1, events); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			destroyPage(t, filepath.Join(dir, sqlite.FileName), where)

			s = open(t, dir, sqlite.Options{})
			got, err := readAll(t, s, "a", 0)
			var d *journal.DamageError
			if !errors.Is(err, steno.ErrCorrupt) || where == "middle" && (!errors.As(err, &d) || d.First != int64(len(got))+1 || len(got) == 0) {
				t.Errorf("read: %d events, %v", len(got), err)
			}
			for i, e := range got {
				if e.Seq != int64(i)+1 {
					t.Fatalf("event %d has seq %d", i, e.Seq)
				}
			}
			if got, err := readAll(t, s, "b", 0); err != nil || len(got) != 200 {
				t.Errorf("sound branch: %d events, %v", len(got), err)
			}
			for info, err := range s.List(t.Context()) {
				if err != nil || info.Damaged != (info.Branch == "a") {
					t.Errorf("list: %+v, %v", info, err)
				}
			}
			// Together, so that they share a commit.
			var group sync.WaitGroup
			errs := make(map[string]error)
			var mu sync.Mutex
			for _, branch := range []string{"a", "b", "c"} {
				group.Go(func() {
					after := map[string]int64{"a": 200, "b": 200}[branch]
					err := s.Append(t.Context(), branch, after, journaltest.Deltas(after+1, 1))
					mu.Lock()
					defer mu.Unlock()
					errs[branch] = err
				})
			}
			group.Wait()
			if !errors.Is(errs["a"], steno.ErrCorrupt) || errs["b"] != nil {
				t.Errorf("appends: %v", errs)
			}
			// A new branch goes where the table ends, and finds that page too.
			if where == "middle" && errs["c"] != nil {
				t.Errorf("appends: %v", errs)
			}
		})
	}
}

// destroyPage zeroes the head of a leaf that holds runs of branch a only.
func destroyPage(t *testing.T, path, where string) {
	t.Helper()
	const pageSize, indexLeaf = 4096, 0x0a
	db, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pages []int
	for at := pageSize; at < len(db); at += pageSize {
		if page := db[at : at+pageSize]; page[0] == indexLeaf &&
			bytes.Contains(page, []byte("branch a ")) && !bytes.Contains(page, []byte("branch b ")) {
			pages = append(pages, at)
		}
	}
	if len(pages) < 5 {
		t.Fatalf("%d pages hold branch a", len(pages))
	}
	at := pages[len(pages)/2]
	if where == "end" {
		at = pages[len(pages)-1] // they were made in order
	}
	clear(db[at : at+8])
	if err := os.WriteFile(path, db, 0o600); err != nil {
		t.Fatal(err)
	}
}
