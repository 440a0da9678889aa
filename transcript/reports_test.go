package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/wire/openaichat"
)

// These are cases from bug reports whose right outcome says more than which
// chunks there are at the end. They are named by the cases' ids.

// TestG11EqualDeltas checks that deltas are told apart by where they stand and by
// nothing else: not by their text, not by their time.
func TestG11EqualDeltas(t *testing.T) {
	var lines []string
	for i, text := range []string{"ha", "ha", "h", "ha ha", "!"} {
		lines = append(lines, fmt.Sprintf("{'seq':%d,'at':1000,'type':'text-delta','text':'%s'}", i+1, text))
	}
	source := src(t, lines...)
	if got := last(fold(t, source)); got != "text(hahahha ha!)" {
		t.Error(got)
	}
	kept := slices.DeleteFunc(normalise(source...), func(e *steno.Event) bool { return e.Type != steno.TextDelta })
	if len(kept) != 5 {
		t.Errorf("%d deltas in the journal", len(kept))
	}
}

// TestG19ThreeFacts checks that a denied, an interrupted and a skipped call are
// three different facts, none of them a failure of the tool.
func TestG19ThreeFacts(t *testing.T) {
	l := line{source: start + tool("c1") + tool("c2") + tool("c3") + "{'type':'permission-denied','id':'c1'};" +
		"{'type':'shell-output','id':'c2','text':'l1'};{'type':'cancelled','text':'stop'};" + done}
	calls := l.run(t).Messages[0].Chunks[0].Calls
	for i, want := range []steno.Outcome{steno.OutcomeDenied, steno.OutcomeInterrupted, steno.OutcomeSkipped} {
		if c := calls[i]; c.Outcome != want || c.IsError || c.Result != nil {
			t.Errorf("%s: %+v, want %s", c.ID, c, want)
		}
	}
	if calls[1].ShellOutput != "l1" {
		t.Errorf("the output so far is %q", calls[1].ShellOutput)
	}
	for _, o := range []steno.Outcome{steno.OutcomeDenied, steno.OutcomeSkipped} {
		if !strings.Contains(ResultText(o), "ot run") && !strings.Contains(ResultText(o), "ot started") {
			t.Errorf("%s: %q does not say that it did not run", o, ResultText(o))
		}
	}
	if s := ResultText(steno.OutcomeInterrupted); strings.Contains(s, "not run") || strings.Contains(s, "Not started") {
		t.Errorf("interrupted: %q", s)
	}
}

