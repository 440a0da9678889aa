package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/transcript"
)

// Live is one conversation as viewers see it. Make one with [NewLive].
type Live struct {
	branch string
	ring   *ring
	now    atomic.Pointer[state]

	encoded atomic.Pointer[encoded]

	// The writer's index of the current state.
	collections map[string]*index

	closed atomic.Bool

	counters
}

// counters are what [Metrics] reports.
type counters struct {
	frames, frameBytes, snapshots, resumes atomic.Int64
	viewers                                atomic.Int64
}

// Metrics count what viewers cost. Viewers is how many there are now; the
// others only grow.
type Metrics struct {
	Frames, FrameBytes, Snapshots, Resumes, Viewers int64
}

// index finds the entries of a collection for the writer.
type index struct {
	at    int // in state.collections
	slots map[string]*place
	order []*place
}

type place struct {
	pos   int
	entry *entry
}

// NewLive returns the view of a branch. The first Publish gives it the whole
// state; a viewer with an older cursor is sent a snapshot.
func NewLive(branch string) *Live {
	l := &Live{
		branch: branch, ring: newRing(),
		collections: make(map[string]*index),
	}
	l.now.Store(&state{floor: -1})
	return l
}

// Branch returns the branch that is shown.
func (l *Live) Branch() string { return l.branch }

// Seq returns the position the state is complete to.
func (l *Live) Seq() int64 { return l.now.Load().seq }

// Running reports whether a turn is in flight.
func (l *Live) Running() bool { return l.now.Load().running }

// Metrics returns the counters so far.
func (l *Live) Metrics() Metrics {
	return Metrics{
		l.frames.Load(), l.frameBytes.Load(), l.snapshots.Load(), l.resumes.Load(), l.viewers.Load(),
	}
}

// Close ends all streams, after they were told when to come back. The state
// can still be read.
func (l *Live) Close() {
	l.closed.Store(true)
	l.ring.rouse()
}

// Publish takes one publication: it encodes the frame every viewer is sent, if
// there is one, and moves the state on. It is called by the writer alone, costs
// O(what changed) and never waits for a viewer. Values and their shapes are
// retained.
func (l *Live) Publish(u transcript.Update) {
	old := l.now.Load()
	if old.floor < 0 || u.All {
		l.begin(old, u)
		return
	}
	next := *old
	next.seq, next.running = u.Seq, u.Running
	if l.viewers.Load() == 0 {
		l.advance(&next, u)
		return
	}
	w := &encoder{buf: append(make([]byte, 0, 256), "id: "...)}
	w.buf = appendID(w.buf, l.branch, u.Seq)
	w.buf = append(w.buf, "\ndata: {\"ops\":["...)
	for i := range u.Changes {
		l.apply(&next, &u.Changes[i], w)
	}
	l.trim(&next)
	if w.count == 0 && u.Running == old.running {
		l.now.Store(&next) // nothing to see, but the cursor moves on
		return
	}
	w.buf = append(w.buf, "]}\n\n"...)
	l.send(&next, w.buf)
}

// advance moves the state on with nobody there to tell. A viewer that came
// before it was the current one is told the difference, as one that lags is.
func (l *Live) advance(next *state, u transcript.Update) {
	for i := range u.Changes {
		l.apply(next, &u.Changes[i], nil)
	}
	l.trim(next)
	l.now.Store(next)
	if l.viewers.Load() > 0 { // it is counted before it looks
		again := *next
		l.send(&again, nil)
	}
}

// begin makes an update the whole of the state. Viewers there are start again
// from a snapshot.
func (l *Live) begin(old *state, u transcript.Update) {
	clear(l.collections)
	next := state{seq: u.Seq, next: old.next, running: u.Running, floor: u.Seq}
	for i := range u.Changes {
		l.apply(&next, &u.Changes[i], nil)
	}
	if old.floor < 0 {
		l.now.Store(&next) // no viewer waits for it
		return
	}
	next.floor++ // the same position may have meant another state
	l.send(&next, nil)
}

// send makes a state the current one and tells viewers how to come to it.
func (l *Live) send(s *state, data []byte) {
	s.next++
	l.now.Store(s)
	l.frames.Add(1)
	l.frameBytes.Add(int64(len(data)))
	l.ring.put(&frame{seq: s.seq, running: s.running, data: data})
}

func (l *Live) id(seq int64) string { return formatID(l.branch, seq) }

func formatID(branch string, seq int64) string {
	return string(appendID(make([]byte, 0, 64), branch, seq))
}

func appendID(dst []byte, branch string, seq int64) []byte {
	return strconv.AppendInt(append(append(dst, branch...), ':'), seq, 10)
}

