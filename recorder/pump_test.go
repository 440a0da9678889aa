package recorder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
)

// TestOnePassIsOneOfEverything holds the pump while events gather: they are
// then appended by one call, and published once.
func TestOnePassIsOneOfEverything(t *testing.T) {
	j := &memory{gate: make(chan struct{}), entered: make(chan struct{}, 100)}
	r := open(t, Options{Journal: j, Frame: time.Hour})
	var m mirror
	stop, err := r.Follow(t.Context(), m.apply)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	record(t, r, ev(steno.TurnStart))
	<-j.entered // the first pass is under way
	for i := range 500 {
		record(t, r, text(fmt.Sprint(i)), &steno.Event{Type: steno.Notice, Text: "n"})
	}
	done := make(chan error)
	go func() { done <- r.Sync(t.Context()) }()
	close(j.gate)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	appends, _ := j.counts()
	if appends > 3 { // Sync may have come a pass later than the events
		t.Errorf("%d appends, want one per pass", appends)
	}
	if m.updates > 1+appends {
		t.Errorf("%d publications in %d passes", m.updates-1, appends)
	}
	if got := m.String(); got != current(t, r) {
		t.Errorf("the follower has\n%s\nwant\n%s", got, current(t, r))
	}
}

// TestRecordBlocksAboveMaxPending: it blocks while too much waits, gives up
// with its context, and goes on once the pump has taken what waits.
func TestRecordBlocksAboveMaxPending(t *testing.T) {
	large := text(strings.Repeat("x", 100<<10))
	body := &steno.Event{Type: steno.File, Body: &steno.Block{Data: make([]byte, 100<<10)}}
	for _, c := range []struct {
		name  string
		event *steno.Event
		all   int64
		held  int64 // how many fit
	}{{"text", large, 200, 11}, {"body", body, 200, 11}, {"many", text(""), 20_000, 8192}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := &memory{gate: make(chan struct{}), entered: make(chan struct{}, 100)}
				r := open(t, Options{Journal: j})
				record(t, r, ev(steno.TurnStart))
				<-j.entered
				var n atomic.Int64
				go func() {
					for r.Record(t.Context(), c.event) == nil && n.Add(1) < c.all {
					}
				}()
				synctest.Wait()
				held := n.Load()
				if held == 0 || held > c.held {
					t.Errorf("%d events were taken while nothing was written", held)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := r.Record(ctx, c.event); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a blocked Record returned %v", err)
				}
				close(j.gate)
				synctest.Wait()
				if n.Load() != c.all {
					t.Errorf("Record went on to %d events of %d", n.Load(), c.all)
				}
				closed(t, r)
			})
		})
	}
}

func TestSyncIsDurableFoldedAndPublished(t *testing.T) {
	j := &memory{}
	r := open(t, Options{Journal: j, Frame: time.Hour})
	var seen []string
	stop, err := r.Follow(t.Context(), func(u transcript.Update) { seen = append(seen, fmt.Sprint(u.Seq)) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart), text("a"))
	flush(t, r)
	record(t, r, text("b")) // waits for a frame that is an hour off
	flush(t, r)
	if _, n := j.counts(); n != 5 { // with the text-start
		t.Errorf("%d events are durable, want 5", n)
	}
	if last := seen[len(seen)-1]; last != "5" {
		t.Errorf("the last update was complete to %s, want 5", last)
	}
	if head, err := r.Head(t.Context()); head != 5 || err != nil {
		t.Errorf("Head is %d, %v", head, err)
	}
}

// TestFrames: deltas are published at most once in a frame, facts at once.
func TestFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Options{Journal: &memory{}})
		record(t, r, ev(steno.TurnStart), ev(steno.StepStart), text("a"))
		start := time.Now()
		at := make(chan time.Duration, 100)
		if _, err := r.Follow(t.Context(), func(transcript.Update) { at <- time.Since(start) }); err != nil {
			t.Fatal(err)
		}
		<-at           // the whole state
		for range 40 { // a delta a millisecond
			record(t, r, text("b"))
			time.Sleep(time.Millisecond)
		}
		if first, second := <-at, <-at; first != DefaultFrame || second-first < DefaultFrame || len(at) > 0 {
			t.Errorf("updates at %v and %v, and %d more, want one per %v", first, second, len(at), DefaultFrame)
		}
		time.Sleep(DefaultFrame)
		<-at
		before := time.Since(start)
		record(t, r, &steno.Event{Type: steno.Notice, Text: "n"})
		if got := <-at; got != before {
			t.Errorf("a notice was published after %v, want at once", got-before)
		}
		closed(t, r)
	})
}

