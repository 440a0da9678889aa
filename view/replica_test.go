package view

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
)

// TestEveryWayLeadsToTheSameState draws random publications and viewers that
// follow, reconnect with their cursor at random, lag behind the ring, or come
// with a cursor of another branch: all have in the end what was published.
func TestEveryWayLeadsToTheSameState(t *testing.T) {
	var lagged, resumed, resynced int
	rapid.Check(t, func(rt *rapid.T) {
		w := newWriter()
		follower, restless, lazy := &client{}, &client{}, &client{}
		following := connect(rt, w.live, follower)
		restarting := connect(rt, w.live, restless)
		slow := connect(rt, w.live, lazy)
		lost := &client{cursor: rapid.SampledFrom([]string{"other:1", "b:1:99999", "b", "b:1:x", "b:1:-1"}).Draw(rt, "cursor")}
		for range rapid.IntRange(1, 80).Draw(rt, "publications") {
			w.random(rt)
			following.pump(rt)
			switch rapid.IntRange(0, 5).Draw(rt, "restless") {
			case 0:
				restarting = connect(rt, w.live, restless)
				resumed++
			case 1:
				restarting.pump(rt)
			}
			if rapid.IntRange(0, 200).Draw(rt, "burst") == 0 {
				w.burst()
				lagged++
			}
		}
		if rapid.IntRange(0, 20).Draw(rt, "reset") == 0 {
			w.reset()
		}
		for _, s := range []*stream{following, restarting, slow, connect(rt, w.live, lost)} {
			s.pump(rt)
			if got, want := show(&s.client.replica), w.String(); got != want {
				rt.Fatalf("a viewer has\n%s\nwant\n%s", got, want)
			}
		}
		if lost.resyncs != 1 || lost.snapshots != 1 {
			rt.Fatalf("a foreign cursor was answered with %d resyncs and %d snapshots", lost.resyncs, lost.snapshots)
		}
		resynced += lazy.resyncs
		var page Replica
		if _, data := w.live.Snapshot(DefaultWindow); page.Apply(data) != nil || show(&page) != w.String() {
			rt.Fatalf("the snapshot is\n%s", show(&page))
		}
	})
	t.Logf("%d bursts, %d reconnects, %d resyncs", lagged, resumed, resynced)
}

// random publishes up to four changes.
func (w *writer) random(rt *rapid.T) {
	var changes []transcript.Change
	w.run = rapid.Bool().Draw(rt, "running")
	for range rapid.IntRange(0, 4).Draw(rt, "changes") {
		name := rapid.SampledFrom([]string{"a", "rows"}).Draw(rt, "collection")
		set := w.sets[name]
		pick := func() string {
			if len(set) == 0 {
				return ""
			}
			return rapid.SampledFrom(set).Draw(rt, "key")
		}
		switch key := pick(); rapid.IntRange(0, 9).Draw(rt, "change") {
		case 0, 1: // also a key that was removed before
			key := fmt.Sprint("k", rapid.IntRange(0, 12).Draw(rt, "new"))
			if !slices.Contains(set, key) {
				before := pick()
				if rapid.Bool().Draw(rt, "end") {
					before = ""
				}
				changes = append(changes, w.insert(name, key, before, item{Name: "n", N: len(set)}))
			}
		case 2:
			if key != "" {
				changes = append(changes, w.remove(name, key))
			}
		case 3:
			if before := pick(); key != before {
				changes = append(changes, w.move(name, key, before, func(v *item) { v.N++ }))
			}
		default:
			if key != "" {
				changes = append(changes, w.write(name, key, randomWrite(rt)))
			}
		}
	}
	w.publish(changes...)
}

// randomWrite draws a change of a node: growing, replaced or plain fields, with
// characters of one to four bytes, of one and of two UTF-16 units.
func randomWrite(rt *rapid.T) func(*item) {
	s := rapid.StringOfN(rapid.SampledFrom([]rune("aé€😀\"\\\n\u2028<")), 0, 5, -1).Draw(rt, "text")
	kind := rapid.IntRange(0, 6).Draw(rt, "write")
	return func(v *item) {
		switch kind {
		case 0, 1:
			v.Body = v.Body.Append(s)
		case 2:
			v.Note += s
		case 3:
			v.Body = v.Body.Append("")
			v.Note = s // replaced, if it is not what was there
		case 4:
			v.N++
			v.Raw = append(slices.Clone(v.Raw), s)
		case 5:
			v.Dark++ // nobody sees it
		default:
			*v = item{Name: s} // opened again
		}
	}
}

// burst publishes more than the ring holds.
func (w *writer) burst() {
	if len(w.sets["a"]) == 0 {
		w.publish(w.insert("a", "burst", "", item{}))
	}
	key := w.sets["a"][0]
	for range ringSize + 10 {
		w.publish(w.write("a", key, func(v *item) { v.Body = v.Body.Append("😀!") }))
	}
}

// reset makes everything void and publishes what is left.
func (w *writer) reset() {
	var changes []transcript.Change
	for _, name := range []string{"a", "rows"} {
		for _, key := range w.sets[name] {
			w.nodes[name+"/"+key] = &item{Name: "new"}
			changes = append(changes, change(name, key, 1, "", w.nodes[name+"/"+key]))
		}
	}
	w.live.Publish(transcript.Update{Seq: w.seq, All: true, Changes: changes})
	w.run = false
	w.seq++
}

