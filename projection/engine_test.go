package projection_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

func TestC1SameKindTwice(t *testing.T) {
	_, err := projection.New(projection.Options[note]{Kinds: []projection.Kind[note]{
		projection.Of(definition("m")), projection.Of(definition("m")),
	}})
	if err == nil || !strings.Contains(err.Error(), `"m"`) {
		t.Errorf("New = %v, want an error that names the kind", err)
	}
}

func TestC2Unclaimed(t *testing.T) {
	r := newRig(t, nil)
	before := r.Snapshot()
	r.push(start("other", "x"))
	if r.Snapshot() != before {
		t.Error("an unclaimed event made a new snapshot")
	}
	r.wantTold()
}

func TestC3Fold(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"), delta("m", "1", "he"), delta("m", "1", "llo"))
	r.want("m:1=hello")
}

func TestC4C43UnknownNode(t *testing.T) {
	r := newRig(t, nil)
	r.push(delta("m", "1", "x"))
	r.want("")
	r.wantTold()
	if got := r.Metrics().Unmatched; got != 1 {
		t.Errorf("Unmatched = %d, want 1", got)
	}
}

func TestC5Order(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"), start("t", "1"), delta("m", "1", "x"))
	r.want("m:1=x t:1=")
}

func TestC6SameIDTwoKinds(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "x"), start("t", "x"))
	r.want("m:x= t:x=")
}

func TestC7KeysDoNotCollide(t *testing.T) {
	r := newRig(t, nil, projection.Of(definition("a")), projection.Of(definition("a:b")))
	r.push(start("a", "b:c"), start("a:b", "c"))
	r.want("a:b:c= a%3Ab:c=")
}

func TestC8OneEventTwoNodes(t *testing.T) {
	second := definition("second")
	second.Match = func(n *note) (projection.Claim, bool) { return claims("m", n) }
	r := newRig(t, nil, projection.Of(definition("m")), projection.Of(second))
	r.push(start("m", "1"))
	r.want("m:1= second:1=")
	r.wantTold("+m:1 +second:1")
}

func after(r *rig, id string) string {
	for n := range r.Snapshot().Nodes(projection.Collection{}) {
		if n.Key.ID == id {
			return projection.MustState[doc](n).After
		}
	}
	return "none"
}

func TestC9Previous(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"), start("m", "2"))
	if after(r, "1") != "" || after(r, "2") != "1" {
		t.Errorf("previous are %q and %q", after(r, "1"), after(r, "2"))
	}
}

func TestC10PreviousLooksOnlyBack(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"), start("m", "2"), start("m", "1"))
	if got := after(r, "1"); got != "" {
		t.Errorf("previous in the re-start is %q, want none", got)
	}
	r.push(start("m", "2"))
	if got := after(r, "2"); got != "1" {
		t.Errorf("previous in the second re-start is %q, want 1", got)
	}
}

func TestC11StartAgain(t *testing.T) {
	r := newRig(t, nil)
	slots := map[*slot.Slot[projection.Key]]bool{}
	r.Subscribe(func(p *projection.Publication) {
		for c := range p.Changes() {
			if c.Key().Kind == "m" {
				slots[c.Slot()] = true
			}
		}
	})
	r.push(start("m", "1"), delta("m", "1", "old"), start("t", "1"))
	old := r.Snapshot().At(projection.Collection{}, 0)
	r.push(start("m", "1"))
	r.want("m:1= t:1=")
	n := r.Snapshot().At(projection.Collection{}, 0)
	if n.Seq != old.Seq || n.Generation != old.Generation+1 {
		t.Errorf("seq %d → %d, generation %d → %d", old.Seq, n.Seq, old.Generation, n.Generation)
	}
	r.push(delta("m", "1", "new"))
	r.want("m:1=new t:1=")
	if len(slots) != 1 {
		t.Errorf("the node stood in %d slots", len(slots))
	}
}

func TestC12SnapshotStays(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"), delta("m", "1", "a"))
	s := r.Snapshot()
	r.push(delta("m", "1", "b"))
	if got := nodesOf(s); got != "m:1=a" {
		t.Errorf("the old snapshot shows %q", got)
	}
	r.want("m:1=ab")
}

func TestC13SnapshotIdentity(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"))
	s := r.Snapshot()
	if r.Snapshot() != s {
		t.Error("two snapshots without an event in between differ")
	}
	r.push(silent("m", "1", "x"))
	if r.Snapshot() == s {
		t.Error("an accepted event made no new snapshot")
	}
}

func TestC14UntouchedNodesAreTheSame(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"), start("m", "b"))
	s := r.Snapshot()
	r.push(delta("m", "b", "x"))
	n := r.Snapshot()
	c := projection.Collection{}
	if s.At(c, 0) != n.At(c, 0) {
		t.Error("the untouched node was copied")
	}
	if s.At(c, 1) == n.At(c, 1) {
		t.Error("the changed node is the old object")
	}
}

