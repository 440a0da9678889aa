package transcript

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
)

// border is where a turn has ended: how many events stand before it and what a
// checkpoint keeps there.
type border struct {
	events int
	state  State
}

// bordered normalises source events and notes the border behind each turn, as a
// recorder does.
func bordered(source []*steno.Event) (events []*steno.Event, borders []border) {
	var n Normaliser
	borders = []border{{}}
	for _, e := range source {
		n.Normalise(e, func(e *steno.Event) {
			c := e.Clone()
			c.Seq = int64(len(events) + 1)
			events = append(events, c)
			if e.Type == steno.TurnEnd {
				borders = append(borders, border{len(events), n.State()})
			}
		})
	}
	return events, borders
}

// liveOf folds events behind a border.
func liveOf(t rapid.TB, from border, events []*steno.Event) *Live {
	live := NewLive(projection.Options[steno.Event]{})
	if err := live.Restore(from.state); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := live.Push(e); err != nil {
			t.Fatal(err)
		}
	}
	return live
}

// drawn writes what of a state is on pages that are wanted, with its rows.
func drawn(live *Live, wanted func(turn uint32) bool) string {
	m := mirror{}
	for _, c := range live.Current().Changes {
		if wanted(c.Turn) {
			m[c.Collection] = append(m[c.Collection], c)
		}
	}
	return m.String()
}

// windowsAndPages checks that a conversation opened at any border shows from
// there on what the whole shows, and that each ended turn folded apart is its
// page in the whole: an update for what is not in the window changes nothing.
func windowsAndPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SliceOfN(anyEvent(), 0, 60).Draw(t, "source")
		events, borders := bordered(source)
		whole := liveOf(t, border{}, events)
		for k, b := range borders {
			later := func(turn uint32) bool { return turn > uint32(k) }
			window := liveOf(t, b, events[b.events:])
			if got, want := drawn(window, later), drawn(whole, later); got != want {
				t.Fatalf("opened behind turn %d:\n%s\nthe whole:\n%s\nevents:\n%s", k, got, want, dump(events))
			}
			if early := drawn(window, func(turn uint32) bool { return turn <= uint32(k) }); early != "" {
				t.Fatalf("a window behind turn %d holds\n%s", k, early)
			}
			if k == 0 {
				continue
			}
			page := func(turn uint32) bool { return turn == uint32(k) }
			before := borders[k-1]
			apart := liveOf(t, before, events[before.events:b.events])
			if got, want := drawn(apart, page), drawn(whole, page); got != want {
				t.Fatalf("page %d:\n%s\nin the whole:\n%s\nevents:\n%s", k, got, want, dump(events))
			}
		}
	})
}

// trimmed pushes what speaks of a part that the window does not hold (C43).
func trimmed(t *testing.T) {
	events, borders := bordered(src(t, splitLines(start+delta("a")+done+start+delta("b"))...))
	window := liveOf(t, borders[1], events[borders[1].events:])
	before, told := fmt.Sprint(drawn(window, later(0))), window.Metrics()
	for _, e := range []*steno.Event{
		{Type: steno.TextDelta, Turn: 1, Step: 1, Attempt: 1, Message: "1.1", Part: "0", Text: "late"},
		{Type: steno.StepEnd, Turn: 1, Step: 1, Attempt: 1, Message: "1.1"},
		{Type: steno.ToolResult, Turn: 1, Message: "1.1", Part: "0", Text: "late"},
	} {
		if err := window.Push(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := drawn(window, later(0)); got != before || !strings.Contains(got, "2.1") {
		t.Errorf("from\n%s\nto\n%s", before, got)
	}
	m := window.Metrics()
	if m.Unmatched-told.Unmatched != 3 || m.Publications != told.Publications {
		t.Errorf("%d unmatched, %d publications", m.Unmatched-told.Unmatched, m.Publications-told.Publications)
	}
}

func later(than uint32) func(uint32) bool { return func(turn uint32) bool { return turn > than } }
