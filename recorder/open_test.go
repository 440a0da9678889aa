package recorder

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
)

// TestOpenRecovers: a turn that was running when its writer died is ended as
// interrupted, durably, before Open returns; its text is all there.
func TestOpenRecovers(t *testing.T) {
	j := &memory{}
	r := open(t, Options{Journal: j})
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart), text("half"), &steno.Event{Type: steno.ToolStart, Call: "c", Name: "t"})
	closed(t, r) // as if it had died: a turn in flight stays open
	before, _ := j.counts()
	var told []Checkpoint
	r = open(t, Options{Journal: j, TurnEnded: func(c Checkpoint) { told = append(told, c) }})
	if after, _ := j.counts(); after != before+1 {
		t.Errorf("recovery took %d appends", after-before)
	}
	checkInterrupted(t, j)
	head, _ := j.Head(t.Context(), branch)
	if len(told) != 1 || told[0].Seq != head || told[0].Turn != 1 {
		t.Errorf("of the ended turn was told %+v", told)
	}
	closed(t, r)
	open(t, Options{Journal: j})
	if again, _ := j.Head(t.Context(), branch); again != head {
		t.Errorf("opening again wrote %d events", again-head)
	}
}

// TestG41 loses the process, the client or the provider in the middle of an
// answer: after a reload all that was read is there, under the same id.
func TestG41(t *testing.T) {
	start := func(j *memory) (*Recorder, string) {
		r := open(t, Options{Journal: j})
		record(t, r, said("q"), ev(steno.TurnStart), ev(steno.StepStart),
			&steno.Event{Type: steno.ReasoningDelta, Text: "x"}, text("Half an ans"))
		flush(t, r)
		return r, j.of(branch, steno.TextDelta)[0].Message
	}
	for name, end := range map[string]func(*Recorder){
		"a cancel":               func(r *Recorder) { record(t, r, ev(steno.Cancelled), ev(steno.Done)) },
		"b client gone":          func(*Recorder) {},
		"c provider connection":  func(r *Recorder) { record(t, r, &steno.Event{Type: steno.Error, Text: "reset"}, ev(steno.Done)) },
		"d process interrupted":  func(r *Recorder) { _ = r.Interrupt(t.Context()) },
		"e stopped while it ran": func(r *Recorder) { closed(t, r) },
	} {
		t.Run(name, func(t *testing.T) {
			j := &memory{}
			r, id := start(j)
			end(r)
			closed(t, r)
			r = open(t, Options{Journal: j})
			got := current(t, r)
			for _, want := range []string{`"kind":"thinking"`, `"text":"x"`, `"text":"Half an ans"`, "parts/" + id, `"text":"q"`} {
				if !strings.Contains(got, want) {
					t.Errorf("%s is not in\n%s", want, got)
				}
			}
		})
	}
}

func TestOpenDamaged(t *testing.T) {
	j := &failing{memory: memory{}, err: steno.ErrCorrupt}
	if _, err := Open(t.Context(), branch, Options{Journal: j}); !errors.Is(err, steno.ErrCorrupt) {
		t.Errorf("Open returned %v", err)
	}
}

// failing is a journal that cannot be read.
type failing struct {
	memory
	err error
}

func (f *failing) Read(context.Context, string, int64) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) { yield(nil, f.err) }
}

// TestReopenedIsTheSame records at random, closes, and opens again: the fold
// of the journal is what was seen live, whatever the batches were, with the
// interruption of the open turn behind it.
func TestReopenedIsTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		j := &memory{}
		r := open(t, Options{Journal: j})
		for range rapid.IntRange(0, 60).Draw(rt, "events") {
			record(t, r, randomEvent(rt))
			if rapid.IntRange(0, 5).Draw(rt, "sync") == 0 {
				flush(t, r)
			}
		}
		if err := r.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		live := current(t, r)
		closed(t, r)
		r = open(t, Options{Journal: j})
		if again := current(t, r); again != live {
			rt.Fatalf("opened again\n%s\nlive it was\n%s", again, live)
		}
		closed(t, r)
	})
}

// TestOpenFromCheckpoint: opened at a border, a branch has what it has when it
// is opened from its start, without the turns before, reads none of their
// events, and goes on to write the same.
func TestOpenFromCheckpoint(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		j := &memory{}
		var borders []Checkpoint
		opts := Options{Journal: j, TurnEnded: func(c Checkpoint) { borders = append(borders, c) }}
		r := open(t, opts)
		for range rapid.IntRange(1, 8).Draw(rt, "turns") {
			for range rapid.IntRange(0, 12).Draw(rt, "events") {
				record(t, r, randomEvent(rt))
			}
			record(t, r, turn("t")...)
		}
		if rapid.Bool().Draw(rt, "waiting") { // a border with something in the queue
			waits := &steno.Event{Type: steno.QueueAdded, Text: "later", Body: &steno.UserInput{By: "me", Client: "own"}}
			record(t, r, ev(steno.TurnStart), waits, ev(steno.Done))
		}
		flush(t, r)
		closed(t, r)
		from := borders[len(borders)-1-rapid.IntRange(0, len(borders)-1).Draw(rt, "border")]
		whole := open(t, Options{Journal: j})
		want := tail(t, whole, from.Turn)
		head, _ := whole.Head(t.Context())
		closed(t, whole)
		j.read = 0
		part := open(t, Options{Journal: j, From: &from})
		if got := tail(t, part, from.Turn); got != want {
			rt.Fatalf("from the border behind turn %d\n%s\nwant\n%s", from.Turn, got, want)
		}
		if j.read != int(head-from.Seq) {
			rt.Fatalf("%d events were read, %d stand behind the border", j.read, head-from.Seq)
		}
		closed(t, part)
		next := randomEvents(rt)
		if got, want := goOn(t, j, head, &from, next), goOn(t, j, head, nil, next); got != want {
			rt.Fatalf("opened at the border it wrote\n%s\nwant\n%s", got, want)
		}
	})
}

// goOn returns what a recorder that was opened from a border writes behind head.
func goOn(t *testing.T, j *memory, head int64, from *Checkpoint, next []*steno.Event) string {
	t.Helper()
	fork := &memory{events: map[string][]*steno.Event{branch: j.events[branch][:head:head]}}
	r := open(t, Options{Journal: fork, From: from, Now: func() time.Time { return time.UnixMilli(1) }})
	record(t, r, next...)
	flush(t, r)
	closed(t, r)
	return written(fork.events[branch][head:])
}

// randomEvents begins with a turn and has no results: a border forgets what
// speaks of events just before it, such as a result whose call has not come.
func randomEvents(rt *rapid.T) []*steno.Event {
	events := turn("next")
	for range rapid.IntRange(0, 10).Draw(rt, "next") {
		if e := randomEvent(rt); e.Type < steno.ToolStart || e.Type > steno.Held {
			events = append(events, e)
		}
	}
	return events
}

func written(events []*steno.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d %v %d/%d/%d %s %s %s %q %+v\n", e.Seq, e.Type, e.Turn, e.Step, e.Attempt, e.Message, e.Part, e.Call, e.Text, e.Body)
	}
	return b.String()
}

// tail is the state of what stands on pages after a turn.
func tail(t *testing.T, r *Recorder, turn uint32) string {
	t.Helper()
	var m mirror
	err := r.Read(t.Context(), func(l *transcript.Live) {
		u := l.Current()
		m.sets = map[string][]mirrored{}
		for i := range u.Changes {
			if c := &u.Changes[i]; c.Turn > turn {
				m.change(c)
			}
		}
		m.running = u.Running
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.String()
}