// apply moves one slot on and writes the op that tells so, if w is not nil.
func (l *Live) apply(s *state, c *transcript.Change, w *encoder) {
	ix := l.collections[c.Collection]
	if ix == nil {
		ix = &index{at: s.collections.Len(), slots: make(map[string]*place)}
		l.collections[c.Collection] = ix
		s.collections = s.collections.Append(&collection{name: c.Collection})
	}
	if c.Turn != transcript.Always {
		s.turns = max(s.turns, c.Turn)
	}
	p := ix.slots[c.Key]
	if p != nil && c.Op == slot.Written {
		l.write(s, ix, p, c, w)
		return
	}
	before := c.Before
	if ix.slots[before] == nil {
		before = "" // what is not there cannot be named to viewers
	}
	s.settle()
	set := *s.collections.At(ix.at)
	set.touched = s.seq
	switch {
	case c.Op&slot.Removed != 0:
		if p == nil {
			return
		}
		set.entries = ix.remove(p)
		s.gone = append(s.gone, tombstone{s.seq, c.Collection, c.Key, p.entry.inserted})
		w.remove(c.Collection, []string{c.Key})
	case p == nil:
		e := newEntry(c, s.seq)
		set.entries = ix.insert(set.entries, e, before)
		w.insert(c.Collection, e, before)
	default:
		if c.Op&slot.Moved != 0 {
			e := *p.entry
			e.moved, e.touched = s.seq, s.seq
			p.entry = &e
			set.entries = ix.move(p, before)
			w.move(c.Collection, c.Key, before)
		}
	}
	s.collections = s.collections.With(ix.at, &set)
	if p != nil && c.Op&slot.Removed == 0 {
		l.write(s, ix, p, c, w)
	}
}

// write gives a slot that is there its new value.
func (l *Live) write(s *state, ix *index, p *place, c *transcript.Change, w *encoder) {
	diff := p.entry.shape.Diff(p.entry.value, c.Value)
	if diff == 0 {
		return
	}
	e := p.entry.advance(c.Value, diff, s.seq)
	w.difference(c.Collection, p.entry, e, diff)
	p.entry = e
	s.write(e, ix.at, p.pos)
}

// advance returns the entry with another value, which differs in some fields.
func (e *entry) advance(value any, diff slot.Mask, seq int64) *entry {
	n := *e
	n.value = value
	n.change(diff, seq)
	for i := range diff.Fields() {
		if !e.shape.Appendable(i) {
			continue
		}
		if suffix, ok := e.shape.Grown(e.value, value, i); ok {
			n.grow(i, grew(n.marks(i), mark{seq, e.length(i) + slot.UTF16Len(suffix)}))
		} else {
			n.grow(i, []mark{{seq, slot.UTF16Len(e.shape.Text(value, i))}})
		}
	}
	return &n
}

// trim forgets the oldest removals.
func (l *Live) trim(s *state) {
	if len(s.gone) > maxTombstones {
		cut := len(s.gone) / 2
		s.floor = s.gone[cut-1].seq
		s.gone = append([]tombstone(nil), s.gone[cut:]...)
	}
}

func (ix *index) insert(v slot.Vector[*entry], e *entry, before string) slot.Vector[*entry] {
	p := &place{entry: e, pos: len(ix.order)}
	b := ix.slots[before]
	ix.slots[e.key] = p
	if b == nil {
		ix.order = append(ix.order, p)
		return v.Append(e)
	}
	ix.order = slices.Insert(ix.order, b.pos, p)
	return ix.rebuild()
}

func (ix *index) remove(p *place) slot.Vector[*entry] {
	delete(ix.slots, p.entry.key)
	ix.order = slices.Delete(ix.order, p.pos, p.pos+1)
	return ix.rebuild()
}

func (ix *index) move(p *place, before string) slot.Vector[*entry] {
	to := len(ix.order)
	if b := ix.slots[before]; b != nil {
		to = b.pos
	}
	if to > p.pos {
		to--
	}
	ix.order = slices.Insert(slices.Delete(ix.order, p.pos, p.pos+1), to, p)
	return ix.rebuild()
}

// rebuild numbers the entries anew after a change in the middle.
func (ix *index) rebuild() slot.Vector[*entry] {
	var v slot.Vector[*entry]
	for i, p := range ix.order {
		p.pos = i
		v = v.Append(p.entry)
	}
	return v
}

// ParseID splits a cursor, "branch:seq". The error wraps
// [steno.ErrUnsupported].
func ParseID(id string) (branch string, seq int64, err error) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 {
		return "", 0, fmt.Errorf("view: cursor %q: %w", id, steno.ErrUnsupported)
	}
	seq, err = strconv.ParseInt(id[i+1:], 10, 64)
	if err != nil || seq < 0 {
		return "", 0, fmt.Errorf("view: cursor %q: %w", id, steno.ErrUnsupported)
	}
	return id[:i], seq, nil
}
