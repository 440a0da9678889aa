package main

import (
	"fmt"
	"math"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
)

// F is the unit of every target: the floor in W2 with ten parts.
const F = "F"

// The sizes of the workloads.
var (
	lengths = []int{1_000, 10_000, 100_000}
	widths  = []int{10, 100, 1_000, 10_000}
)

// intoWide is how many deltas W2 and W5 add.
const intoWide = 10_000

func floorVariant(name string, before, work script, n int) variant {
	var x indexer
	old, events := x.translate(before), x.translate(work)
	return variant{name: name, deltas: n, together: intoWide / n, setup: func() func() {
		f := &floorEngine{}
		for i := range old {
			f.apply(&old[i])
		}
		f.told = func(c floorChange) { last(c.text) }
		return func() {
			for i := range events {
				f.apply(&events[i])
			}
		}
	}}
}

// pathVariant is our path with a reader as read installs it.
func pathVariant(name string, before, work script, n int, read func(*path)) variant {
	return variant{name: name, deltas: n, together: intoWide / n, setup: func() func() {
		p := newPath()
		p.run(before)
		read(p)
		return func() { p.run(work) }
	}}
}

func theFloor() variant { return floorVariant(F, finished(10), growing(10, intoWide), intoWide) }

// one is W1: a single part, longer and longer.
func one(n int) []line {
	variants := []variant{theFloor()}
	for _, length := range lengths {
		work := growing(0, length)
		variants = append(variants,
			floorVariant(fmt.Sprint("floor ", length), finished(0), work, length),
			pathVariant(fmt.Sprint("ours ", length), finished(0), work, length, (*path).read))
	}
	r := interleave(n, variants)
	var lines []line
	for _, length := range lengths {
		ours := fmt.Sprint("ours ", length)
		lines = append(lines, r.compare(fmt.Sprintf("W1 one part of %d deltas", length), ours, F, F, 6))
	}
	long, short := "ours 100000", "ours 10000"
	exponent := 1 + math.Log10(r.ratio(long, short))
	return append(lines,
		line{
			work: "W1 exponent", ours: fmt.Sprintf("%.3f", exponent), target: "≤ 1.05", verdict: atMost(exponent, 1.05),
			base: fmt.Sprintf("%.3f", 1+math.Log10(r.ratio("floor 100000", "floor 10000"))),
		},
		count("W1 allocations a delta", r.allocs(long), "", 0.01),
		count("W1 memory a delta", r.bytes(long), "B", 20))
}

// wide is W2: one more part in a message of many.
func wide(n int) []line {
	variants := []variant{theFloor()}
	for _, m := range widths {
		before, work := finished(m), growing(m, intoWide)
		if m > 10 {
			variants = append(variants, floorVariant(fmt.Sprint("floor ", m), before, work, intoWide))
		}
		variants = append(variants, pathVariant(fmt.Sprint("ours ", m), before, work, intoWide, (*path).read))
	}
	r := interleave(n, variants)
	r["floor 10"] = r[F]
	var lines []line
	for _, m := range widths {
		ours := fmt.Sprint("ours ", m)
		lines = append(lines, r.compare(fmt.Sprintf("W2 into %d parts", m), ours, F, F, 6))
	}
	spread := r.ratio("ours 10000", "floor 10000") / r.ratio("ours 10", F)
	lines = append(lines,
		line{work: "W2 10000 ÷ 10, each by its floor", ratio: fmt.Sprintf("%.2f", spread), target: "≤ 1.5", verdict: atMost(spread, 1.5)},
		count("W2 allocations a delta", r.allocs("ours 10000"), "", 0.01),
		count("W2 memory a delta", r.bytes("ours 10000"), "B", 20))
	return append(lines, wideCounts(10_000)...)
}

// wideCounts are the slots written and the structures told of in W2.
func wideCounts(m int) []line {
	p := newPath()
	p.run(finished(m))
	p.read()
	before := p.engine.Metrics()
	p.run(growing(m, intoWide))
	got := since(before, p.engine.Metrics())
	// The part itself came, and its end was written.
	return []line{
		count("W2 slot writes a delta", float64(got.Writes-1)/intoWide, "", 1),
		count("W2 structural changes of all deltas", float64(got.Structures-1), "", 0),
		{work: "W2 publications", ours: fmt.Sprint(got.Publications)},
	}
}

func since(before, after projection.Metrics) projection.Metrics {
	after.Writes -= before.Writes
	after.Structures -= before.Structures
	after.Publications -= before.Publications
	return after
}

// turn is W3: a whole turn of thinking, text and parallel calls.
func turn(n int) []line {
	work := mixed()
	r := interleave(n, []variant{
		theFloor(), floorVariant("floor", nil, work, mixedDeltas),
		pathVariant("ours", nil, work, mixedDeltas, (*path).read),
	})
	return []line{
		r.compare("W3 mixed turn, 120 parts", "ours", F, F, 6),
		{work: "W3 by its own floor", ours: duration(r.ns("ours")), base: duration(r.ns("floor")), ratio: fmt.Sprintf("%.2f", r.ratio("ours", "floor"))},
		// The results' own texts are no deltas.
		count("W3 memory a delta", r.bytes("ours")-float64(3*rounds*len(output))/mixedDeltas, "B", 20),
		// Parts, calls and results allocate, and their texts as they grow.
		count("W3 allocations a part", r.allocs("ours")*mixedDeltas/mixedParts, "", 30),
	}
}

// whole is W5: a reader that takes the nodes after each event.
func whole(n int) []line {
	variants := []variant{theFloor()}
	parts := transcript.Parts("1.1")
	for _, m := range widths[:3] {
		before, work := finished(m), growing(m, intoWide)
		variants = append(variants,
			pathVariant(fmt.Sprint("slot ", m), before, work, intoWide, (*path).read),
			pathVariant(fmt.Sprint("snapshot ", m), before, work, intoWide, func(p *path) { p.readAll(parts) }))
	}
	r := interleave(n, variants)
	var lines []line
	for _, m := range widths[:3] {
		lines = append(lines,
			r.compare(fmt.Sprintf("W5 by slot, %d parts", m), fmt.Sprint("slot ", m), F, F, 6),
			r.compare(fmt.Sprintf("W5 by snapshot, %d parts", m), fmt.Sprint("snapshot ", m), F, F, 75))
	}
	spread := r.ratio("snapshot 1000", "snapshot 10")
	return append(lines,
		line{work: "W5 by snapshot, 1000 ÷ 10", ratio: fmt.Sprintf("%.2f", spread), target: "≤ 3", verdict: atMost(spread, 3)},
		count("W5 allocations a snapshot", r.allocs("snapshot 1000"), "", 6))
}