// TestG20HalfABatch checks that what comes while a batch is half done stands
// beside it and not in it.
func TestG20HalfABatch(t *testing.T) {
	l := line{source: start + tool("c1") + tool("c2") + result("c1", "1") +
		"{'type':'user-message','message':'m2','text':'hurry','queued':true};{'type':'notice','text':'retrying'};" +
		result("c2", "2") + "{'type':'step-finish'};" + delta("ok") + done}
	const want = "assistant: batch(c1=1 c2=2) notice(retrying)\nuser: text(hurry)\nassistant: text(ok)"
	if got := all(l.run(t)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestG21ResultBeforeItsCall checks that such a result is kept, that nothing is
// drawn of it before its call has come, and that the row then ends as done.
func TestG21ResultBeforeItsCall(t *testing.T) {
	x := newRowTest(t)
	if rows := x.lines(start + result("c1", "early")); rows != "" {
		t.Errorf("drawn before its call: %s", rows)
	}
	if rows := x.lines(tool("c1")); rows != "batch(1)" {
		t.Errorf("drawn: %s", rows)
	}
	s := projection.MustState[Tool](x.engine.Snapshot().At(Parts("1.1"), 0))
	if s.Status != string(steno.OutcomeOK) || s.Result != "early" || s.State != Sealed {
		t.Errorf("%+v", s)
	}
}

// TestG22OutputOfParallelCalls checks that output goes by its call's id, and
// only without one to the newest call that has no result.
func TestG22OutputOfParallelCalls(t *testing.T) {
	out := func(id, text string) string {
		return "{'type':'shell-output','id':'" + id + "','text':'" + text + "'};"
	}
	l := line{source: start + tool("c1") + tool("c2") + out("c1", "a1") + out("c2", "b1") + out("c1", "a2") +
		result("c2", "B") + out("c1", "a3") + out("", "a4") + result("c1", "A")}
	if got := last(l.run(t)); got != "batch(c1|a1a2a3a4=A c2|b1=B)" {
		t.Error(got)
	}
}

// TestG30DoneEndsTheAnswer checks that an answer is over with its last word,
// though the connection stays open, and is not without one.
func TestG30DoneEndsTheAnswer(t *testing.T) {
	const said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n"
	for stream, want := range map[string]steno.Finish{
		said:                          steno.FinishIncomplete,
		said + "data: [DONE]\n\n":     steno.FinishComplete,
		said + "data: [DONE]\r\n\r\n": steno.FinishComplete,
	} {
		var tr Transcript
		var d openaichat.Decoder
		d.Decode([]byte(stream), func(e *steno.Event) { tr.Append(*e) }) // and no Close
		open := projection.MustState[StepNode](tr.engine.Snapshot().At(Steps, 0)).State == StateOpen
		if got := tr.Report(); got.End != want || open != (want == steno.FinishIncomplete) {
			t.Errorf("%q ends %s, open %v", stream, got.End, open)
		}
	}
}

// TestG32Retry checks that a retry is another attempt: the failed one is kept,
// marked and never joined.
func TestG32Retry(t *testing.T) {
	l := line{source: start + "{'type':'attempt-start','n':1};" + delta("Hello wor") +
		"{'type':'error','message':'connection reset','retryable':true};{'type':'attempt-start','n':2};" + delta("Hello world") + done}
	r := l.run(t)
	if got := last(r); got != "text(Hello wor) error(connection reset) text(Hello world)" {
		t.Error(got)
	}
	if m := r.Messages[0]; !slices.Equal(m.Superseded, []int{0, 1}) || m.Chunks[0].Attempt != 1 || m.Chunks[2].Attempt != 2 || m.Chunks[2].Step != 1 {
		t.Errorf("superseded %v: %+v", m.Superseded, m.Chunks)
	}
}

// TestG33ReplayedEvents delivers events twice, as a server does that was asked
// twice: the text is there once, in the one node it was in, and never shrinks.
func TestG33ReplayedEvents(t *testing.T) {
	texts := []string{"", "o", "ne", " ", "two", " ", "three"}
	live := NewLive(projection.Options[steno.Event]{})
	shown, inserted := "", 0
	live.Follow(func(u Update) {
		for _, c := range u.Changes {
			p, ok := c.Value.(*Prose)
			if !ok {
				continue
			}
			if c.Op == slot.Inserted {
				inserted++
			}
			if c.Key != "text:0" || !strings.HasPrefix(p.Text.String(), shown) {
				t.Errorf("%s went from %q to %q", c.Key, shown, p.Text.String())
			}
			shown = p.Text.String()
		}
	})
	var n Normaliser
	journalled := int64(0)
	for _, seq := range []int64{1, 2, 3, 4, 5, 6, 5, 6, 5, 6, 7, 8} {
		e := &steno.Event{Seq: seq, Type: steno.TextDelta}
		switch {
		case seq == 1:
			e.Type, e.Message = steno.TurnStart, "m1"
		case seq <= int64(len(texts)):
			e.Text = texts[seq-1]
		default:
			e.Type = steno.Done
		}
		n.Normalise(e, func(e *steno.Event) {
			journalled++
			e.Seq = journalled
			if e.Type == steno.Dropped {
				t.Errorf("an event that was seen before was dropped: %v", e.Body)
			}
			if err := live.Push(e); err != nil {
				t.Fatal(err)
			}
		})
	}
	if shown != "one two three" || inserted != 1 {
		t.Errorf("%q in %d nodes", shown, inserted)
	}
}

// TestG38QueuedMessages checks that messages said while the agent works are
// answered in turn, split no answer, and are not sent once withdrawn.
func TestG38QueuedMessages(t *testing.T) {
	said := func(id string) string {
		return "{'type':'user-message','message':'" + id + "','text':'" + id + "','queued':true};"
	}
	takes := func(id string) string { return "{'type':'turn-start','takes':'" + id + "'};" }
	l := line{source: "{'type':'user-message','message':'u1','text':'u1'};" + start + delta("A1") + said("u2") + delta("A2") +
		said("u3") + said("u4") + done + "{'type':'queue-withdrawn','id':'u4'};" + takes("u2") + delta("B") + done + takes("u3") + delta("C") + done}
	const want = "user: text(u1)\nassistant: text(A1A2)\nuser: text(u2)\nassistant: text(B)\nuser: text(u3)\nassistant: text(C)"
	if got := all(l.run(t)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	turns := 0
	for _, e := range normalise(src(t, splitLines(l.source)...)...) {
		switch e.Type {
		case steno.TurnStart:
			turns++
		case steno.TurnEnd:
			turns--
		}
		if turns < 0 || turns > 1 {
			t.Fatal("two turns at once")
		}
	}
}