// TestCloseDrains: what was recorded is durable and seen when Close returns,
// and nothing is taken any more.
func TestCloseDrains(t *testing.T) {
	j := &memory{}
	r := open(t, Options{Journal: j, Frame: time.Hour})
	var m mirror
	cancel, err := r.Follow(t.Context(), m.apply)
	if err != nil {
		t.Fatal(err)
	}
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart))
	for range 1000 {
		record(t, r, text("x"))
	}
	closed(t, r)
	closed(t, r) // twice is harmless
	if _, n := j.counts(); n != 1003 {
		t.Errorf("%d events are durable, want 1003", n)
	}
	if !strings.Contains(m.String(), strings.Repeat("x", 1000)) || m.seq != 1003 {
		t.Errorf("the follower saw up to %d:\n%s", m.seq, m.String())
	}
	cancel() // after the end is harmless
	for name, err := range map[string]error{
		"Record": r.Record(t.Context(), text("y")), "Sync": r.Sync(t.Context()), "Interrupt": r.Interrupt(t.Context()),
		"Read": r.Read(t.Context(), func(*transcript.Live) { t.Error("Read called") }),
	} {
		if !errors.Is(err, steno.ErrClosed) {
			t.Errorf("%s after Close returned %v", name, err)
		}
	}
}

// TestCloseGivesUp: with its context at an end Close leaves what the journal
// will not take.
func TestCloseGivesUp(t *testing.T) {
	j := &memory{gate: make(chan struct{})}
	r := open(t, Options{Journal: j})
	record(t, r, ev(steno.TurnStart))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close returned %v", err)
	}
	if _, n := j.counts(); n != 0 {
		t.Errorf("%d events were written", n)
	}
}

// TestFailedAppendFoldsNothing: what is not durable is never seen, and the
// recorder says from then on why it is closed.
func TestFailedAppendFoldsNothing(t *testing.T) {
	full := errors.New("no space left on device")
	j := &memory{}
	var reports []error
	r := open(t, Options{Journal: j, Frame: time.Hour, Report: func(err error) { reports = append(reports, err) }})
	var m mirror
	if _, err := r.Follow(t.Context(), m.apply); err != nil {
		t.Fatal(err)
	}
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart), text("kept"))
	flush(t, r)
	before := m.String()
	j.mu.Lock()
	j.fail = full
	j.mu.Unlock()
	record(t, r, text("lost"))
	if err := r.Sync(t.Context()); !errors.Is(err, full) {
		t.Errorf("Sync returned %v, want the reason", err)
	}
	if m.String() != before {
		t.Errorf("something was folded:\n%s", m.String())
	}
	for name, err := range map[string]error{
		"Record": r.Record(t.Context(), text("y")), "Sync": r.Sync(t.Context()), "Interrupt": r.Interrupt(t.Context()),
	} {
		if !errors.Is(err, steno.ErrClosed) || !errors.Is(err, full) {
			t.Errorf("%s returned %v, want closed and why", name, err)
		}
	}
	if err := r.Close(t.Context()); !errors.Is(err, full) {
		t.Errorf("Close returned %v", err)
	}
	if len(reports) != 1 || !errors.Is(reports[0], full) {
		t.Errorf("reported: %v", reports)
	}
	j.fail = nil
	r = open(t, Options{Journal: j})
	record(t, r, turn("again")...)
	flush(t, r)
}

