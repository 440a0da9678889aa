package journaltest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// appendEach appends events one by one and returns the first error.
func appendEach(ctx context.Context, j journal.Journal, branch string, events []*steno.Event) error {
	for i, e := range events {
		if err := j.Append(ctx, branch, e.Seq-1, events[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func testManyBranches(t *testing.T, j journal.Journal) {
	const branches, n = 16, 40
	var group sync.WaitGroup
	for b := range branches {
		group.Go(func() {
			if err := appendEach(t.Context(), j, fmt.Sprint(b), Deltas(1, n)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for b := range branches {
		wantEvents(t, j, fmt.Sprint(b), 0, Deltas(1, n))
	}
}

// testTwoWriters lets two writers race for every seq: each seq is won once, and
// the loser learns of it.
func testTwoWriters(t *testing.T, j journal.Journal) {
	const n = 50
	won := make([]int, 2)
	var group sync.WaitGroup
	for w := range won {
		group.Go(func() {
			for seq := int64(1); seq <= n; seq++ {
				switch err := j.Append(t.Context(), "a", seq-1, Deltas(seq, 1)); {
				case err == nil:
					won[w]++
				case !errors.Is(err, steno.ErrConflict):
					t.Errorf("writer %d: %v", w, err)
				default:
					// The other is ahead, or behind and will be here soon.
					head, err := j.Head(t.Context(), "a")
					if err == nil && head < seq-1 {
						seq = head
					}
				}
			}
		})
	}
	group.Wait()
	if won[0]+won[1] != n {
		t.Errorf("%d and %d appends won, want %d in all", won[0], won[1], n)
	}
	wantEvents(t, j, "a", 0, Deltas(1, n))
}

// testReadDuringAppends reads again and again while events come and are packed:
// every read is a gapless prefix, at least as long as what was acknowledged
// when it began.
func testReadDuringAppends(t *testing.T, j journal.Journal) {
	const n = 300
	appendAll(t, j, "a", 0, Deltas(1, 1))
	done := make(chan error, 1)
	go func() {
		var err error
		for seq := int64(2); seq <= n && err == nil; seq++ {
			err = j.Append(t.Context(), "a", seq-1, Deltas(seq, 1))
			if err == nil && seq%97 == 0 {
				err = j.Compact(t.Context(), "a", seq)
			}
		}
		done <- err
	}()
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		head, err := j.Head(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		next := int64(1)
		for e, err := range j.Read(t.Context(), "a", 0) {
			if err != nil || e.Seq != next {
				t.Fatalf("event %v, %v, want %d", e, err, next)
			}
			next++
		}
		if next <= head {
			t.Fatalf("read ended at %d, head had been %d", next-1, head)
		}
	}
	wantHead(t, j, "a", n)
}
