package projection_test

import (
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
)

// inPlace is a kind that counts and joins, either by value or in place. A text
// of "panic" makes it fail half way.
func inPlace(yes bool) projection.Kind[steno.Event] {
	match := func(e *steno.Event) (projection.Claim, bool) {
		role := projection.Update
		if e.Type == steno.TextStart {
			role = projection.Start
		}
		return projection.Claim{Collection: projection.Collection{Name: "parts"}, ID: e.Part, Role: role}, e.Part != ""
	}
	amend := func(s *growing, e *steno.Event) {
		s.Step++
		if e.Text == "panic" {
			panic(e.Text)
		}
		s.Text = s.Text.Append(e.Text)
	}
	d := projection.Definition[steno.Event, growing]{
		Kind:   "text",
		Match:  match,
		Start:  func(*steno.Event, projection.Reader) growing { return growing{} },
		Update: func(s growing, e *steno.Event) growing { amend(&s, e); return s },
	}
	if yes {
		d.Match, d.Update, d.Amend = nil, nil, amend
		d.MatchInto = func(e *steno.Event, c *projection.Claim) (ok bool) {
			if *c != (projection.Claim{}) {
				panic("the claim to fill in is not empty")
			}
			*c, ok = match(e)
			return ok
		}
	}
	return projection.Of(d)
}

// TestInPlace: MatchInto and Amend say what Match and Update say, and one that
// fails leaves the node as it was.
func TestInPlace(t *testing.T) {
	events := []steno.Event{
		textStart("0"), textDelta("0"), textStart("1"), textDelta("1"), textDelta("0"), textDelta("9"),
		{Type: steno.TextDelta, Part: "0", Text: "panic"},
		{Type: steno.TextDelta},
		textDelta("0"),
	}
	var want *projection.Snapshot
	for _, yes := range []bool{false, true} {
		e, err := projection.New(projection.Options[steno.Event]{Kinds: []projection.Kind[steno.Event]{inPlace(yes)}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if err := e.Push(&events[i]); err != nil {
				t.Fatal(err)
			}
		}
		if m := e.Metrics(); m.Failed != 1 || m.Unmatched != 1 || m.Accepted != 6 {
			t.Errorf("in place %v: %+v", yes, m)
		}
		got := e.Snapshot()
		if want == nil {
			want = got
			continue
		}
		parts := projection.Collection{Name: "parts"}
		if got.Len(parts) != want.Len(parts) {
			t.Fatalf("%d nodes, want %d", got.Len(parts), want.Len(parts))
		}
		for i := range got.Len(parts) {
			g, w := projection.MustState[growing](got.At(parts, i)), projection.MustState[growing](want.At(parts, i))
			if g.Text.String() != w.Text.String() || g.Step != w.Step {
				t.Errorf("node %d: %q %d, want %q %d", i, g.Text.String(), g.Step, w.Text.String(), w.Step)
			}
		}
	}
}
