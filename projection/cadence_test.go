package projection_test

import (
	"errors"
	"testing"

	"github.com/stenolog/steno/projection"
)

func TestC21Immediate(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"))
	r.wantTold("+m:1")
	if r.frames.waiting() != 0 {
		t.Error("something is pending")
	}
}

func TestC22FramesMerge(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"))
	r.told = nil
	r.push(delta("m", "1", "a"), delta("m", "1", "b"), delta("m", "1", "c"), delta("m", "1", "d"))
	r.wantTold()
	if got := len(r.frames.pending); got != 1 {
		t.Errorf("%d frames were scheduled, want 1", got)
	}
	r.frames.fire()
	r.wantTold("~m:1")
	r.want("m:1=abcd")
}

func TestC23ImmediateTakesTheFrameAlong(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), start("m", "2"))
	r.told = nil
	r.push(delta("m", "1", "a"))
	late := r.frames.pending[0]
	r.push(delta("m", "2", "b").at(projection.Immediate))
	r.wantTold("~m:1 ~m:2")
	if r.frames.waiting() != 0 {
		t.Error("the frame is still pending")
	}
	late()
	r.wantTold()
}

func TestC24Silent(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), start("m", "2"))
	r.told = nil
	r.push(silent("m", "1", "x"))
	r.wantTold()
	r.want("m:1=x m:2=")
	r.push(delta("m", "2", "y").at(projection.Immediate))
	r.wantTold("~m:1 ~m:2")
}

func TestC25HighestCadenceWins(t *testing.T) {
	fast := definition("fast")
	fast.Match = func(n *note) (projection.Claim, bool) { return claims("m", n) }
	fast.Cadence = nil
	r := newRig(t, &manual{}, projection.Of(definition("m")), projection.Of(fast))
	r.push(start("m", "1"))
	r.told = nil
	r.push(delta("m", "1", "x"))
	r.wantTold("~m:1 ~fast:1")
}

// atOnce fires inside Schedule.
type atOnce struct{}

func (atOnce) Schedule(fire func()) func() { fire(); return nil }

func TestC26SynchronousScheduler(t *testing.T) {
	r := newRig(t, atOnce{})
	r.push(start("m", "1"))
	for range 5 {
		r.push(delta("m", "1", "x"))
	}
	if len(r.told) != 6 {
		t.Errorf("%d deliveries, want 6", len(r.told))
	}
}

func TestC27SchedulerMisbehaves(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), delta("m", "1", "a"))
	r.told = nil
	fire := r.frames.pending[0]
	fire()
	fire()
	r.wantTold("~m:1")
	r.push(delta("m", "1", "b"))
	fire() // the old one once more
	r.wantTold()
	r.frames.fire()
	r.wantTold("~m:1")
}

func TestC28SilentBatchLeavesTheFrame(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), delta("m", "1", "a"))
	r.told = nil
	r.Batch(func() error { r.push(silent("m", "1", "b")); return nil })
	r.wantTold()
	if r.frames.waiting() != 1 {
		t.Error("the frame is gone")
	}
}

func TestC29BatchSettlesOnce(t *testing.T) {
	r := newRig(t, &manual{})
	r.Batch(func() error {
		for i := range 50 {
			r.push(start("m", string(rune('A'+i))))
		}
		return nil
	})
	if len(r.told) != 1 || r.Snapshot().Len(projection.Collection{}) != 50 {
		t.Errorf("%d deliveries of %d nodes", len(r.told), r.Snapshot().Len(projection.Collection{}))
	}
	r.told = nil
	r.Batch(func() error { r.push(delta("m", "A", "x"), delta("m", "B", "x")); return nil })
	r.wantTold()
	r.frames.fire()
	r.wantTold("~m:A ~m:B")
}

func TestC30EmptyBatch(t *testing.T) {
	r := newRig(t, nil)
	r.Batch(func() error { return nil })
	r.Batch(func() error { r.push(start("other", "x")); return nil })
	r.wantTold()
}

func TestC31NestedBatch(t *testing.T) {
	r := newRig(t, nil)
	r.Batch(func() error {
		r.Batch(func() error { r.push(start("m", "1")); return nil })
		r.wantTold()
		r.push(start("m", "2"))
		return nil
	})
	r.wantTold("+m:1 +m:2")
}

func TestC32BatchFails(t *testing.T) {
	r := newRig(t, nil)
	boom := errors.New("boom")
	err := r.Batch(func() error { r.push(start("m", "1")); return boom })
	if !errors.Is(err, boom) {
		t.Errorf("Batch = %v", err)
	}
	r.wantTold("+m:1")
}

func TestC33ResetInBatch(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "old"))
	r.told = nil
	r.Batch(func() error {
		r.Reset()
		r.push(start("m", "a"))
		return nil
	})
	r.wantTold("all +m:a")
	r.want("m:a=")
}

func TestC34ChangedSetIsCleared(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "a"), start("m", "b"))
	r.told = nil
	r.push(delta("m", "b", "x"), delta("m", "a", "y"))
	r.wantTold("~m:b", "~m:a")
}
