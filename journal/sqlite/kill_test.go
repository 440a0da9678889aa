package sqlite_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stenolog/steno/journal/sqlite"
)

// TestKill kills a process that appends and packs as fast as it can, at random
// moments. Each time every acknowledged event is there, gapless, and the next
// process goes on behind them.
func TestKill(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	dir := t.TempDir()
	for kill := range kills {
		c := start(t, roleAppend, dir)
		acknowledged := int64(0)
		if !c.lines.Scan() { // it has opened the store
			t.Fatalf("kill %d: the child appended nothing", kill)
		}
		timer := time.AfterFunc(time.Duration(rand.IntN(40_000))*time.Microsecond, func() {
			_ = c.cmd.Process.Kill() // Wait below tells how it ended
		})
		for ok := true; ok; ok = c.lines.Scan() {
			// The last line may be cut off; it is then shorter and says less.
			if n, err := strconv.ParseInt(c.lines.Text(), 10, 64); err == nil {
				acknowledged = max(acknowledged, n)
			}
		}
		timer.Stop()
		_ = c.cmd.Wait()
		if code := c.cmd.ProcessState.ExitCode(); code != -1 {
			t.Fatalf("kill %d: the child ended by itself with code %d", kill, code)
		}
		checkAfterKill(t, dir, acknowledged)
	}
}

func checkAfterKill(t *testing.T, dir string, acknowledged int64) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Cuts()) > 0 {
		t.Errorf("a kill tore %v", s.Cuts())
	}
	head, err := s.Head(t.Context(), killBranch)
	if err != nil || head < acknowledged {
		t.Fatalf("head is %d, %v, acknowledged was %d", head, err, acknowledged)
	}
	report, err := s.Verify(t.Context(), killBranch)
	if err != nil || len(report.Damage) > 0 || report.Events != head {
		t.Fatalf("verify: %+v, %v, head %d", report, err, head)
	}
}
