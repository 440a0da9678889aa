package journaltest

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

func testAppendRead(t *testing.T, j journal.Journal) {
	events := Deltas(1, 10)
	appendAll(t, j, "a", 0, events[:1])
	appendAll(t, j, "a", 1, events[1:7])
	appendAll(t, j, "b", 0, events[:2])
	appendAll(t, j, "a", 7, events[7:])
	wantEvents(t, j, "a", 0, events)
	wantEvents(t, j, "b", 0, events[:2])
}

// testEveryType also checks that an event this version has no name for, and
// JSON it does not understand, come back as they were.
func testEveryType(t *testing.T, j journal.Journal) {
	odd := jsontext.Value(`{"n":12345678901234567890,"x":[1.0],"x":"\u003c\/"}`)
	var events []*steno.Event
	for typ := range steno.Type(steno.TypeCount) {
		e := &steno.Event{
			Seq: int64(typ) + 1, At: 5, Type: typ, Whole: typ%3 == 0, Choice: 7,
			Turn: uint32(typ) / 4, Step: 2, Attempt: 3, Message: "1", Part: "4", Block: "b",
			Call: "c", Name: "n", Text: "t\x00ü", Body: steno.NewBody(typ),
		}
		switch b := e.Body.(type) {
		case *steno.Unrecognised:
			b.Name, b.Raw = "not-yet-invented", odd
		case *steno.Block:
			b.Raw = odd
		}
		events = append(events, e)
	}
	appendAll(t, j, "a", 0, events)
	wantEvents(t, j, "a", 0, events)
	if err := j.Compact(t.Context(), "a", int64(len(events))); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, j, "a", 0, events)
}

func testAppendRefuses(t *testing.T, j journal.Journal) {
	ctx := t.Context()
	appendAll(t, j, "a", 0, Deltas(1, 5))
	gap := append(Deltas(6, 1), Deltas(8, 1)...)
	for _, c := range []struct {
		name   string
		branch string
		after  int64
		events []*steno.Event
		want   error
	}{
		{"after an older event", "a", 3, Deltas(4, 1), steno.ErrConflict},
		{"after a later event", "a", 6, Deltas(7, 1), steno.ErrConflict},
		{"new branch not at its start", "new", 1, Deltas(2, 1), steno.ErrConflict},
		{"old branch at its start", "a", 0, Deltas(1, 1), steno.ErrConflict},
		{"seq does not follow after", "a", 5, Deltas(7, 1), steno.ErrGap},
		{"seq repeats after", "a", 5, Deltas(5, 1), steno.ErrGap},
		{"gap inside", "a", 5, gap, steno.ErrGap},
	} {
		if err := j.Append(ctx, c.branch, c.after, c.events); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if err := j.Append(ctx, "a", 5, []*steno.Event{{Seq: 6, Text: strings.Repeat("x", journal.MaxEvent+1)}}); !errors.Is(err, steno.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	wantEvents(t, j, "a", 0, Deltas(1, 5))
	if _, err := j.Head(ctx, "new"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("a refused append made the branch: %v", err)
	}
	appendAll(t, j, "a", 5, Deltas(6, 1))
}

func testAppendNothing(t *testing.T, j journal.Journal) {
	appendAll(t, j, "a", 0, nil)
	if _, err := j.Head(t.Context(), "a"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("an append of nothing made the branch: %v", err)
	}
}

func testUnknownBranch(t *testing.T, j journal.Journal) {
	ctx := t.Context()
	_, headErr := j.Head(ctx, "none")
	_, readErr := collect(ctx, j, "none", 0)
	for name, err := range map[string]error{
		"Head": headErr, "Read": readErr,
		"Compact": j.Compact(ctx, "none", 1), "Delete": j.Delete(ctx, "none"),
	} {
		if !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
	if infos := list(t, j); len(infos) != 0 {
		t.Errorf("List of an empty journal: %v", infos)
	}
}

// testBorrowed writes over the events of an append once it has returned, as a
// recorder that uses its buffers again does.
func testBorrowed(t *testing.T, j journal.Journal) {
	buf := []byte("xxxxx")
	var head int64
	for _, want := range Deltas(1, 20) {
		e := *want
		copy(buf, want.Text)
		e.Text = string(buf)
		appendAll(t, j, "a", head, []*steno.Event{&e})
		e = steno.Event{Text: "overwritten", Message: "overwritten"}
		head++
	}
	wantEvents(t, j, "a", 0, Deltas(1, 20))
}

func testHead(t *testing.T, j journal.Journal) {
	var head int64
	for n := 1; n < 6; n++ {
		appendAll(t, j, "a", head, Deltas(head+1, n))
		head += int64(n)
		wantHead(t, j, "a", head)
	}
	if err := j.Compact(t.Context(), "a", head); err != nil {
		t.Fatal(err)
	}
	wantHead(t, j, "a", head)
}

func testList(t *testing.T, j journal.Journal) {
	for i, branch := range []string{"z", "a", "m"} {
		appendAll(t, j, branch, 0, Deltas(1, i+1))
	}
	appendAll(t, j, "z", 1, Deltas(2, 99))
	check := func(name string) {
		infos := list(t, j)
		if len(infos) != 3 {
			t.Fatalf("%s: %d branches", name, len(infos))
		}
		for i, want := range []struct {
			branch string
			head   int64
		}{{"z", 100}, {"a", 2}, {"m", 3}} {
			got := infos[i]
			first, last := Deltas(1, 1)[0].At, Deltas(want.head, 1)[0].At
			if got.Branch != want.branch || got.Head != want.head || got.First != first || got.Last != last {
				t.Errorf("%s: branch %d is %+v, want %s to %d, %d to %d", name, i, got, want.branch, want.head, first, last)
			}
			if got.Bytes <= 0 || got.Damaged {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	check("runs")
	if err := j.Compact(t.Context(), "z", 100); err != nil {
		t.Fatal(err)
	}
	check("segment")
}

func testLargeEvent(t *testing.T, j journal.Journal) {
	events := Deltas(1, 4)
	events[1].Text = strings.Repeat("ä", 3<<20)
	events[3].Text = strings.Repeat("b", 5<<20)
	appendAll(t, j, "a", 0, events)
	wantEvents(t, j, "a", 0, events)
	wantEvents(t, j, "a", 3, events[3:])
	if err := j.Compact(t.Context(), "a", 4); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, j, "a", 0, events)
}