// notes draws a log of events over few ids, so that they meet.
func notes(t *rapid.T) []note {
	one := rapid.Custom(func(t *rapid.T) note {
		return note{
			kind: rapid.SampledFrom([]string{"m", "t"}).Draw(t, "kind"),
			id:   rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id"),
			do:   rapid.SampledFrom([]string{"start", "delta", "delta", "delta", "remove"}).Draw(t, "do"),
			text: rapid.StringN(0, 3, -1).Draw(t, "text"),
			cadence: rapid.SampledFrom([]projection.Cadence{
				projection.Silent, projection.Frame, projection.Immediate,
			}).Draw(t, "cadence"),
		}
	})
	return rapid.SliceOfN(one, 0, 60).Draw(t, "log")
}

func TestC15C16ReplayEqualsLive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		log := notes(rt)
		live := newRig(t, &manual{})
		for i := range log {
			live.push(log[i])
			if rapid.IntRange(0, 5).Draw(rt, "fire") == 0 {
				live.frames.fire()
			}
		}
		again := newRig(t, nil)
		for i := 0; i < len(log); {
			n := rapid.IntRange(1, len(log)-i).Draw(rt, "batch")
			again.Batch(func() error {
				for _, x := range log[i : i+n] {
					again.push(x.at(projection.Frame))
				}
				return nil
			})
			i += n
		}
		if a, b := live.nodes(), again.nodes(); a != b {
			rt.Fatalf("live %q, replayed %q", a, b)
		}
		c := projection.Collection{}
		for i := range live.Snapshot().Len(c) {
			a, b := live.Snapshot().At(c, i), again.Snapshot().At(c, i)
			if a.Seq != b.Seq || a.Generation != b.Generation {
				rt.Fatalf("node %v: seq %d and %d, generation %d and %d", a.Key, a.Seq, b.Seq, a.Generation, b.Generation)
			}
		}
	})
}

func TestC17FailingDefinition(t *testing.T) {
	bad := definition("bad")
	bad.Match = func(n *note) (projection.Claim, bool) { return claims("m", n) }
	bad.Update = func(d doc, n *note) doc {
		if n.text == "!" {
			panic("no")
		}
		d.Text = d.Text.Append(n.text)
		return d
	}
	r := newRig(t, nil, projection.Of(bad), projection.Of(definition("m")))
	r.push(start("m", "1"), delta("m", "1", "a"), delta("m", "1", "!"), start("m", "2"))
	r.want("bad:1=a m:1=a! bad:2= m:2=")
	if len(r.errs) != 1 || !strings.Contains(r.errs[0].Error(), `"bad"`) {
		t.Errorf("reported %v, want one error that names the kind", r.errs)
	}
	if got := r.Snapshot().At(projection.Collection{}, 2).Seq; got != 4 {
		t.Errorf("seq after the failure is %d, want 4", got)
	}
}

func TestC17AllFailingBurnsNoSeq(t *testing.T) {
	bad := definition("m")
	bad.Update = func(doc, *note) doc { panic("no") }
	r := newRig(t, nil, projection.Of(bad))
	r.push(start("m", "1"), delta("m", "1", "x"), start("m", "2"))
	if got := r.Snapshot().At(projection.Collection{}, 1).Seq; got != 2 {
		t.Errorf("seq is %d, want 2: the failed event was not accepted", got)
	}
}

func TestC18PushFromFold(t *testing.T) {
	var r *rig
	var got error
	d := definition("m")
	d.Start = func(*note, projection.Reader) doc {
		n := start("m", "2")
		got = r.Push(&n)
		return doc{}
	}
	r = newRig(t, nil, projection.Of(d))
	r.push(start("m", "1"))
	if !errors.Is(got, projection.ErrReentrant) {
		t.Errorf("Push = %v, want ErrReentrant", got)
	}
	r.want("m:1=")
}

func TestC19Reset(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), delta("m", "1", "x"))
	r.told = nil
	if err := r.Reset(); err != nil {
		t.Fatal(err)
	}
	r.wantTold("all")
	r.frames.fire()
	r.wantTold()
	r.want("")
	r.push(start("m", "2"))
	if got := r.Snapshot().At(projection.Collection{}, 0).Seq; got != 1 {
		t.Errorf("seq after a reset is %d, want 1", got)
	}
}

func TestC20Close(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), delta("m", "1", "x"))
	r.told = nil
	fire := r.frames.pending[0]
	r.Close()
	fire()
	r.wantTold()
	n := start("m", "2")
	if err := r.Push(&n); !errors.Is(err, projection.ErrClosed) {
		t.Errorf("Push = %v, want ErrClosed", err)
	}
}

// TestG34StartAfterItsDelta is the sequence of that case: a delta whose start
// was lost makes nothing, and a repeated start opens its node anew, in place.
func TestG34StartAfterItsDelta(t *testing.T) {
	r := newRig(t, nil)
	for _, step := range []struct {
		push note
		want string
	}{
		{delta("m", "x", "a"), ""},
		{start("m", "x"), "m:x="},
		{delta("m", "x", "b"), "m:x=b"},
		{delta("m", "x", "c"), "m:x=bc"},
		{start("m", "y"), "m:x=bc m:y="},
		{start("m", "x"), "m:x= m:y="},
		{delta("m", "x", "d"), "m:x=d m:y="},
	} {
		r.push(step.push)
		r.want(step.want)
	}
}
