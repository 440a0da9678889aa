package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // the database driver "sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
)

// TestG43 has 8 processes record 500 deltas each into one store while another
// program holds its database's write lock for 3 s, twice: with a server that
// all of them use, and without one, where each has the store in turn.
func TestG43(t *testing.T) {
	for name, served := range map[string]bool{"through a server": true, "without a server": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if exit, _, stderr := run(t, dir, delta("first")+stop, "record", "--from", format); exit != 0 {
				t.Fatalf("exit %d: %s", exit, stderr)
			}
			if served {
				startProcess(t, dir)
			}
			var wg sync.WaitGroup
			for i := range 8 {
				var in strings.Builder
				for n := range 500 {
					in.WriteString(delta(fmt.Sprint(i, ".", n, " ")))
				}
				in.WriteString(stop)
				wg.Go(func() {
					exit, _, stderr := run(t, dir, in.String(), "record", "--from", format, "--title", fmt.Sprint("writer ", i))
					if exit != 0 || strings.Contains(stderr, "locked") {
						t.Errorf("writer %d: exit %d: %s", i, exit, stderr)
					}
				})
			}
			for range 2 {
				holdLock(t, dir, lockTime(t))
			}
			wg.Wait()
			checkWriters(t, dir)
		})
	}
}

func lockTime(t *testing.T) time.Duration {
	t.Helper()
	if testing.Short() {
		return 500 * time.Millisecond
	}
	return 3 * time.Second
}

// holdLock is a program of somebody else's that writes to the database.
func holdLock(t *testing.T, dir string, d time.Duration) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, sqlite.FileName)+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	if _, err := c.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// checkWriters checks that 8 conversations have their 500 deltas, gapless.
func checkWriters(t *testing.T, dir string) {
	t.Helper()
	s, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	full, deltas := 0, 0
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n, head := 0, int64(0)
		for e, err := range s.Read(t.Context(), info.Branch, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if head++; e.Seq != head {
				t.Fatalf("seq %d follows %d", e.Seq, head-1)
			}
			if e.Type == steno.TextDelta {
				n++
			}
		}
		if n == 500 {
			full++
			deltas += n
		}
	}
	if full != 8 || deltas != 4000 {
		t.Errorf("%d conversations have their deltas, %d deltas in all", full, deltas)
	}
}
