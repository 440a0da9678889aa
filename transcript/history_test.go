package transcript

import (
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// TestC81Truncate cuts what is shown before each message in turn: that message
// and all later go, with their parts, steps and rows, and nothing before does.
// The journal is not touched, and gives all of it back.
func TestC81Truncate(t *testing.T) {
	source := src(t, splitLines("{'type':'user-message','text':'u'};"+start+delta("a")+tool("x")+done+notice+"{'type':'user-message','text':'v'};"+start+delta("b")+done)...)
	journal := normalise(source...)
	kept := dump(journal)
	whole := MessagesOf(engineOf(journal, 1).Snapshot())
	for k := range whole {
		engine := engineOf(journal, 1)
		gone, err := engine.Truncate(Messages, projection.Key{Kind: "message", ID: whole[k].ID})
		if err != nil || gone == 0 {
			t.Fatalf("removed %d: %v", gone, err)
		}
		left := engine.Snapshot()
		if got, want := asJSON(t, MessagesOf(left)), asJSON(t, whole[:k]); got != want {
			t.Errorf("cut before message %d:\n%s\nwant\n%s", k, got, want)
		}
		for _, m := range whole[k:] {
			if n := left.Len(Parts(m.ID)); n != 0 {
				t.Errorf("cut before message %d: %s keeps %d parts", k, m.ID, n)
			}
		}
		for n := range left.Nodes(Steps) {
			if s := projection.MustState[StepNode](n); !slices.ContainsFunc(whole[:k], func(m steno.Message) bool { return m.ID == s.Message }) {
				t.Errorf("cut before message %d: step %s is left", k, n.Key)
			}
		}
		if err := engine.Reset(); err != nil {
			t.Fatal(err)
		}
		for i, e := range journal {
			c := *e
			c.Seq = int64(i + 1)
			if err := engine.Push(&c); err != nil {
				t.Fatal(err)
			}
		}
		if got := asJSON(t, MessagesOf(engine.Snapshot())); got != asJSON(t, whole) {
			t.Errorf("shown again:\n%s", got)
		}
	}
	if dump(journal) != kept {
		t.Error("the journal has changed")
	}
}

// TestC81Prune takes a message out of a list that is kept by value: it alone
// goes, and every other keeps its slot.
func TestC81Prune(t *testing.T) {
	type message struct {
		ID   string `slot:"key"`
		Role steno.Role
	}
	layout, err := slot.Compile[message]()
	if err != nil {
		t.Fatal(err)
	}
	list, err := slot.NewCollection[string](layout)
	if err != nil {
		t.Fatal(err)
	}
	var whole []message
	for _, m := range reference(normalise(src(t, splitLines("{'type':'user-message','text':'u'};"+start+delta("a")+done+notice)...)...)) {
		whole = append(whole, message{m.ID, m.Role})
	}
	if err := list.Set(whole); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(list.Items())
	if err := list.Set([]message{whole[0], whole[2]}); err != nil {
		t.Fatal(err)
	}
	if after := list.Items(); len(after) != 2 || after[0] != before[0] || after[1] != before[2] || before[1].Position() != -1 {
		t.Errorf("left %v of %v", after, before)
	}
}

// TestC98Tails cuts a journal after each of its events and goes on in two ways.
// The alternatives are whole tails behind a common past: that past is the same
// in both, byte for byte, and each shows its own tail and nothing of the other.
// A cut between a call and its result gets the result that recovery gives.
func TestC98Tails(t *testing.T) {
	journal := normalise(src(t, splitLines("{'type':'user-message','text':'u'};"+start+think("r")+tool("x")+tool("y")+
		"{'type':'tool-output','call':'y','text':'o'};"+result("x", "1")+result("y", "2")+stepEnd+delta("a")+done)...)...)
	for cut := range journal {
		var pasts, tails []string
		for _, answer := range []string{"one", "two"} {
			var n Normaliser
			branch := slices.Clone(journal[:cut])
			for _, e := range branch {
				n.Replay(e)
			}
			n.Recover(func(e *steno.Event) { branch = append(branch, e.Clone()) })
			past := len(branch)
			branch = append(branch, normaliseWith(&n, src(t, splitLines("{'type':'user-message','text':'again'};"+start+delta(answer)+done)...)...)...)
			checkBalance(t, branch)
			pasts = append(pasts, asJSON(t, MessagesOf(engineOf(branch[:past], 1).Snapshot())))
			whole := asJSON(t, MessagesOf(engineOf(branch, 1).Snapshot()))
			if !strings.HasPrefix(whole, strings.TrimSuffix(pasts[0], "]")) {
				t.Errorf("cut at %d: the tail changed what was before it:\n%s\nbefore\n%s", cut, whole, pasts[0])
			}
			tails = append(tails, whole)
		}
		if pasts[0] != pasts[1] || strings.Contains(tails[0], `"two"`) || strings.Contains(tails[1], `"one"`) || tails[0] == tails[1] {
			t.Errorf("cut at %d:\n%s\n%s", cut, tails[0], tails[1])
		}
	}
}
