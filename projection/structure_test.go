package projection_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

func (r *rig) truncate(kind, id string) int {
	r.t.Helper()
	n, err := r.Truncate(projection.Collection{}, projection.Key{Kind: kind, ID: id})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func TestC35C39Truncate(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"), start("m", "b"), start("t", "c"))
	r.told = nil
	if n := r.truncate("m", "b"); n != 2 {
		t.Errorf("removed %d, want 2", n)
	}
	r.want("m:a=")
	r.wantTold("-t:c -m:b")
}

func TestC36TruncateKeepsText(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"), start("m", "b"), delta("m", "a", "x"))
	if n := r.truncate("m", "b"); n != 1 {
		t.Errorf("removed %d, want 1", n)
	}
	r.want("m:a=x")
}

func TestC37TruncateUnknown(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"))
	r.told = nil
	if n := r.truncate("m", "z"); n != 0 {
		t.Errorf("removed %d, want 0", n)
	}
	r.wantTold()
}

func TestC38TruncateThenStart(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"), start("m", "b"))
	var old []slot.Op
	r.SubscribeNode(projection.Collection{}, projection.Key{Kind: "m", ID: "b"}, func(c *projection.Change) {
		old = append(old, c.Op)
	})
	r.truncate("m", "b")
	r.push(start("m", "b"), delta("m", "b", "x"))
	r.want("m:a= m:b=x")
	if len(old) != 1 || old[0] != slot.Removed {
		t.Errorf("the old slot was told %v, want Removed once", old)
	}
	if got := after(r, "b"); got != "a" {
		t.Errorf("previous of the new node is %q", got)
	}
}

func TestC40TruncateCancelsTheFrame(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "a"), start("m", "b"), delta("m", "b", "x"))
	r.told = nil
	late := r.frames.pending[0]
	r.truncate("m", "b")
	r.wantTold("-m:b")
	late()
	r.frames.fire()
	r.wantTold()
}

func TestC41HeldSnapshotIsNotAliased(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"), start("m", "b"), start("m", "c"))
	held := r.Snapshot()
	r.truncate("m", "b")
	r.push(start("m", "d"), delta("m", "d", "x"))
	if got := nodesOf(held); got != "m:a= m:b= m:c=" {
		t.Errorf("the held snapshot shows %q", got)
	}
	r.want("m:a= m:d=x")
}

func TestC44NoInitialCall(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"))
	called := 0
	r.Subscribe(func(*projection.Publication) { called++ })
	if called != 0 {
		t.Error("the subscriber was called at once")
	}
}

func TestC45Unsubscribe(t *testing.T) {
	r := newRig(t, nil)
	called := 0
	cancel := r.Subscribe(func(*projection.Publication) { called++ })
	r.push(start("m", "a"))
	cancel()
	cancel()
	r.push(start("m", "b"))
	if called != 1 {
		t.Errorf("called %d times, want 1", called)
	}
}

func TestC46UnsubscribedByANeighbour(t *testing.T) {
	r := newRig(t, nil)
	var cancelB func()
	r.Subscribe(func(*projection.Publication) { cancelB() })
	called := 0
	cancelB = r.Subscribe(func(*projection.Publication) { called++ })
	r.push(start("m", "a"))
	if called != 0 {
		t.Error("B was called after A had unsubscribed it")
	}
}

func TestC47PushFromListener(t *testing.T) {
	r := newRig(t, nil)
	r.Subscribe(func(p *projection.Publication) {
		if p.Revision == 1 {
			r.push(start("m", "b"))
		}
	})
	var seen []int64
	r.Subscribe(func(p *projection.Publication) { seen = append(seen, p.Revision) })
	r.push(start("m", "a"))
	if fmt.Sprint(seen) != "[1 2]" {
		t.Errorf("revisions seen are %v, want [1 2]", seen)
	}
	r.want("m:a= m:b=")
}

func TestC48ListenerPanics(t *testing.T) {
	r := newRig(t, nil)
	r.Subscribe(func(*projection.Publication) { panic("no") })
	var got string
	r.Subscribe(func(p *projection.Publication) { got = describe(p) })
	r.push(start("m", "a"))
	if got != "+m:a" || len(r.errs) != 1 {
		t.Errorf("the other got %q, reported %v", got, r.errs)
	}
}