// TestInterruptFails: an interruption that cannot be written closes the
// recorder like any other write.
func TestInterruptFails(t *testing.T) {
	j := &memory{}
	r := open(t, Options{Journal: j})
	record(t, r, ev(steno.TurnStart))
	flush(t, r)
	j.mu.Lock()
	j.fail = errors.New("full")
	j.mu.Unlock()
	if err := r.Interrupt(t.Context()); !errors.Is(err, j.fail) {
		t.Errorf("Interrupt returned %v", err)
	}
	if err := r.Record(t.Context(), text("x")); !errors.Is(err, steno.ErrClosed) {
		t.Errorf("Record returned %v", err)
	}
}

func TestInterrupt(t *testing.T) {
	j := &memory{}
	r := open(t, Options{Journal: j})
	if err := r.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, n := j.counts(); n != 0 {
		t.Errorf("with no turn in flight %d events were written", n)
	}
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart), text("half"), &steno.Event{Type: steno.ToolStart, Call: "c"})
	if err := r.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkInterrupted(t, j)
	record(t, r, turn("next")...)
	flush(t, r)
	if ends := j.of(branch, steno.TurnEnd); len(ends) != 2 {
		t.Errorf("%d turns ended, want 2", len(ends))
	}
}

// checkInterrupted checks that the last turn ended as interrupted, with its
// text kept and its call answered.
func checkInterrupted(t *testing.T, j *memory) {
	t.Helper()
	ends := j.of(branch, steno.TurnEnd)
	if len(ends) == 0 {
		t.Fatal("the turn did not end")
	}
	if reason := ends[len(ends)-1].Body.(*steno.Turn).Reason; reason != steno.FinishInterrupted {
		t.Errorf("the turn ended as %s", reason)
	}
	if results := j.of(branch, steno.ToolResult); len(results) != 1 {
		t.Errorf("%d results, want 1", len(results))
	}
	if deltas := j.of(branch, steno.TextDelta); len(deltas) != 1 || deltas[0].Text != "half" {
		t.Errorf("deltas: %v", deltas)
	}
}

// TestFollow: a follower that starts at any moment has the whole state first
// and every change then; what it replays equals the state.
func TestFollow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := open(t, Options{Journal: &memory{}, Frame: time.Duration(rapid.IntRange(1, 200).Draw(rt, "frame")) * time.Microsecond})
		var mirrors []*mirror
		var stops []func()
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0:
				m := &mirror{}
				stop, err := r.Follow(t.Context(), m.apply)
				if err != nil {
					t.Fatal(err)
				}
				mirrors, stops = append(mirrors, m), append(stops, stop)
			case 1:
				flush(t, r)
			default:
				record(t, r, randomEvent(rt))
			}
		}
		flush(t, r)
		want := current(t, r)
		for _, m := range mirrors {
			if m.String() != want {
				rt.Fatalf("a follower has\n%s\nwant\n%s", m.String(), want)
			}
		}
		for _, stop := range stops {
			stop()
		}
		updates := make([]int, len(mirrors))
		flush(t, r)
		for i, m := range mirrors {
			updates[i] = m.updates
		}
		record(t, r, turn("unseen")...)
		closed(t, r)
		for i, m := range mirrors {
			if m.updates != updates[i] {
				rt.Fatal("a follower was called after it was cancelled")
			}
		}
	})
}

// randomEvent draws a source event, sensible or not.
func randomEvent(rt *rapid.T) *steno.Event {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "name")
	words := rapid.SampledFrom([]string{"x", "longer ", "😀", "\n"}).Draw(rt, "words")
	t := rapid.SampledFrom([]steno.Type{
		steno.TurnStart, steno.StepStart, steno.StepStart, steno.StepEnd, steno.Done, steno.UserMessage,
		steno.TextDelta, steno.TextDelta, steno.TextDelta, steno.TextEnd, steno.ReasoningDelta, steno.ReasoningEnd,
		steno.ToolStart, steno.ToolDelta, steno.ToolCall, steno.ToolOutput, steno.ToolResult,
		steno.Error, steno.Notice, steno.QueueAdded, steno.QueueWithdrawn, steno.AttemptStart, steno.Usage,
	}).Draw(rt, "type")
	e := &steno.Event{Type: t, Text: words}
	switch t {
	case steno.ToolStart, steno.ToolDelta, steno.ToolCall, steno.ToolOutput, steno.ToolResult:
		e.Call, e.Name = name, "tool"
	case steno.TextDelta, steno.TextEnd, steno.ReasoningDelta, steno.ReasoningEnd:
		e.Block = name
	case steno.QueueAdded, steno.QueueWithdrawn:
		e.Body = &steno.UserInput{Item: name}
	}
	return e
}

