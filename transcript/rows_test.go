package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// rowView applies the changes of rows as a page does.
type rowView struct {
	t    rapid.TB
	rows []Change
	log  []string
}

func (v *rowView) apply(c Change) {
	at := slices.IndexFunc(v.rows, func(r Change) bool { return r.Key == c.Key })
	v.log = append(v.log, fmt.Sprintf("%v %s", c.Op, c.Key))
	if (c.Op == slot.Inserted) != (at < 0) {
		v.t.Fatalf("%v of row %s, which is at %d", c.Op, c.Key, at)
	}
	if c.Op&(slot.Removed|slot.Moved) != 0 {
		v.rows = slices.Delete(v.rows, at, at+1)
	}
	switch {
	case c.Op == slot.Removed:
	case c.Op&(slot.Inserted|slot.Moved) != 0:
		before := len(v.rows)
		if c.Before != "" {
			if before = slices.IndexFunc(v.rows, func(r Change) bool { return r.Key == c.Before }); before < 0 {
				v.t.Fatalf("row %s goes before %s, which is not there", c.Key, c.Before)
			}
		}
		v.rows = slices.Insert(v.rows, before, c)
	default:
		v.rows[at] = c
	}
}

// show writes rows in one line.
func show(rows []Change) string {
	var out []string
	for _, c := range rows {
		r := c.Value.(*Row)
		s := r.Type
		if r.Group != "" {
			s += " " + r.Group + " " + r.State
		}
		s += fmt.Sprint(r.Parts) + string(r.Reason) + r.Item
		if r.Superseded {
			s += " superseded"
		}
		out = append(out, fmt.Sprintf("%s@%d %s", c.Key, int32(c.Turn), s))
	}
	return strings.Join(out, "\n")
}

// rowTest folds source events and holds what a page has drawn.
type rowTest struct {
	rowView
	norm   Normaliser
	engine *projection.Engine[steno.Event]
	kept   Rows
	seq    int64
}

func newRowTest(t rapid.TB) *rowTest {
	x := &rowTest{rowView: rowView{t: t}, engine: NewEngine(projection.Options[steno.Event]{})}
	x.engine.Subscribe(func(p *projection.Publication) {
		if p.All {
			x.rows = nil
		}
		x.kept.Apply(p, x.apply)
	})
	return x
}

// push folds source events as one batch.
func (x *rowTest) push(source ...*steno.Event) {
	_ = x.engine.Batch(func() error {
		for _, e := range source {
			x.norm.Normalise(e, func(e *steno.Event) {
				x.seq++
				e.Seq = x.seq
				_ = x.engine.Push(e)
			})
		}
		return nil
	})
}

// check compares what is drawn with the rows of the snapshot.
func (x *rowTest) check() {
	want := show(slices.Collect(RowsOf(x.engine.Snapshot()).All()))
	if got := show(x.rows); got != want {
		x.t.Fatalf("drawn:\n%s\nsnapshot:\n%s\nafter %v", got, want, x.log)
	}
	if kept := show(slices.Collect(x.kept.All())); kept != want {
		x.t.Fatalf("kept:\n%s\nsnapshot:\n%s", kept, want)
	}
}

// TestC91RowsEqualTheSnapshots checks that rows derived publication by
// publication are those of the final snapshot, over random sources and batches
// with cuts in between.
func TestC91RowsEqualTheSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newRowTest(t)
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			x.push(rapid.SliceOfN(anyEvent(), 0, 6).Draw(t, "batch")...)
			x.check()
			if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
				x.truncate(t)
			}
		}
	})
}

// truncate cuts the engine at a random message, and then begins again.
func (x *rowTest) truncate(t *rapid.T) {
	s := x.engine.Snapshot()
	if s.Len(Messages) == 0 {
		return
	}
	k := s.At(Messages, rapid.IntRange(0, s.Len(Messages)-1).Draw(t, "at")).Key
	if _, err := x.engine.Truncate(Messages, k); err != nil {
		t.Fatal(err)
	}
	x.check()
	if err := x.engine.Reset(); err != nil {
		t.Fatal(err)
	}
	x.norm, x.seq = Normaliser{}, 0
	x.check()
}

// lines pushes events one batch each and returns the rows, briefly.
func (x *rowTest) lines(source string) string {
	for _, l := range splitLines(source) {
		x.push(src(x.t.(*testing.T), l)...)
	}
	x.check()
	var out []string
	for _, c := range x.rows {
		r := c.Value.(*Row)
		switch r.Type {
		case RowGroup:
			out = append(out, fmt.Sprintf("%s(%d,%s)", r.Group, len(r.Parts), r.State))
		case RowBatch:
			out = append(out, fmt.Sprintf("batch(%d)", len(r.Parts)))
		case RowEnd:
			out = append(out, "end("+string(r.Reason)+")")
		default:
			out = append(out, r.Type)
		}
		if r.Superseded {
			out[len(out)-1] += "*"
		}
	}
	return strings.Join(out, " ")
}

