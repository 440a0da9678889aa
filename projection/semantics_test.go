package projection_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// TestB holds the engine to the table of decisions in semantics.md B, a subtest
// a row, named by the row's first cell. What a line of the conformance list
// already says of a row is run by its own test. The rows "sync" and "windows"
// stand with the transcript.
func TestB(t *testing.T) {
	t.Run("claims", func(t *testing.T) {
		t.Run("one a definition and event", oneClaim)
		t.Run("asked about its types only", asksOnlyItsTypes)
		t.Run("C8", TestC8OneEventTwoNodes)
	})
	t.Run("keys", func(t *testing.T) {
		t.Run("escaped", keysAreEscaped)
		t.Run("C6", TestC6SameIDTwoKinds)
		t.Run("C7", TestC7KeysDoNotCollide)
	})
	t.Run("when to publish", func(t *testing.T) {
		t.Run("without a scheduler", endOfOutermostPush)
		t.Run("C21", TestC21Immediate)
		t.Run("C22", TestC22FramesMerge)
		t.Run("C23", TestC23ImmediateTakesTheFrameAlong)
		t.Run("C24", TestC24Silent)
		t.Run("C25", TestC25HighestCadenceWins)
		t.Run("C28", TestC28SilentBatchLeavesTheFrame)
	})
	t.Run("what a subscriber gets", subscriptions)
	t.Run("equality", equality)
	t.Run("untouched nodes", TestC14UntouchedNodesAreTheSame)
	t.Run("failing definition", failingDefinition)
	t.Run("failing listener", failingListener)
	t.Run("push from inside a listener", TestC47PushFromListener)
	t.Run("push from inside match, start or update", pushFromFold)
	t.Run("unsubscribe during a notification", func(t *testing.T) {
		t.Run("C46", TestC46UnsubscribedByANeighbour)
		t.Run("closed by a neighbour", closedByANeighbour)
	})
	t.Run("subscribe", func(t *testing.T) {
		t.Run("C44", TestC44NoInitialCall)
		t.Run("C45", TestC45Unsubscribe)
	})
	t.Run("removed, then used again", removedThenUsedAgain)
	t.Run("scheduler", func(t *testing.T) {
		t.Run("never", schedulerThatNeverFires)
		t.Run("in a batch", fireInABatch)
		t.Run("C26", TestC26SynchronousScheduler)
		t.Run("C27", TestC27SchedulerMisbehaves)
	})
	t.Run("batch", func(t *testing.T) {
		t.Run("C29", TestC29BatchSettlesOnce)
		t.Run("C31", TestC31NestedBatch)
		t.Run("C32", TestC32BatchFails)
		t.Run("C33", TestC33ResetInBatch)
	})
	t.Run("reader.previous(kind)", func(t *testing.T) {
		t.Run("own collection only", previousInItsCollection)
		t.Run("C9", TestC9Previous)
		t.Run("C10", TestC10PreviousLooksOnlyBack)
	})
	t.Run("slow subscriber", TestC49BlockedSubscriber)
	t.Run("goroutines", TestC50ReadersAndWriter)
}

func oneClaim(t *testing.T) {
	asked := 0
	d := definition("m")
	d.On = []uint8{3, 3}
	d.Match = func(n *note) (projection.Claim, bool) { asked++; return claims("m", n) }
	e, err := projection.New(projection.Options[note]{
		Kinds: []projection.Kind[note]{projection.Of(d)}, Type: func(*note) uint8 { return 3 },
	})
	if err != nil {
		t.Fatal(err)
	}
	n := start("m", "1")
	if err := e.Push(&n); err != nil {
		t.Fatal(err)
	}
	if got := nodesOf(e.Snapshot()); got != "m:1=" || asked != 1 || e.Snapshot().At(projection.Collection{}, 0).Generation != 1 {
		t.Errorf("asked %d times, nodes %q", asked, got)
	}
}