func TestC49BlockedSubscriber(t *testing.T) {
	r := newRig(t, nil)
	w, cancel := r.Watch()
	defer cancel()
	r.push(start("m", "a"))
	const n = 100_000
	for range n {
		r.push(delta("m", "a", "x"))
	}
	<-w.Wake()
	s, changed, _ := w.Take()
	if len(changed) != 1 || changed[projection.Address{Key: projection.Key{Kind: "m", ID: "a"}}] != slot.Inserted {
		t.Errorf("changed is %v, want one merged insert", changed)
	}
	if got := projection.MustState[doc](s.At(projection.Collection{}, 0)).Text.Len(); got != n {
		t.Errorf("the first wake shows %d bytes, want %d", got, n)
	}
	select {
	case <-w.Wake():
		t.Error("there is a second token")
	default:
	}
}

func TestC50ReadersAndWriter(t *testing.T) {
	r := newRig(t, nil)
	const ids = 4
	for i := range ids {
		r.push(start("m", fmt.Sprint(i)))
	}
	w, cancel := r.Watch()
	defer cancel()
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for {
				if s, _, _ := w.Take(); s != nil {
					checkConsistent(t, s)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 500 {
		r.Batch(func() error {
			for i := range ids {
				r.push(delta("m", fmt.Sprint(i), "x"))
			}
			return nil
		})
	}
	close(done)
	readers.Wait()
}

// checkConsistent fails if the nodes are not all of one revision: each batch
// makes all of them one longer.
func checkConsistent(t *testing.T, s *projection.Snapshot) {
	first := -1
	for n := range s.Nodes(projection.Collection{}) {
		l := projection.MustState[doc](n).Text.Len()
		if first >= 0 && l != first {
			t.Errorf("a snapshot holds texts of %d and %d", first, l)
		}
		first = l
	}
}

func TestSubscribeStructure(t *testing.T) {
	r := newRig(t, nil)
	called := 0
	r.SubscribeStructure(projection.Collection{}, func(projection.Collection) { called++ })
	r.push(start("m", "a"), delta("m", "a", "x"), note{kind: "m", id: "a", do: "remove"})
	if called != 2 {
		t.Errorf("told of structure %d times, want 2", called)
	}
}

// C74: what a delta costs is counted, and does not depend on what stands
// around it.
func TestC74CountsDoNotDependOnSize(t *testing.T) {
	for _, parts := range []int{1, 100, 10_000} {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			r := newRig(t, nil)
			for i := range parts {
				r.push(start("m", fmt.Sprint(i)))
			}
			before := r.Metrics()
			ev := delta("m", fmt.Sprint(parts/2), "abcd")
			const n = 1000
			for range n {
				r.push(ev)
			}
			m := r.Metrics()
			if got := m.Writes - before.Writes; got != n {
				t.Errorf("%d slot writes, want %d", got, n)
			}
			if got := m.Slots - before.Slots; got != n {
				t.Errorf("%d slot publications, want %d", got, n)
			}
			if got := m.Structures - before.Structures; got != 0 {
				t.Errorf("%d structural publications, want 0", got)
			}
		})
	}
}

func TestDeltaAllocatesNothing(t *testing.T) {
	e := newEngine(t)
	begin := textStart("0")
	e.Push(&begin)
	told := 0
	e.Subscribe(func(p *projection.Publication) { told += p.Len() })
	ev := textDelta("0")
	if got := testing.AllocsPerRun(10_000, func() { e.Push(&ev) }); got != 0 {
		t.Errorf("%v allocations a delta, want 0", got)
	}
	frozen := func() { e.Push(&ev); e.Snapshot() }
	if got := testing.AllocsPerRun(1000, frozen); got > 6 {
		t.Errorf("%v allocations a delta with a whole snapshot after each, want ≤ 6", got)
	}
}

func TestFrozenReadAllocatesOnce(t *testing.T) {
	e := newEngine(t)
	begin := textStart("0")
	e.Push(&begin)
	e.Subscribe(func(p *projection.Publication) {
		for c := range p.Changes() {
			c.Node()
			c.Node()
		}
	})
	ev := textDelta("0")
	if got := testing.AllocsPerRun(10_000, func() { e.Push(&ev) }); got > 2 {
		t.Errorf("%v allocations a delta with a frozen read, want ≤ 2", got)
	}
}
