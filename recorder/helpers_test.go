package recorder

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a journal of one process's memory that counts and can be told to
// wait or fail.
type memory struct {
	mu       sync.Mutex
	events   map[string][]*steno.Event
	appends  int
	read     int
	packed   []int64
	discard  bool          // keep nothing
	fail     error         // what Append returns
	gate     chan struct{} // Append waits for it, if set
	entered  chan struct{} // told when Append has begun, if set
	onAppend func([]*steno.Event)
}

var _ journal.Journal = (*memory)(nil)

func (m *memory) Append(ctx context.Context, branch string, after int64, events []*steno.Event) error {
	select {
	case m.entered <- struct{}{}:
	default: // nobody wants to know
	}
	if m.gate != nil {
		select {
		case <-m.gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.appends++
	if m.onAppend != nil {
		m.onAppend(events)
	}
	if m.discard {
		return nil
	}
	if m.events == nil {
		m.events = make(map[string][]*steno.Event)
	}
	if head := int64(len(m.events[branch])); head != after {
		return fmt.Errorf("head is %d, not %d: %w", head, after, steno.ErrConflict)
	}
	for i, e := range events {
		if e.Seq != after+1+int64(i) {
			return fmt.Errorf("seq %d: %w", e.Seq, steno.ErrGap)
		}
		m.events[branch] = append(m.events[branch], e.Clone())
	}
	return nil
}

func (m *memory) Read(_ context.Context, branch string, after int64) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		m.mu.Lock()
		events, ok := m.events[branch]
		m.mu.Unlock()
		if !ok {
			yield(nil, steno.ErrNotFound)
			return
		}
		for _, e := range events[min(after, int64(len(events))):] {
			m.mu.Lock()
			m.read++
			m.mu.Unlock()
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (m *memory) Head(_ context.Context, branch string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.events[branch])), nil
}

func (m *memory) List(context.Context) iter.Seq2[journal.Info, error] {
	return func(func(journal.Info, error) bool) {}
}

func (m *memory) Compact(_ context.Context, _ string, upto int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.packed = append(m.packed, upto)
	return nil
}

func (m *memory) Delete(_ context.Context, branch string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.events, branch)
	return nil
}

func (m *memory) counts() (appends, events int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events {
		events += len(e)
	}
	return m.appends, events
}

// of returns the events of a branch of one type.
func (m *memory) of(branch string, t steno.Type) []*steno.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.events[branch]), func(e *steno.Event) bool { return e.Type != t })
}

const branch = "b"

// open opens a recorder that is closed with the test.
func open(t testing.TB, opts Options) *Recorder {
	t.Helper()
	r, err := Open(t.Context(), branch, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

func record(t testing.TB, r *Recorder, events ...*steno.Event) {
	t.Helper()
	if err := r.Record(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
}

func flush(t testing.TB, r *Recorder) {
	t.Helper()
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func closed(t testing.TB, r *Recorder) {
	t.Helper()
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func ev(t steno.Type) *steno.Event { return &steno.Event{Type: t} }

func text(s string) *steno.Event { return &steno.Event{Type: steno.TextDelta, Text: s} }

func said(s string) *steno.Event { return &steno.Event{Type: steno.UserMessage, Text: s} }

// turn is a whole turn in which the agent says something.
func turn(s string) []*steno.Event {
	return []*steno.Event{said("q " + s), ev(steno.TurnStart), ev(steno.StepStart), text(s), ev(steno.StepEnd), ev(steno.Done)}
}

// mirror is a follower that keeps its own copy of the state.
type mirror struct {
	names   []string
	sets    map[string][]mirrored
	seq     int64
	running bool
	updates int
}

type mirrored struct{ key, value string }

func (m *mirror) apply(u transcript.Update) {
	m.updates++
	if u.All || m.sets == nil {
		m.names, m.sets = nil, make(map[string][]mirrored)
	}
	m.seq, m.running = u.Seq, u.Running
	for i := range u.Changes {
		m.change(&u.Changes[i])
	}
}

func (m *mirror) change(c *transcript.Change) {
	set, known := m.sets[c.Collection]
	if !known {
		m.names = append(m.names, c.Collection)
	}
	is := func(key string) func(mirrored) bool { return func(x mirrored) bool { return x.key == key } }
	at := slices.IndexFunc(set, is(c.Key))
	if at >= 0 && c.Op&(slot.Removed|slot.Moved) != 0 {
		set = slices.Delete(slices.Clone(set), at, at+1)
	}
	if c.Op&slot.Removed == 0 {
		now := mirrored{c.Key, string(c.Shape.AppendWhole(nil, c.Value))}
		if c.Op&(slot.Inserted|slot.Moved) != 0 {
			at = len(set)
			if c.Before != "" {
				at = slices.IndexFunc(set, is(c.Before))
			}
			set = slices.Insert(slices.Clone(set), at, now)
		} else {
			set[at] = now
		}
	}
	m.sets[c.Collection] = set
}

// String shows the state; two followers with the same string saw the same.
func (m *mirror) String() string {
	var b strings.Builder
	slices.Sort(m.names)
	for _, name := range m.names {
		for _, x := range m.sets[name] {
			fmt.Fprintf(&b, "%s %s %s\n", name, x.key, x.value)
		}
	}
	fmt.Fprintf(&b, "running %t", m.running)
	return b.String()
}

// current returns the whole state of a recorder.
func current(t testing.TB, r *Recorder) string {
	t.Helper()
	var m mirror
	if err := r.Read(t.Context(), func(l *transcript.Live) { m.apply(l.Current()) }); err != nil {
		t.Fatal(err)
	}
	return m.String()
}
