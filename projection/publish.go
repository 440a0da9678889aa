package projection

import (
	"fmt"
	"iter"

	"github.com/stenolog/steno/slot"
)

// Scheduler decides when publications of cadence Frame are made. Schedule
// arranges for fire to be called, once, on the engine's goroutine, and returns
// what cancels that, or nil. Firing late, twice, never, inside Schedule or
// after being cancelled is harmless.
type Scheduler interface {
	Schedule(fire func()) (cancel func())
}

// Publication is what changed since the one before. It is valid only during
// the call it is passed to.
type Publication struct {
	// Revision counts states of the engine, Seq is that of the last event in
	// this one.
	Revision, Seq int64
	// All says that everything before is void: take what Changes insert and
	// nothing else.
	All bool

	settled *slot.Settlement[Key]
}

// Changes yields the slots that changed, in the order in which they first did.
func (p *Publication) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for _, c := range p.settled.Changes {
			if !yield(Change{slot: c.Slot, Op: c.Op}) {
				return
			}
		}
	}
}

// Len returns the number of changes.
func (p *Publication) Len() int { return len(p.settled.Changes) }

// At returns the i-th change. Unlike a loop over Changes, one over At never
// allocates, whatever the compiler inlines.
func (p *Publication) At(i int) Change {
	c := &p.settled.Changes[i]
	return Change{slot: c.Slot, Op: c.Op}
}

// Structures yields the collections whose members changed.
func (p *Publication) Structures() iter.Seq[Collection] {
	return func(yield func(Collection) bool) {
		for _, set := range p.settled.Sets {
			if g := ownerOf(set); g != nil && !yield(g.name) {
				return
			}
		}
	}
}

// Change is a slot and what happened to it.
type Change struct {
	// Op is Inserted, Written or Removed.
	Op   slot.Op
	slot *slot.Slot[Key]
}

// Key returns the key of the node.
func (c Change) Key() Key { return c.slot.Key() }

// Collection returns the collection the node is or was in.
func (c Change) Collection() Collection { return headerOf(c.slot).group.name }

// Slot returns the slot, which is stable for the life of the node: it may be
// kept and compared.
func (c Change) Slot() *slot.Slot[Key] { return c.slot }

// Node returns the node as it is now, immutable; of a removed one the last. It
// allocates once per write, on the first call after it.
func (c Change) Node() *Node { return c.slot.Frozen().(*Node) }

// Live returns the node without a copy. It is valid only during the
// notification.
func (c Change) Live() *Node { return &headerOf(c.slot).node }

// listener is a subscription. A cancelled one is skipped even in the round
// that is under way.
type listener[T any] struct {
	call func(T)
	off  bool
}

// publisher is the part of an engine that tells.
type publisher[E any] struct {
	depth     int
	folding   bool
	notifying bool
	closed    bool
	waiting   []E

	// want is the highest cadence since the last publication, asked that since
	// the last settlement.
	want, asked Cadence
	all         bool
	ticket      uint64 // of the frame that is awaited, 0 if none
	tickets     uint64
	cancel      func()

	listeners []*listener[*Publication]
	// structures are the subscribers of structure, of the collections in
	// structured. They outlive a reset.
	structures map[Collection][]*listener[Collection]
	structured []Collection
	// nodes counts the subscribers of single nodes there ever were: most
	// engines have none to look for.
	nodes int
	// orphans are the slots that a reset took from their subscribers.
	orphans   []*slot.Slot[Key]
	watchers  []*Watcher
	snapshots snapshots
	pub       Publication
	change    Change
}

// Subscribe calls f with every publication until it is cancelled. There is no
// initial call. f runs on the writer's goroutine and must not block.
func (e *Engine[E]) Subscribe(f func(*Publication)) (cancel func()) {
	l := &listener[*Publication]{call: f}
	e.listeners = append(e.listeners, l)
	return func() {
		l.off = true
		e.listeners = without(e.listeners, l)
	}
}

// SubscribeNode calls f when the node in the slot is written or removed, for
// the first time with the next publication. It returns nil if there is no such
// node. A key that is removed and used again has a fresh slot: f hears of the
// removal and of nothing after it.
func (e *Engine[E]) SubscribeNode(c Collection, key Key, f func(*Change)) (cancel func()) {
	g := e.groups[c]
	if g == nil || g.set.Get(key) == nil {
		return nil
	}
	h := headerOf(g.set.Get(key))
	l := &listener[*Change]{call: f}
	h.listeners = append(h.listeners, l)
	e.nodes++
	return func() {
		l.off = true
		h.listeners = without(h.listeners, l)
	}
}

