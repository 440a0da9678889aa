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

// mirror holds what a follower knows: every collection, in order.
type mirror map[string][]Change

func (m mirror) apply(t rapid.TB, c Change) {
	list := m[c.Collection]
	at := slices.IndexFunc(list, func(x Change) bool { return x.Key == c.Key })
	if (c.Op == slot.Inserted) != (at < 0) {
		t.Fatalf("%v of %s %s, which is at %d", c.Op, c.Collection, c.Key, at)
	}
	if c.Op&(slot.Removed|slot.Moved) != 0 {
		list = slices.Delete(list, at, at+1)
	}
	switch {
	case c.Op == slot.Removed:
	case c.Op&(slot.Inserted|slot.Moved) != 0:
		before := len(list)
		if c.Before != "" {
			before = slices.IndexFunc(list, func(x Change) bool { return x.Key == c.Before })
		}
		list = slices.Insert(list, before, c)
	default:
		list[at] = c
	}
	m[c.Collection] = list
}

// String writes everything that is there.
func (m mirror) String() string {
	var out []string
	for name, list := range m {
		s := name
		for _, c := range list {
			s += fmt.Sprintf("\n  %s@%d %s", c.Key, int32(c.Turn), c.Shape.AppendWhole(nil, c.Value))
		}
		if len(list) > 0 {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// TestLiveFollowersKnowTheState checks that whoever applies each update in turn
// knows what the whole state says, rows included.
func TestLiveFollowersKnowTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := NewLive(projection.Options[steno.Event]{})
		got := mirror{}
		live.Follow(func(u Update) {
			if u.All {
				clear(got)
			}
			for _, c := range u.Changes {
				got.apply(t, c)
			}
		})
		var n Normaliser
		seq := int64(0)
		for range rapid.IntRange(1, 8).Draw(t, "batches") {
			source := rapid.SliceOfN(anyEvent(), 0, 8).Draw(t, "batch")
			_ = live.Batch(func() error {
				for _, e := range source {
					n.Normalise(e, func(e *steno.Event) {
						seq++
						e.Seq = seq
						_ = live.Push(e)
					})
				}
				return nil
			})
			live.Flush()
			want := mirror{}
			for _, c := range live.Current().Changes {
				want.apply(t, c)
			}
			if got.String() != want.String() {
				t.Fatalf("followed:\n%s\nstate:\n%s", got, want)
			}
		}
	})
}

// TestPageBetweenTurns checks that what stands between two turns is on the later
// page of the one it leads to, and what waits on none.
func TestPageBetweenTurns(t *testing.T) {
	live := NewLive(projection.Options[steno.Event]{})
	l := "{'type':'user-message','text':'u'};" + start + delta("a") + done + "{'type':'user-message','text':'v'};" + notice +
		start + "{'type':'user-message','text':'w','queued':true}"
	for _, e := range normalise(src(t, splitLines(l)...)...) {
		if err := live.Push(e); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, c := range live.Current().Changes {
		got[c.Collection] += fmt.Sprintf("%s@%d ", c.Key, int32(c.Turn))
	}
	for collection, want := range map[string]string{
		"messages": "0.1@1 1.1@1 1.2@2 1.3@2 2.1@2 ",
		"queue":    "q2.1@-1 ",
		"rows":     "message:0.1@1 1.1/text:0@1 message:1.2@2 1.3/system:0@2 item:q2.1@-1 ",
	} {
		if got[collection] != want {
			t.Errorf("%s: %s", collection, got[collection])
		}
	}
}
