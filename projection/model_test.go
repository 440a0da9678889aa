package projection_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// follower keeps the nodes by what it is told alone.
type follower struct {
	keys  []string
	texts map[string]string
	last  int64
}

func (f *follower) apply(t *rapid.T, p *projection.Publication) {
	if p.Revision < f.last {
		t.Fatalf("told of revision %d after %d", p.Revision, f.last)
	}
	f.last = p.Revision
	if p.All || f.texts == nil {
		f.keys, f.texts = nil, map[string]string{}
	}
	for c := range p.Changes() {
		key := c.Key().String()
		at := slices.Index(f.keys, key)
		if (c.Op == slot.Inserted) != (at < 0) {
			t.Fatalf("%v of %s, which is at %d", c.Op, key, at)
		}
		switch c.Op {
		case slot.Removed:
			f.keys = slices.Delete(f.keys, at, at+1)
			delete(f.texts, key)
			continue
		case slot.Inserted:
			f.keys = append(f.keys, key)
		}
		if live, node := projection.MustState[doc](c.Live()).Text, projection.MustState[doc](c.Node()).Text; !live.Equal(node) {
			t.Fatalf("%s is %q, its node says %q", key, live, node)
		}
		f.texts[key] = projection.MustState[doc](c.Node()).Text.String()
	}
}

func (f *follower) String() string {
	var out []string
	for _, k := range f.keys {
		out = append(out, k+"="+f.texts[k])
	}
	return strings.Join(out, " ")
}

// TestWhoeverFollowsKnowsTheState drives an engine by every call it has, under a
// scheduler that fires when it likes and with a listener that pushes: whoever
// applies what is told, and whoever takes from a watcher, has what a snapshot
// has, and no snapshot that was taken changes.
func TestWhoeverFollowsKnowsTheState(t *testing.T) {
	type held struct {
		s    *projection.Snapshot
		want string
	}
	for _, scheduled := range []bool{false, true} {
		t.Run(fmt.Sprint("scheduler ", scheduled), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				frames := &manual{}
				var s projection.Scheduler
				if scheduled {
					s = frames
				}
				r := newRig(t, s)
				var f follower
				pushed := 0
				r.Subscribe(func(p *projection.Publication) {
					if pushed < 3 && p.Len() == 1 {
						pushed++
						r.push(delta("m", "1", "+"))
					}
				})
				r.Subscribe(func(p *projection.Publication) { f.apply(rt, p) })
				w, cancel := r.Watch()
				defer cancel()
				var snapshots []held
				boom := errors.New("boom")
				for range rapid.IntRange(1, 30).Draw(rt, "steps") {
					switch rapid.IntRange(0, 7).Draw(rt, "do") {
					case 0:
						k := projection.Key{Kind: "m", ID: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "from")}
						if _, err := r.Truncate(projection.Collection{}, k); err != nil {
							rt.Fatal(err)
						}
					case 1:
						if rapid.IntRange(0, 3).Draw(rt, "reset") == 0 {
							if err := r.Reset(); err != nil {
								rt.Fatal(err)
							}
						}
					case 2:
						frames.fire()
					case 3:
						s := r.Snapshot()
						snapshots = append(snapshots, held{s, nodesOf(s)})
					case 4:
						if err := r.Batch(func() error {
							r.push(notes(rt)...)
							if scheduled && rapid.Bool().Draw(rt, "fire") {
								frames.fire()
							}
							return boom
						}); !errors.Is(err, boom) {
							rt.Fatal(err)
						}
					default:
						r.push(notes(rt)...)
					}
				}
				for pending := true; pending; {
					before := len(r.told)
					r.Flush() // upon which the listener may push again
					pending = len(r.told) > before
				}
				if got, want := f.String(), r.nodes(); got != want {
					rt.Fatalf("followed %q, is %q", got, want)
				}
				if s, _, _ := w.Take(); s != nil && nodesOf(s) != r.nodes() {
					rt.Fatalf("watched %q, is %q", nodesOf(s), r.nodes())
				}
				for _, h := range snapshots {
					if got := nodesOf(h.s); got != h.want {
						rt.Fatalf("a snapshot of %q now shows %q", h.want, got)
					}
				}
			})
		})
	}
}