// SubscribeStructure calls f when nodes of the collection came or went.
func (e *Engine[E]) SubscribeStructure(c Collection, f func(Collection)) (cancel func()) {
	l := &listener[Collection]{call: f}
	if e.structures == nil {
		e.structures = make(map[Collection][]*listener[Collection])
	}
	if _, known := e.structures[c]; !known {
		e.structured = append(e.structured, c)
	}
	e.structures[c] = append(e.structures[c], l)
	return func() {
		l.off = true
		e.structures[c] = without(e.structures[c], l)
	}
}

// without returns a new slice, so that a round under way keeps its own.
func without[T any](ls []*listener[T], l *listener[T]) []*listener[T] {
	kept := make([]*listener[T], 0, len(ls))
	for _, x := range ls {
		if x != l {
			kept = append(kept, x)
		}
	}
	return kept
}

// settle publishes what the finished push asked for, now or with a frame.
func (e *Engine[E]) settle() {
	asked := e.asked
	e.asked = Silent
	switch {
	case e.want == Immediate, asked == Frame && e.opts.Scheduler == nil:
		e.publish()
	case asked == Frame && e.ticket == 0:
		e.awaitFrame()
	}
}

func (e *Engine[E]) awaitFrame() {
	e.tickets++
	ticket := e.tickets
	e.ticket = ticket
	cancel := e.opts.Scheduler.Schedule(func() {
		switch {
		case e.ticket != ticket || e.closed:
		case e.depth > 0 || e.folding || e.notifying:
			// Not in the middle of something: its end publishes.
			e.ticket, e.cancel, e.want = 0, nil, Immediate
		default:
			e.publish()
		}
	})
	if e.ticket == ticket {
		e.cancel = cancel
	}
}

func (e *Engine[E]) cancelFrame() {
	e.ticket = 0
	if cancel := e.cancel; cancel != nil {
		e.cancel = nil
		cancel()
	}
}

// Flush publishes what is pending, whatever its cadence.
func (e *Engine[E]) Flush() {
	if !e.closed && !e.folding && !e.notifying {
		e.publish()
	}
}

// publish tells everyone, then folds what listeners pushed meanwhile, until
// nothing asks to be told.
func (e *Engine[E]) publish() {
	for {
		e.cancelFrame()
		e.want = Silent
		e.deliver()
		if len(e.waiting) == 0 || e.closed {
			return
		}
		waiting := e.waiting
		e.waiting = nil
		for i := range waiting {
			e.fold(&waiting[i])
		}
		asked := e.asked
		e.asked = Silent
		if e.want != Immediate && (asked != Frame || e.opts.Scheduler != nil) {
			if asked == Frame && e.ticket == 0 {
				e.awaitFrame()
			}
			return
		}
	}
}

func (e *Engine[E]) deliver() {
	if !e.board.Pending() && !e.all {
		return
	}
	e.pub.Revision, e.pub.Seq, e.pub.All = e.revision, e.seq, e.all
	e.pub.settled = e.board.Settle()
	e.all = false
	if len(e.pub.settled.Changes) == 0 && len(e.pub.settled.Sets) == 0 && !e.pub.All {
		return
	}
	e.metrics.Publications++
	e.notifying = true
	if e.nodes > 0 {
		e.tellNodes()
	}
	if len(e.structures) > 0 {
		e.tellStructures()
	}
	tell(e.listeners, &e.pub, e.opts.Report)
	if len(e.watchers) > 0 {
		e.wake()
	}
	e.notifying = false
}

// tellNodes tells those who subscribed to single nodes.
func (e *Engine[E]) tellNodes() {
	for _, n := range e.orphans {
		e.tellNode(n, slot.Removed)
	}
	clear(e.orphans)
	e.orphans = e.orphans[:0]
	for _, c := range e.pub.settled.Changes {
		e.tellNode(c.Slot, c.Op)
	}
}

func (e *Engine[E]) tellNode(n *slot.Slot[Key], op slot.Op) {
	if ls := headerOf(n).listeners; len(ls) > 0 && !e.closed {
		e.change = Change{slot: n, Op: op}
		tell(ls, &e.change, e.opts.Report)
	}
}

// tellStructures tells those who subscribed to the structure of a collection,
// all of them if everything before is void.
func (e *Engine[E]) tellStructures() {
	if e.pub.All {
		for _, c := range e.structured {
			tell(e.structures[c], c, e.opts.Report)
		}
		return
	}
	for c := range e.pub.Structures() {
		tell(e.structures[c], c, e.opts.Report)
	}
}

func ownerOf(set *slot.Set[Key]) *group {
	g, _ := set.Owner.(*group)
	return g
}

func tell[T any](ls []*listener[T], x T, report func(error)) {
	for _, l := range ls {
		if !l.off {
			l.tell(x, report)
		}
	}
}

// tell keeps a failing listener from its neighbours.
func (l *listener[T]) tell(x T, report func(error)) {
	done := false
	defer func() {
		if done {
			return
		}
		if r := recover(); r != nil && report != nil {
			report(fmt.Errorf("projection: listener failed: %v", r))
		}
	}()
	l.call(x)
	done = true
}
