package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/recorder"
)

// coldMessages is how many messages W4 has, of a thousand deltas each.
const coldMessages = 1_000

// replay is W4: a million deltas folded with nobody reading, from memory and
// from a store.
func replay(n int) ([]line, error) {
	dir, err := os.MkdirTemp("", "steno-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	events, err := fillStore(dir)
	if err != nil {
		return nil, err
	}
	r := interleave(n, []variant{coldFloor(), coldPath(), coldStore(dir, events)})
	memory, store := 1e3/r.ns("memory"), 1e3/r.ns("store")
	return []line{
		{"W4 cold fold, source events in memory", rate(memory), rate(1e3 / r.ns("floor")), fmt.Sprintf("%.2f", r.ratio("memory", "floor")), "≥ 5 M/s", atLeast(memory, 5)},
		{work: "W4 cold open from the store", ours: rate(store), target: "≥ 1 M/s", verdict: atLeast(store, 1)},
	}, nil
}

func rate(million float64) string { return fmt.Sprintf("%.2f M/s", million) }

func coldFloor() variant {
	var x indexer
	var messages [][]floorEvent
	for range coldMessages {
		messages = append(messages, x.translate(cold()))
	}
	return variant{name: "floor", deltas: coldMessages * coldDeltas, setup: func() func() {
		f := &floorEngine{}
		return func() {
			for _, m := range messages {
				for i := range m {
					f.apply(&m[i])
				}
			}
		}
	}}
}

func coldPath() variant {
	message := cold()
	return variant{name: "memory", deltas: coldMessages * coldDeltas, setup: func() func() {
		p := newPath()
		return func() {
			err := p.engine.Batch(func() error {
				for range coldMessages {
					p.run(message)
				}
				return nil
			})
			if err != nil {
				panic(err)
			}
		}
	}}
}

// coldStore opens the recorded conversation as a server does.
func coldStore(dir string, events int) variant {
	return variant{name: "store", deltas: events, setup: func() func() {
		return func() {
			ctx := context.Background()
			store, err := sqlite.Open(ctx, dir, sqlite.Options{})
			if err != nil {
				panic(err)
			}
			rec, err := recorder.Open(ctx, branch, recorder.Options{Journal: store})
			if err != nil {
				panic(err)
			}
			if err := rec.Close(ctx); err != nil {
				panic(err)
			}
			if err := store.Close(); err != nil {
				panic(err)
			}
		}
	}}
}

const branch = "bench"

// fillStore records W4 in a store, its turns packed as a recorder leaves them,
// and returns how many events that were.
func fillStore(dir string) (events int, err error) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, dir, sqlite.Options{Relaxed: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var norm normaliser
	message := cold()
	for range coldMessages {
		batch := norm.normalise(message)
		if err := store.Append(ctx, branch, batch[0].Seq-1, batch); err != nil {
			return 0, err
		}
		if err := store.Compact(ctx, branch, batch[len(batch)-1].Seq); err != nil {
			return 0, err
		}
		events += len(batch)
	}
	return events, nil
}

// fakeTime stamps events whose time nobody looks at.
const fakeTime = 1_700_000_000_000

// normaliser makes journal events that may be kept.
type normaliser struct {
	path
}

func (n *normaliser) normalise(s script) []*steno.Event {
	var out []*steno.Event
	for i := range s {
		n.norm.Normalise(&s[i], func(e *steno.Event) {
			n.seq++
			c := e.Clone()
			c.Seq, c.At = n.seq, fakeTime+n.seq
			out = append(out, c)
		})
	}
	return out
}
