package sqlite_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

// BenchmarkAppend is workload W8: n events a commit, beside the driver alone
// that inserts a row an event.
func BenchmarkAppend(b *testing.B) {
	for _, relaxed := range []bool{false, true} {
		for _, n := range []int{1, 100} {
			name := fmt.Sprintf("%d a commit,relaxed=%v", n, relaxed)
			b.Run(name, func(b *testing.B) {
				s := open(b, b.TempDir(), sqlite.Options{Relaxed: relaxed})
				events := make([][]*steno.Event, 64)
				head, i := int64(0), 0
				for b.Loop() {
					if i%len(events) == 0 {
						b.StopTimer()
						for k := range events {
							events[k] = journaltest.Deltas(head+int64(k*n)+1, n)
						}
						b.StartTimer()
					}
					if err := s.Append(b.Context(), "a", head, events[i%len(events)]); err != nil {
						b.Fatal(err)
					}
					head += int64(n)
					i++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(head), "ns/event")
			})
			b.Run("driver/"+name, func(b *testing.B) { benchmarkDriver(b, n, relaxed) })
		}
	}
}

func benchmarkDriver(b *testing.B, n int, relaxed bool) {
	c, err := sqlite3.Open(filepath.Join(b.TempDir(), "raw.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	mode := "FULL"
	if relaxed {
		mode = "NORMAL"
	}
	if err := c.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=" + mode + "; CREATE TABLE e (b INTEGER, s INTEGER, d BLOB, PRIMARY KEY (b, s)) WITHOUT ROWID"); err != nil {
		b.Fatal(err)
	}
	stmt, _, err := c.Prepare("INSERT INTO e VALUES (1, ?, ?)")
	if err != nil {
		b.Fatal(err)
	}
	defer stmt.Close()
	body := make([]byte, 150)
	seq := int64(0)
	for b.Loop() {
		tx, err := c.BeginImmediate()
		if err != nil {
			b.Fatal(err)
		}
		for range n {
			seq++
			_ = stmt.BindInt64(1, seq)
			_ = stmt.BindBlob(2, body)
			if err := stmt.Exec(); err != nil {
				b.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(seq), "ns/event")
}

// BenchmarkAppendTogether has many conversations append one event at a time:
// they share commits.
func BenchmarkAppendTogether(b *testing.B) {
	const writers = 64
	s := open(b, b.TempDir(), sqlite.Options{})
	head := int64(0)
	for b.Loop() {
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				if err := s.Append(b.Context(), fmt.Sprint(w), head, journaltest.Deltas(head+1, 1)); err != nil {
					b.Error(err)
				}
			})
		}
		group.Wait()
		head++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(head)/writers, "ns/event")
}

// BenchmarkRead replays 100,000 deltas from the store: one to a run, a hundred
// to a run, and packed.
func BenchmarkRead(b *testing.B) {
	const n = 100_000
	for _, c := range []struct {
		name   string
		perRun int
		packed bool
	}{{"1 a run", 1, false}, {"100 a run", 100, false}, {"packed", 100, true}} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, b.TempDir(), sqlite.Options{Relaxed: true})
			for at := 0; at < n; at += c.perRun {
				if err := s.Append(b.Context(), "a", int64(at), journaltest.Deltas(int64(at)+1, c.perRun)); err != nil {
					b.Fatal(err)
				}
			}
			if c.packed {
				if err := s.Compact(b.Context(), "a", n); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				count := 0
				for _, err := range s.Read(b.Context(), "a", 0) {
					if err != nil {
						b.Fatal(err)
					}
					count++
				}
				if count != n {
					b.Fatal(count)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
		})
	}
}