func asksOnlyItsTypes(t *testing.T) {
	var asked []string
	listening := func(kind string, types ...uint8) projection.Kind[note] {
		d := definition(kind)
		d.On = types
		d.Match = func(n *note) (projection.Claim, bool) {
			asked = append(asked, kind+" of "+n.id)
			return claims(kind, n)
		}
		return projection.Of(d)
	}
	e, err := projection.New(projection.Options[note]{
		Kinds: []projection.Kind[note]{listening("all"), listening("one", 1), listening("both", 1, 2)},
		Type:  func(n *note) uint8 { return n.id[0] - '0' },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2", "3"} {
		n := start("none", id)
		if err := e.Push(&n); err != nil {
			t.Fatal(err)
		}
	}
	want := "all of 1, one of 1, both of 1, all of 2, both of 2, all of 3"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func keysAreEscaped(t *testing.T) {
	for key, want := range map[projection.Key]string{
		{Kind: "text", ID: "0"}:     "text:0",
		{Kind: "a:b%", ID: "c:d%"}:  "a%3Ab%25:c:d%",
		{Kind: "a%3Ab", ID: "c:d%"}: "a%253Ab:c:d%",
		{Kind: "", ID: ""}:          ":",
	} {
		if got := key.String(); got != want {
			t.Errorf("%#v is %q, want %q", key, got, want)
		}
	}
}

func endOfOutermostPush(t *testing.T) {
	r := newRig(t, nil)
	r.push(start("m", "1"), delta("m", "1", "a"))
	r.wantTold("+m:1", "~m:1")
	r.push(silent("m", "1", "b"))
	r.wantTold()
	r.Batch(func() error {
		r.push(delta("m", "1", "c"))
		r.wantTold()
		return nil
	})
	r.wantTold("~m:1")
}

func subscriptions(t *testing.T) {
	r := newRig(t, nil)
	c := projection.Collection{}
	var told []string
	r.push(start("m", "1"), start("m", "2"))
	r.told = nil
	r.SubscribeNode(c, projection.Key{Kind: "m", ID: "1"}, func(c *projection.Change) {
		told = append(told, fmt.Sprintf("slot %s %v", c.Key(), c.Op))
	})
	r.SubscribeStructure(c, func(projection.Collection) { told = append(told, "structure") })
	want := func(what, now string, lines ...string) {
		t.Helper()
		if !slices.Equal(told, lines) {
			t.Errorf("%s: told %q, want %q", what, told, lines)
		}
		r.wantTold(now)
		told = nil
	}
	written, removed := fmt.Sprintf("slot m:1 %v", slot.Written), fmt.Sprintf("slot m:1 %v", slot.Removed)
	r.push(delta("m", "1", "x"))
	want("a write", "~m:1", written)
	r.push(delta("m", "2", "x"))
	want("a neighbour's write", "~m:2")
	r.push(start("t", "3"))
	want("an insert", "+t:3", "structure")
	r.push(note{kind: "m", id: "2", do: "remove"})
	want("a removal", "-m:2", "structure")
	if err := r.Reset(); err != nil {
		t.Fatal(err)
	}
	want("a reset", "all", removed, "structure")
	r.push(start("m", "1"))
	want("an insert after it", "+m:1", "structure")
	if got := nodesOf(r.Snapshot()); got != "m:1=" {
		t.Errorf("a snapshot holds %q", got)
	}
}

func equality(t *testing.T) {
	d := definition("m")
	d.Equal = func(a, b *doc) bool { return a.Text.Equal(b.Text) }
	r := newRig(t, nil, projection.Of(d))
	r.push(start("m", "1"), delta("m", "1", "a"))
	r.told = nil
	before, node := r.Metrics(), r.Snapshot().At(projection.Collection{}, 0)
	r.push(delta("m", "1", ""))
	r.wantTold()
	m := r.Metrics()
	if m.Suppressed-before.Suppressed != 1 || m.Writes != before.Writes {
		t.Errorf("%d suppressed, %d written", m.Suppressed-before.Suppressed, m.Writes-before.Writes)
	}
	if r.Snapshot().At(projection.Collection{}, 0) != node {
		t.Error("an equal value made a new node")
	}
	without := newRig(t, nil)
	without.push(start("m", "1"), delta("m", "1", ""))
	without.wantTold("+m:1", "~m:1")
}

// failingDefinition lets each part of a definition fail on an event that
// another definition claims too.
func failingDefinition(t *testing.T) {
	type def = projection.Definition[note, doc]
	parts := map[string]func(*def, func(*note)){
		"match": func(d *def, fail func(*note)) {
			match := d.Match
			d.Match = func(n *note) (projection.Claim, bool) { fail(n); return match(n) }
		},
		"start": func(d *def, fail func(*note)) {
			d.Start = func(n *note, _ projection.Reader) doc { fail(n); return doc{} }
		},
		"update": func(d *def, fail func(*note)) {
			update := d.Update
			d.Update = func(s doc, n *note) doc { fail(n); return update(s, n) }
		},
		"cadence": func(d *def, fail func(*note)) {
			d.Cadence = func(n *note) projection.Cadence { fail(n); return projection.Immediate }
		},
		"equal": func(d *def, fail func(*note)) {
			var last *note
			d.Update = func(s doc, n *note) doc { last = n; s.Text = s.Text.Append(n.text); return s }
			d.Equal = func(*doc, *doc) bool { fail(last); return false }
		},
	}
	for name, bend := range parts {
		t.Run(name, func(t *testing.T) {
			bad := definition("bad")
			bad.Match = func(n *note) (projection.Claim, bool) { return claims("m", n) }
			bend(&bad, func(n *note) {
				if n.text == "!" {
					panic("no")
				}
			})
			r := newRig(t, nil, projection.Of(bad), projection.Of(definition("m")))
			r.push(start("m", "1"), delta("m", "1", "a"))
			r.told = nil
			fails, told := delta("m", "1", "!"), "~m:1"
			if name == "start" {
				fails = note{kind: "m", id: "1", do: "start", text: "!"}
			}
			r.push(fails)
			r.wantTold(told)
			if got, _, _ := strings.Cut(r.nodes(), " "); got != "bad:1=a" {
				t.Errorf("the failing node is %q", got)
			}
			if len(r.errs) != 1 || !strings.Contains(r.errs[0].Error(), `"bad"`) {
				t.Errorf("reported %v", r.errs)
			}
			r.push(start("m", "2"))
			if got := r.Snapshot().At(projection.Collection{}, 2).Seq; got != 4 {
				t.Errorf("seq after it is %d, want 4", got)
			}
		})
	}
	t.Run("C17", TestC17FailingDefinition)
	t.Run("C17 no seq is burned", TestC17AllFailingBurnsNoSeq)
}

// failingListener lets subscribers of every sort fail; each of the others gets
// the full set.
func failingListener(t *testing.T) {
	r := newRig(t, nil)
	c := projection.Collection{}
	r.push(start("m", "1"), start("m", "2"))
	r.told = nil
	r.SubscribeNode(c, projection.Key{Kind: "m", ID: "1"}, func(*projection.Change) { panic("slot") })
	r.SubscribeStructure(c, func(projection.Collection) { panic("structure") })
	r.Subscribe(func(*projection.Publication) { panic("all") })
	var slots, structures int
	r.SubscribeNode(c, projection.Key{Kind: "m", ID: "1"}, func(*projection.Change) { slots++ })
	r.SubscribeStructure(c, func(projection.Collection) { structures++ })
	var last string
	r.Subscribe(func(p *projection.Publication) { last = describe(p) })
	r.Batch(func() error { r.push(delta("m", "1", "a"), delta("m", "2", "b"), start("t", "3")); return nil })
	const want = "~m:1 ~m:2 +t:3"
	r.wantTold(want)
	if last != want || slots != 1 || structures != 1 || len(r.errs) != 3 {
		t.Errorf("told %q, %d, %d; reported %v", last, slots, structures, r.errs)
	}
	t.Run("C48", TestC48ListenerPanics)
}

func pushFromFold(t *testing.T) {
	var r *rig
	var errs []error
	push := func() {
		n := start("m", "2")
		errs = append(errs, r.Push(&n), r.Batch(func() error { return nil }), r.Reset())
	}
	d := definition("m")
	match, startIt, update := d.Match, d.Start, d.Update
	d.Match = func(n *note) (projection.Claim, bool) { push(); return match(n) }
	d.Start = func(n *note, rd projection.Reader) doc { push(); return startIt(n, rd) }
	d.Update = func(s doc, n *note) doc { push(); return update(s, n) }
	r = newRig(t, nil, projection.Of(d))
	r.push(start("m", "1"), delta("m", "1", "a"))
	if len(errs) != 12 {
		t.Fatalf("%d calls", len(errs))
	}
	for _, err := range errs {
		if err != projection.ErrReentrant {
			t.Errorf("got %v, want ErrReentrant", err)
		}
	}
	r.want("m:1=a")
}

func closedByANeighbour(t *testing.T) {
	r := newRig(t, nil)
	r.Subscribe(func(*projection.Publication) { r.Close() })
	called := 0
	r.Subscribe(func(*projection.Publication) { called++ })
	r.push(start("m", "1"))
	if called != 0 {
		t.Error("a listener was called after the engine was closed")
	}
}

func removedThenUsedAgain(t *testing.T) {
	r := newRig(t, nil)
	c, key := projection.Collection{}, projection.Key{Kind: "m", ID: "1"}
	var slots []*slot.Slot[projection.Key]
	r.Subscribe(func(p *projection.Publication) {
		for c := range p.Changes() {
			slots = append(slots, c.Slot())
		}
	})
	r.push(start("m", "1"), delta("m", "1", "old"))
	var told []slot.Op
	r.SubscribeNode(c, key, func(c *projection.Change) { told = append(told, c.Op) })
	r.Batch(func() error {
		r.push(note{kind: "m", id: "1", do: "remove"}, start("m", "1"), delta("m", "1", "new"))
		return nil
	})
	r.push(delta("m", "1", "er"))
	r.want("m:1=newer")
	if !slices.Equal(told, []slot.Op{slot.Removed}) {
		t.Errorf("the old slot was told %v", told)
	}
	old, fresh := slots[0], slots[len(slots)-1]
	if old == fresh || old.Position() != -1 || fresh.Position() != 0 {
		t.Errorf("slots %v", slots)
	}
	if n := r.Snapshot().At(c, 0); n.Generation != 1 {
		t.Errorf("generation %d of a fresh node", n.Generation)
	}
	t.Run("C38", TestC38TruncateThenStart)
}

// deaf is a scheduler that never fires.
type deaf struct{}

func (deaf) Schedule(func()) func() { return nil }

func schedulerThatNeverFires(t *testing.T) {
	r := newRig(t, deaf{})
	r.push(start("m", "1"), start("m", "2"))
	r.told = nil
	r.push(delta("m", "1", "a"))
	r.wantTold()
	r.push(delta("m", "2", "b").at(projection.Immediate))
	r.wantTold("~m:1 ~m:2")
	r.push(delta("m", "1", "a"))
	r.Flush()
	r.wantTold("~m:1")
}

func fireInABatch(t *testing.T) {
	r := newRig(t, &manual{})
	r.push(start("m", "1"), delta("m", "1", "a"))
	r.told = nil
	r.Batch(func() error {
		r.push(delta("m", "1", "b"))
		r.frames.fire()
		r.wantTold()
		return nil
	})
	r.wantTold("~m:1")
	r.push(delta("m", "1", "c"))
	r.frames.fire()
	r.wantTold("~m:1")
}

func previousInItsCollection(t *testing.T) {
	d := definition("m")
	d.Match = func(n *note) (projection.Claim, bool) {
		c, ok := claims("m", n)
		c.Collection.Name, c.ID, _ = strings.Cut(n.id, "/")
		return c, ok
	}
	r := newRig(t, nil, projection.Of(d))
	r.push(start("m", "a/1"), start("m", "b/2"), start("m", "a/3"), note{kind: "m", id: "a/1", do: "remove"}, start("m", "a/4"))
	for c, want := range map[string]string{"a": "3 after 1, 4 after 3", "b": "2 after "} {
		var got []string
		for n := range r.Snapshot().Nodes(projection.Collection{Name: c}) {
			got = append(got, n.Key.ID+" after "+projection.MustState[doc](n).After)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %q, want %q", c, s, want)
		}
	}
}

// TestC82MillionDeltasToOneNode holds a snapshot from the middle and counts what
// was allocated for all of it.
func TestC82MillionDeltasToOneNode(t *testing.T) {
	const deltas, size = 1_000_000, 16
	e := newEngine(t)
	begin := textStart("0")
	if err := e.Push(&begin); err != nil {
		t.Fatal(err)
	}
	ev := textDelta("0")
	ev.Text = strings.Repeat("x", size-1) + "\n"
	parts := projection.Collection{Name: "parts", Of: ev.Message}
	var half *projection.Snapshot
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range deltas {
		if i == deltas/2 {
			half = e.Snapshot()
		}
		if err := e.Push(&ev); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*deltas*size {
		t.Errorf("allocated %d bytes for %d of text", got, deltas*size)
	}
	for s, want := range map[*projection.Snapshot]int{half: deltas / 2, e.Snapshot(): deltas} {
		if got := projection.MustState[growing](s.At(parts, 0)).Text.String(); got != strings.Repeat(ev.Text, want) {
			t.Errorf("a snapshot holds %d bytes, want those of %d deltas", len(got), want)
		}
	}
}