// TestConcurrentUse is for the race detector: everything at once, and an end
// in the middle of it.
func TestConcurrentUse(t *testing.T) {
	for range 3 {
		r, err := Open(t.Context(), branch, Options{Journal: &memory{}, Frame: time.Microsecond})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for r.Record(t.Context(), turn("x")...) == nil {
				}
			})
			wg.Go(func() {
				for r.Sync(t.Context()) == nil {
					_, _ = r.Head(t.Context())
				}
			})
			wg.Go(func() {
				for {
					var m mirror
					stop, err := r.Follow(t.Context(), m.apply)
					if err != nil {
						return
					}
					_ = r.Interrupt(t.Context())
					stop()
				}
			})
			wg.Go(func() {
				for i := 0; ; i++ {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Microsecond)
					_, err := r.Follow(ctx, func(transcript.Update) {})
					_, _ = r.Head(ctx)
					cancel()
					if errors.Is(err, steno.ErrClosed) {
						return
					}
				}
			})
		}
		time.Sleep(2 * time.Millisecond)
		closed(t, r)
		wg.Wait()
	}
}

// TestG33 is told events twice and three times by a source that resumes: what
// was taken before is skipped, also after a restart.
func TestG33(t *testing.T) {
	j := &memory{}
	words := []string{2: "o", "ne", " ", "two", " ", "three"}
	deliver := func(r *Recorder, seqs ...int64) {
		for _, seq := range seqs {
			e := &steno.Event{Type: steno.TextDelta, Seq: seq}
			switch seq {
			case 1:
				e.Type = steno.TurnStart
			case 8:
				e.Type = steno.Done
			default:
				e.Text = words[seq]
			}
			record(t, r, e)
		}
	}
	r := open(t, Options{Journal: j})
	deliver(r, 1, 2, 3, 4, 5, 6, 5, 6, 5, 6, 7, 8)
	flush(t, r)
	once := current(t, r)
	if !strings.Contains(once, `"text":"one two three"`) || strings.Count(once, `"kind":"text"`) != 1 {
		t.Errorf("folded is\n%s", once)
	}
	deliver(r, 7, 8)
	flush(t, r)
	if again := current(t, r); again != once {
		t.Errorf("told again\n%s", again)
	}
	closed(t, r)
	if reloaded := current(t, open(t, Options{Journal: j})); reloaded != once {
		t.Errorf("reloaded\n%s", reloaded)
	}
}

// TestG42ClockJumps: times are shown as they came and order nothing.
func TestG42ClockJumps(t *testing.T) {
	var n atomic.Int64
	clock := func() time.Time { // forth and back by hours
		return time.UnixMilli(1_800_000_000_000 + (n.Add(1)%3-1)*3_600_000)
	}
	j := &memory{}
	r := open(t, Options{Journal: j, Now: clock})
	for i := range 6 {
		record(t, r, turn(fmt.Sprint("answer ", i))...)
	}
	record(t, r, &steno.Event{Type: steno.UserMessage, Text: "imported", At: 42})
	flush(t, r)
	var order []string
	for i, e := range j.events[branch] {
		if e.Seq != int64(i+1) || e.At == 0 {
			t.Errorf("event %d has seq %d and time %d", i, e.Seq, e.At)
		}
		if e.Type == steno.UserMessage || e.Type == steno.TextDelta {
			order = append(order, e.Text)
		}
		if e.Text == "imported" && e.At != 42 {
			t.Errorf("an imported time became %d", e.At)
		}
	}
	want := "q answer 0,answer 0,q answer 1,answer 1"
	if got := strings.Join(order, ","); !strings.HasPrefix(got, want) {
		t.Errorf("order %s", got)
	}
	live := current(t, r)
	closed(t, r)
	if again := current(t, open(t, Options{Journal: j})); again != live {
		t.Errorf("opened again\n%s\nwant\n%s", again, live)
	}
}