// TestManyRemovals: what was removed too long ago to be remembered costs a
// snapshot, and never a node that should be gone.
func TestManyRemovals(t *testing.T) {
	w := newWriter()
	w.publish(w.insert("a", "stays", "", item{Name: "s"}))
	c := &client{}
	connect(t, w.live, c)
	for i := range maxTombstones + 10 {
		key := fmt.Sprint("k", i)
		w.publish(w.insert("rows", key, "", item{}))
		w.publish(w.remove("rows", key))
	}
	s := connect(t, w.live, c)
	if c.resyncs != 1 || c.snapshots != 2 || show(&c.replica) != w.String() {
		t.Errorf("%d resyncs, %d snapshots:\n%s", c.resyncs, c.snapshots, show(&c.replica))
	}
	if n := len(w.live.now.Load().gone); n > maxTombstones {
		t.Errorf("%d removals are remembered", n)
	}
	w.publish(w.remove("a", "stays"))
	s.pump(t)
	if show(&c.replica) != w.String() {
		t.Errorf("then\n%s", show(&c.replica))
	}
}

// TestSinceSendsWhatGrew: a viewer that comes back is sent the text it lacks,
// and the whole of it only if it comes from very long ago.
func TestSinceSendsWhatGrew(t *testing.T) {
	w := newWriter()
	w.publish(w.insert("a", "k", "", item{}))
	grow := func(v *item) { v.Body = v.Body.Append("0123456789") }
	for range 100 {
		w.publish(w.write("a", "k", grow))
	}
	from := w.seq - 1
	for range 10 {
		w.publish(w.write("a", "k", grow))
	}
	if _, data, err := w.live.Since(from); err != nil || len(data) > 100+100 {
		t.Errorf("10 deltas of 10 bytes cost %d bytes, %v: %s", len(data), err, data)
	}
	for range 3 * maxMarks {
		w.publish(w.write("a", "k", grow))
	}
	_, data, err := w.live.Since(from)
	if err != nil || len(data) < 10*3*maxMarks {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	now := w.live.now.Load()
	if marks := now.entry(0, 0, now.collections.At(0).entries.At(0)).growing.marks; len(marks) > maxMarks {
		t.Errorf("%d lengths are remembered", len(marks))
	}
	if _, data, err := w.live.Since(w.seq - 1); data != nil || err != nil {
		t.Errorf("to one who has it all %s, %v is said", data, err)
	}
	for _, seq := range []int64{-1, w.seq} {
		if _, _, err := w.live.Since(seq); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("Since(%d) returned %v", seq, err)
		}
	}
}

// TestReplicaRefuses: what does not fit what a viewer has is an error, never a
// wrong state.
func TestReplicaRefuses(t *testing.T) {
	const there = `{"op":"insert","collection":"a","key":"k","node":{"body":"a😀"}}`
	for _, op := range []string{
		there,
		`{"op":"insert","collection":"a","key":"l","before":"none","node":{}}`,
		`{"op":"append","collection":"a","key":"k","field":"body","at":2,"len":1,"text":"b"}`,
		`{"op":"append","collection":"a","key":"k","field":"body","at":3,"len":2,"text":"b"}`,
		`{"op":"append","collection":"a","key":"none","field":"body","at":0,"len":1,"text":"b"}`,
		`{"op":"append","collection":"b","key":"k","field":"body","at":0,"len":1,"text":"b"}`,
		`{"op":"set","collection":"a","key":"none","fields":{"n":1}}`,
		`{"op":"move","collection":"a","key":"none"}`,
		`{"op":"move","collection":"a","key":"k","before":"none"}`,
		`{"op":"resync"}`,
	} {
		var r Replica
		if err := r.Apply([]byte(`{"ops":[` + there + `]}`)); err != nil {
			t.Fatal(err)
		}
		if err := r.Apply([]byte(`{"ops":[` + op + `]}`)); !errors.Is(err, ErrResync) {
			t.Errorf("%s returned %v", op, err)
		}
	}
	var r Replica
	for _, fine := range []string{
		`{"ops":[` + there + `,{"op":"append","collection":"a","key":"k","field":"body","at":3,"len":2,"text":"😀"}]}`,
		`{"ops":[{"op":"remove","collection":"a","keys":["none"]},{"op":"of-another-day","collection":"a"}]}`,
		`{"ops":[{"op":"set","collection":"a","key":"k","fields":{"raw":{"x":1,"x":2}}}]}`,
	} {
		if err := r.Apply([]byte(fine)); err != nil {
			t.Errorf("%s returned %v", fine, err)
		}
	}
	if got := r.Node("a", "k").Text("body"); got != "a😀😀" {
		t.Errorf("body is %q", got)
	}
	if r.Apply([]byte(`{"ops":`)) == nil {
		t.Error("half a frame was applied")
	}
}

func FuzzReplica(f *testing.F) {
	f.Add([]byte(`{"snapshot":true,"window":{"first":1,"older":false},"ops":[{"op":"insert","collection":"a","key":"k","node":{"body":"x"}}]}`))
	f.Add([]byte(`{"ops":[{"op":"append","collection":"a","key":"k","field":"body","at":1,"len":1,"text":"y"},{"op":"move","collection":"a","key":"k"}]}`))
	f.Add([]byte(`{"ops":[{"op":"insert","collection":"a","key":"k"},{"op":"set","collection":"a","key":"k","fields":null},{"op":"remove","collection":"a","keys":["k"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Replica
		for range 2 {
			_ = r.Apply(data)
		}
		if _, err := r.MarshalJSON(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"b:1", "b:1:2", ":", "b:-1", "b:+1", "b:99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if branch, seq, err := ParseID(id); err == nil {
			if b, s, err := ParseID(formatID(branch, seq)); b != branch || s != seq || err != nil {
				t.Errorf("%q became %q %d %v", id, b, s, err)
			}
		}
	})
}
