package transcript

import (
	"slices"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// Live folds journal events and tells followers, once per publication, what
// changed, rows included. Make one with [NewLive]. It belongs to one goroutine,
// on which its followers run.
type Live struct {
	engine *projection.Engine[steno.Event]

	seq     int64
	running bool
	// pages remembers on which page each message stands.
	pages     map[string]uint32
	rows      Rows
	gather    func(Change)
	followers []*follower
	changes   []Change
}

// follower is told of updates. The pointer is its identity.
type follower struct{ call func(Update) }

// NewLive returns an empty transcript whose engine has the given options.
func NewLive(opts projection.Options[steno.Event]) *Live {
	l := &Live{engine: NewEngine(opts), pages: make(map[string]uint32)}
	l.gather = func(c Change) { l.changes = append(l.changes, c) }
	l.engine.Subscribe(l.publish)
	return l
}

// Restore gives an empty transcript the queue that a checkpoint holds.
func (l *Live) Restore(s State) error {
	return l.Batch(func() error {
		for _, q := range s.Queue {
			e := steno.Event{
				Type: steno.QueueAdded, At: q.At, Text: q.Text,
				Body: &steno.UserInput{Item: q.Item, Client: q.Client, By: q.By, Parts: q.Parts},
			}
			if err := l.Push(&e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Push folds one journal event, which is borrowed. The error is that of a
// closed engine, or of a call from inside a fold.
func (l *Live) Push(e *steno.Event) error {
	switch e.Type {
	case steno.TurnStart:
		l.running = true
	case steno.TurnEnd:
		l.running = false
	}
	l.seq = max(l.seq, e.Seq)
	return l.engine.Push(e)
}

// Batch runs f and publishes once what it pushed.
func (l *Live) Batch(f func() error) error { return l.engine.Batch(f) }

// Flush publishes what is pending.
func (l *Live) Flush() { l.engine.Flush() }

// Close ends it: nothing is published any more.
func (l *Live) Close() { l.engine.Close() }

// Running reports whether a turn is in flight (A20).
func (l *Live) Running() bool { return l.running }

// Snapshot returns the state as folded so far, immutable.
func (l *Live) Snapshot() *projection.Snapshot { return l.engine.Snapshot() }

// Metrics returns the counters of the engine.
func (l *Live) Metrics() projection.Metrics { return l.engine.Metrics() }

// Follow calls f with every update from now on, until it is cancelled. The
// update is valid only during the call, the values in it for ever.
func (l *Live) Follow(f func(Update)) (cancel func()) {
	w := &follower{f}
	l.followers = append(l.followers, w)
	return func() {
		l.followers = slices.DeleteFunc(slices.Clone(l.followers), func(x *follower) bool { return x == w })
	}
}

// Current returns the whole state as one update, in which everything is
// inserted. It costs O(nodes).
func (l *Live) Current() Update {
	u := Update{Seq: l.seq, Running: l.running}
	s := l.engine.Snapshot()
	for c := range s.Collections() {
		for n := range s.Nodes(c) {
			u.Changes = append(u.Changes, l.change(c, n, slot.Inserted))
		}
	}
	u.Changes = slices.AppendSeq(u.Changes, RowsOf(s).All())
	return u
}

// publish tells the followers what the engine published. Without any only new
// messages are looked at, for their pages.
func (l *Live) publish(p *projection.Publication) {
	l.changes = l.changes[:0]
	for c := range p.Changes() {
		if len(l.followers) > 0 || c.Op == slot.Inserted && c.Collection() == Messages {
			l.changes = append(l.changes, l.change(c.Collection(), c.Node(), c.Op))
		}
	}
	l.rows.Apply(p, l.gather)
	u := Update{Seq: l.seq, All: p.All, Running: l.running, Changes: l.changes}
	for _, f := range l.followers {
		f.call(u)
	}
	clear(l.changes)
}

func (l *Live) change(c projection.Collection, n *projection.Node, op slot.Op) Change {
	out := Change{
		Collection: c.String(), Key: n.Key.ID, Op: op, Turn: Always,
		Value: n.Value(), Shape: n.Shape(),
	}
	switch c.Name {
	case Messages.Name:
		m, _ := projection.State[MessageNode](n)
		if op == slot.Inserted && m != nil {
			l.pages[n.Key.ID] = m.Turn
		}
		out.Turn = l.pages[n.Key.ID]
	case Steps.Name:
		if s, ok := projection.State[StepNode](n); ok {
			out.Turn = s.Turn
		}
	case Queue.Name, Permissions.Name:
	default:
		out.Key = n.Key.String()
		if page, ok := l.pages[c.Of]; ok {
			out.Turn = page
		}
	}
	return out
}