func named(id, name string) string {
	return "{'type':'tool-call','id':'" + id + "','name':'" + name + "'};"
}

func TestRows(t *testing.T) {
	queued := "{'type':'user-message','message':'u','text':'u','queued':true};"
	two := "{'type':'user-message','message':'v','text':'v','queued':true};"
	for _, l := range []line{
		{
			"C83 groups of thinking", inBlock("0", "reasoning-delta", "a") + inBlock("1", "reasoning-delta", "b") + inBlock("2", "text-delta", "c") + inBlock("3", "reasoning-delta", "d"),
			"thinking(2,completed) part thinking(1,open)",
		},
		{"C84 exploration across steps", named("a", "read") + named("b", "glob") + stepEnd + named("c", "grep"), "exploration(3,open)"},
		{"C84 text completes it", named("a", "read") + named("b", "glob") + stepEnd + named("c", "grep") + delta("t"), "exploration(3,completed) part"},
		{"C85 a call named like a part", inBlock("0", "reasoning-delta", "a") + named("reasoning:0", "bash"), "thinking(1,completed) batch(1)"},
		{"C86 blank text is no row", delta(" "), ""},
		{"C86 the first that is not blank is", delta(" ") + delta("a") + delta("b"), "part"},
		{"C86 blank text between parts no group", inBlock("0", "reasoning-delta", "a") + inBlock("1", "text-delta", " ") + inBlock("2", "reasoning-delta", "b"), "thinking(2,open)"},
		{"C86 and does once it is not blank", inBlock("0", "reasoning-delta", "a") + inBlock("1", "text-delta", " ") + inBlock("2", "reasoning-delta", "b") + inBlock("1", "text-delta", "c"), "thinking(1,completed) part thinking(1,open)"},
		{"C87 a queued prompt leaves the group open", start + think("a") + queued, "thinking(1,open) queue"},
		{"C87 taken it completes it", start + think("a") + queued + two + "{'type':'queue-taken','id':'u'}", "thinking(1,completed) message queue"},
		{"a withdrawn prompt", start + think("a") + queued + "{'type':'queue-withdrawn','id':'u'}", "thinking(1,open)"},
		{"calls side by side", named("a", "bash") + named("b", "edit") + stepEnd + named("c", "bash"), "batch(2) batch(1)"},
		{"a notice splits a batch", named("a", "bash") + notice + named("b", "edit"), "batch(1) part batch(1)"},
		{"a message cut off", start + delta("a") + "{'type':'step-end','finish':'length'};" + done, "part end(length)"},
		{"a message stopped", start + think("a") + "{'type':'cancelled'};" + done, "thinking(1,completed) part end(cancelled)"},
		{"a failed attempt", start + delta("a") + failure + "{'type':'attempt-start','n':2};" + delta("b") + done, "part* part* part"},
		{"failed thinking joins nothing", start + think("a") + failure + "{'type':'attempt-failed'};" + think("b"), "thinking(1,completed)* part* thinking(1,open)"},
		{"redacted thinking is shown", "{'type':'reasoning-end','block':'0','opaque':{'data':'x'}}", "thinking(1,open)"},
		{"a person's message", "{'type':'user-message','text':'u'}", "message"},
		{"notices between turns", notice + notice, "part part"},
	} {
		t.Run(l.rule, func(t *testing.T) {
			if got := newRowTest(t).lines(l.source); got != l.want {
				t.Errorf("got  %s\nwant %s", got, l.want)
			}
		})
	}
}

// TestC86NoRowPublications checks that deltas change no row.
func TestC86NoRowPublications(t *testing.T) {
	x := newRowTest(t)
	x.lines(delta("a") + named("x", "bash"))
	before := len(x.log)
	for range 10 {
		x.push(src(t, "{'type':'tool-output','text':'o'}")...)
	}
	x.push(src(t, "{'type':'text-delta','text':'b'}")...)
	started := len(x.log)
	for range 10 {
		x.push(src(t, "{'type':'text-delta','text':'b'}")...)
	}
	if started-before != 1 || len(x.log) != started {
		t.Errorf("rows changed: %v", x.log)
	}
}

// TestC87SameSlot checks that a prompt that is taken keeps its row.
func TestC87SameSlot(t *testing.T) {
	x := newRowTest(t)
	x.lines(start + think("a") + "{'type':'user-message','message':'u','text':'u','queued':true};{'type':'user-message','message':'v','text':'v','queued':true}")
	key := x.rows[1].Key
	x.log = nil
	x.lines("{'type':'queue-taken','id':'u'}")
	if x.rows[1].Key != key || x.rows[1].Value.(*Row).Type != RowMessage {
		t.Errorf("rows %s", show(x.rows))
	}
	for _, l := range x.log {
		if strings.Contains(l, "removed") || strings.Contains(l, "inserted") {
			t.Errorf("told %v", x.log)
		}
	}
}
