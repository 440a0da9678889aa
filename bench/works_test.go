package main

import (
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/wire/anthropic"
)

// TestWorkloads holds the workloads to their description: how many deltas and
// parts, and that every delta is of four bytes.
func TestWorkloads(t *testing.T) {
	for _, c := range []struct {
		name          string
		work          script
		deltas, parts int
	}{
		{"W1", growing(0, 1000), 1000, 1},
		{"W2 and W5", append(finished(12), growing(12, 10)...), 12 + 10, 13},
		{"W3", mixed(), mixedDeltas, mixedParts},
		{"W4", cold(), coldDeltas, 2},
	} {
		deltas, parts := 0, 0
		for _, e := range c.work {
			switch e.Type {
			case steno.TextDelta, steno.ReasoningDelta, steno.ToolDelta:
				deltas++
			case steno.TextStart, steno.ReasoningStart, steno.ToolStart:
				parts++
			}
		}
		if deltas != c.deltas || parts != c.parts {
			t.Errorf("%s: %d deltas in %d parts, want %d in %d", c.name, deltas, parts, c.deltas, c.parts)
		}
	}
	if mixedDeltas != 21_000 || mixedParts != 120 || len(prose) != 2048 || len(output) != 1024 || len(arguments) != 200 {
		t.Error("a workload has another size")
	}
}

// TestSameWork: the floor, the hand-written chain and we hold the same texts in
// the end, or comparing them would mean nothing.
func TestSameWork(t *testing.T) {
	want := texts(t, mixed())
	var x indexer
	var f floorEngine
	for _, e := range x.translate(mixed()) {
		f.apply(&e)
	}
	var c chain
	inSegments(answers(), c.feed)
	for name, floor := range map[string]*floorEngine{"floor": &f, "chain": &c.floor} {
		var got []string
		for _, s := range *floor.messages[0] {
			got = append(got, s.text())
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %d parts of other texts than our %d", name, len(got), len(want))
		}
	}
	p := newPath()
	var d anthropic.Decoder
	inSegments(answers(), func(b []byte) {
		d.Decode(b, func(e *steno.Event) { p.norm.Normalise(e, p.take) })
	})
	if got := p.texts(); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("bytes to slot: %d parts of other texts than our %d", len(got), len(want))
	}
}

func texts(t *testing.T, s script) []string {
	t.Helper()
	p := newPath()
	p.run(s)
	return p.texts()
}

func (p *path) texts() (list []string) {
	for n := range p.engine.Snapshot().Nodes(transcript.Parts("1.1")) {
		switch s := n.Value().(type) {
		case *transcript.Prose:
			list = append(list, s.Text.String())
		case *transcript.Tool:
			list = append(list, s.Arguments.String())
		}
	}
	return list
}

// TestDeltasDoNotAllocate counts over many deltas of W1, W2, W3 and W5, so that
// what a text allocates as it grows is shared by them.
func TestDeltasDoNotAllocate(t *testing.T) {
	for _, c := range []struct {
		name         string
		before, work script
		deltas       int
		read         func(*path)
		most         float64 // a delta
	}{
		{"W1", finished(0), growing(0, 100_000), 100_000, (*path).read, 0.001},
		{"W2 into 10", finished(10), growing(10, intoWide), intoWide, (*path).read, 0.01},
		{"W2 into 10000", finished(10_000), growing(10_000, intoWide), intoWide, (*path).read, 0.01},
		{"W3, parts and calls included", nil, mixed(), mixedDeltas, (*path).read, 0.2},
		// A snapshot is itself, the node, the part of the list it stands in, and
		// that of the collections.
		{"W5 by snapshot of 10", finished(10), growing(10, intoWide), intoWide, readParts, 6},
		{"W5 by snapshot of 1000", finished(1000), growing(1000, intoWide), intoWide, readParts, 6},
	} {
		p := newPath()
		p.run(c.before)
		c.read(p)
		got := testing.AllocsPerRun(1, func() { p.run(c.work) }) / float64(c.deltas)
		// AllocsPerRun does the work twice and counts the second.
		if got > c.most {
			t.Errorf("%s: %.4f allocations a delta, want ≤ %v", c.name, got, c.most)
		}
	}
}

func readParts(p *path) { p.readAll(transcript.Parts("1.1")) }

// TestFrozenRead: a node that is taken after every delta costs at most two
// allocations, whatever stands beside it.
func TestFrozenRead(t *testing.T) {
	for _, m := range []int{10, 1000} {
		p := newPath()
		p.run(finished(m))
		p.run(growing(m, 1)[:2])
		p.engine.Subscribe(func(pub *projection.Publication) {
			for i := range pub.Len() {
				look(pub.At(i).Node())
			}
		})
		delta := growing(m, 1)[1:2]
		if got := testing.AllocsPerRun(1000, func() { p.run(delta) }); got > 2 {
			t.Errorf("among %d parts: %v allocations a delta, want ≤ 2", m, got)
		}
	}
}

// TestWideCounts: a delta writes one slot and changes no structure, however
// many parts there are.
func TestWideCounts(t *testing.T) {
	for _, m := range widths {
		for _, l := range wideCounts(m) {
			if l.verdict == "NOT MET" {
				t.Errorf("%d parts: %s: %s, want %s", m, l.work, l.ours, l.target)
			}
		}
	}
}
