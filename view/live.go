package view

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
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

	closing   chan struct{}
	closeOnce sync.Once

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
		closing:     make(chan struct{}),
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
	l.closeOnce.Do(func() { close(l.closing) })
}

// Publish takes one publication: it encodes the frame every viewer is sent and
// moves the state on. It is called by the writer alone, costs O(what changed)
// and never waits for a viewer. Values and their shapes are retained.
func (l *Live) Publish(u transcript.Update) {
	old := l.now.Load()
	next := *old
	next.seq, next.running = u.Seq, u.Running
	w := encoder{buf: make([]byte, 0, 256)}
	w.buf = append(w.buf, "id: "...)
	w.buf = append(w.buf, l.id(u.Seq)...)
	w.buf = append(w.buf, "\ndata: {\"ops\":["...)
	if u.All {
		clear(l.collections)
		next = state{seq: u.Seq, next: old.next, running: u.Running, floor: u.Seq}
		w.begin("resync")
		w.end()
	}
	for i := range u.Changes {
		l.apply(&next, &u.Changes[i], &w)
	}
	l.trim(&next)
	if old.floor < 0 {
		// The state that is there when the view begins: no viewer waits for it.
		next.floor = u.Seq
		l.now.Store(&next)
		return
	}
	if w.count == 0 && u.Running == old.running {
		// Nothing to see, but the cursor moves on.
		next.next = old.next
		l.now.Store(&next)
		return
	}
	w.buf = append(w.buf, "]}\n\n"...)
	next.next = old.next + 1
	l.now.Store(&next)
	l.frames.Add(1)
	l.frameBytes.Add(int64(len(w.buf)))
	l.ring.put(u.Seq, w.buf)
}

func (l *Live) id(seq int64) string { return formatID(l.branch, seq) }

func formatID(branch string, seq int64) string { return branch + ":" + strconv.FormatInt(seq, 10) }

// apply moves one slot on and writes the op that tells so.
func (l *Live) apply(s *state, c *transcript.Change, w *encoder) {
	ix := l.collections[c.Collection]
	if ix == nil {
		ix = &index{at: s.collections.Len(), slots: make(map[string]*place)}
		l.collections[c.Collection] = ix
		s.collections = s.collections.Append(collection{name: c.Collection})
	}
	if c.Turn != transcript.Always {
		s.turns = max(s.turns, c.Turn)
	}
	set := s.collections.At(ix.at)
	set.touched = s.seq
	p := ix.slots[c.Key]
	switch {
	case c.Op&slot.Removed != 0:
		if p == nil {
			return
		}
		set.entries = ix.remove(set.entries, p)
		s.gone = append(s.gone, tombstone{s.seq, c.Collection, c.Key, p.entry.inserted})
		w.remove(c.Collection, []string{c.Key})
	case p == nil:
		e := newEntry(c, s.seq)
		set.entries = ix.insert(set.entries, e, c.Before)
		w.insert(c.Collection, e, c.Before)
	default:
		if c.Op&slot.Moved != 0 {
			e := *p.entry
			e.moved, e.touched = s.seq, s.seq
			p.entry = &e
			set.entries = ix.move(set.entries, p, c.Before)
			w.move(c.Collection, c.Key, c.Before)
		}
		if e := p.entry.advance(c, s.seq); e != p.entry {
			w.difference(c.Collection, p.entry, e)
			p.entry = e
			set.entries = set.entries.With(p.pos, e)
		}
	}
	s.collections = s.collections.With(ix.at, set)
}

// advance returns the entry with the change's value, or the entry itself if
// no field differs.
func (e *entry) advance(c *transcript.Change, seq int64) *entry {
	diff := e.shape.Diff(e.value, c.Value)
	if diff == 0 {
		return e
	}
	n := *e
	n.value, n.touched = c.Value, seq
	n.changed = append([]int64(nil), e.changed...)
	n.grown = append([]growth(nil), e.grown...)
	for i := range diff.Fields() {
		n.changed[i] = seq
		if !e.shape.Appendable(i) {
			continue
		}
		for g := range n.grown {
			if n.grown[g].field != i {
				continue
			}
			if suffix, ok := e.shape.Grown(e.value, c.Value, i); ok {
				last := n.grown[g].last
				n.grown[g].last = &mark{seq: seq, len: last.len + slot.UTF16Len(suffix), prev: last}
			} else {
				n.grown[g].last = &mark{seq: seq, len: slot.UTF16Len(e.shape.Text(c.Value, i))}
			}
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
	p := &place{entry: e}
	ix.slots[e.key] = p
	b := ix.slots[before]
	if before == "" || b == nil {
		p.pos = len(ix.order)
		ix.order = append(ix.order, p)
		return v.Append(e)
	}
	ix.place(p, b.pos)
	return ix.rebuild()
}

func (ix *index) remove(v slot.Vector[*entry], p *place) slot.Vector[*entry] {
	delete(ix.slots, p.entry.key)
	ix.order = append(ix.order[:p.pos], ix.order[p.pos+1:]...)
	return ix.rebuild()
}

func (ix *index) move(v slot.Vector[*entry], p *place, before string) slot.Vector[*entry] {
	ix.order = append(ix.order[:p.pos], ix.order[p.pos+1:]...)
	ix.renumber()
	at := len(ix.order)
	if b := ix.slots[before]; before != "" && b != nil {
		at = b.pos
	}
	ix.place(p, at)
	return ix.rebuild()
}

func (ix *index) place(p *place, at int) {
	ix.order = append(ix.order, nil)
	copy(ix.order[at+1:], ix.order[at:])
	ix.order[at] = p
}

func (ix *index) renumber() {
	for i, p := range ix.order {
		p.pos = i
	}
}

// rebuild numbers the entries anew after a change in the middle.
func (ix *index) rebuild() slot.Vector[*entry] {
	ix.renumber()
	var v slot.Vector[*entry]
	for _, p := range ix.order {
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
