package main

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/recorder"
)

// What W8 stores: events of about 150 bytes a row, a hundred a transaction.
const (
	storedEvents = 20_000
	perCommit    = 100
	rowBytes     = 150
)

// durable is W8: the store by the raw driver, and what persistence costs those
// who only fold and publish.
func durable(n int) ([]line, error) {
	dir, err := os.MkdirTemp("", "steno-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	fresh := func() string {
		d, err := os.MkdirTemp(dir, "")
		if err != nil {
			panic(err)
		}
		return d
	}
	r := interleave(n, []variant{
		driver("driver", fresh, "FULL"), appends("store", fresh, false),
		driver("driver relaxed", fresh, "NORMAL"), appends("store relaxed", fresh, true),
	})
	fold := recording(n, fresh)
	return []line{
		r.compare("W8 append, forced to disk", "store", "driver", "drivers", 1.3),
		r.compare("W8 append, relaxed", "store relaxed", "driver relaxed", "drivers", 1.3),
		fold.compare("W8 fold and publish beside a store", "on", "off", "of without", 1.2),
	}, nil
}

// driver inserts a row an event with nothing around it.
func driver(name string, fresh func() string, mode string) variant {
	return variant{name: name, deltas: storedEvents, setup: func() func() {
		c, err := sqlite3.Open(filepath.Join(fresh(), "raw.db"))
		must(err)
		must(c.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=" + mode + "; CREATE TABLE e (b INTEGER, s INTEGER, d BLOB, PRIMARY KEY (b, s)) WITHOUT ROWID"))
		insert, _, err := c.Prepare("INSERT INTO e VALUES (1, ?, ?)")
		must(err)
		row := make([]byte, rowBytes)
		return func() {
			for seq := int64(0); seq < storedEvents; {
				tx, err := c.BeginImmediate()
				must(err)
				for range perCommit {
					seq++
					must(insert.BindInt64(1, seq))
					must(insert.BindBlob(2, row))
					must(insert.Exec())
				}
				must(tx.Commit())
			}
			must(insert.Close())
			must(c.Close())
		}
	}}
}

// appends stores the deltas of a growing part.
func appends(name string, fresh func() string, relaxed bool) variant {
	var norm normaliser
	events := norm.normalise(growing(0, storedEvents))[:storedEvents]
	return variant{name: name, deltas: storedEvents, setup: func() func() {
		ctx := context.Background()
		s, err := sqlite.Open(ctx, fresh(), sqlite.Options{Relaxed: relaxed})
		must(err)
		return func() {
			for at := 0; at < storedEvents; at += perCommit {
				must(s.Append(ctx, branch, int64(at), events[at:at+perCommit]))
			}
			must(s.Close())
		}
	}}
}

// recording measures a recorder with a store and with none: what a delta costs
// it beside the append itself.
func recording(n int, fresh func() string) results {
	r := make(results)
	for range n {
		r["off"] = append(r["off"], sample{ns: record(&timed{Journal: forgetful{}})})
		s, err := sqlite.Open(context.Background(), fresh(), sqlite.Options{Relaxed: true})
		must(err)
		r["on"] = append(r["on"], sample{ns: record(&timed{Journal: s})})
		must(s.Close())
	}
	return r
}

func record(j *timed) float64 {
	ctx := context.Background()
	rec, err := recorder.Open(ctx, branch, recorder.Options{Journal: j, Frame: time.Microsecond})
	must(err)
	work := growing(0, storedEvents)
	j.spent = 0
	began := cpuTime()
	for at := 0; at < storedEvents; at += perCommit {
		for i := range perCommit {
			must(rec.Record(ctx, &work[at+i]))
		}
		must(rec.Sync(ctx))
	}
	spent := cpuTime() - began - j.spent
	must(rec.Close(ctx))
	return float64(spent) / storedEvents
}

// timed is a journal that knows what its appends cost. Nothing else computes
// meanwhile: whoever records waits for them.
type timed struct {
	journal.Journal
	spent time.Duration
}

func (t *timed) Append(ctx context.Context, branch string, after int64, events []*steno.Event) error {
	began := cpuTime()
	defer func() { t.spent += cpuTime() - began }()
	return t.Journal.Append(ctx, branch, after, events)
}

// forgetful is a journal that keeps nothing.
type forgetful struct{ journal.Journal }

func (forgetful) Append(context.Context, string, int64, []*steno.Event) error { return nil }

func (forgetful) Compact(context.Context, string, int64) error { return nil }

func (forgetful) Read(context.Context, string, int64) iter.Seq2[*steno.Event, error] {
	return func(func(*steno.Event, error) bool) {}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
