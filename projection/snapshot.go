package projection

import (
	"iter"
	"maps"
	"sync"

	"github.com/stenolog/steno/slot"
)

// Snapshot is the state of an engine after one of its events, immutable and
// readable from any goroutine. Nodes that did not change in between are the
// same objects in two snapshots.
type Snapshot struct {
	// Revision counts states, Seq is that of the last event folded.
	Revision, Seq int64

	groups slot.Vector[members]
	index  map[Collection]int
}

// members are the nodes of one collection.
type members struct {
	name  Collection
	nodes slot.Vector[any]
}

// Collections yields the collections in the order in which they appeared.
func (s *Snapshot) Collections() iter.Seq[Collection] {
	return func(yield func(Collection) bool) {
		for _, m := range s.groups.All() {
			if !yield(m.name) {
				return
			}
		}
	}
}

// Len returns the number of nodes in a collection.
func (s *Snapshot) Len(c Collection) int { return s.members(c).Len() }

// At returns the i-th node of a collection.
func (s *Snapshot) At(c Collection, i int) *Node { return s.members(c).At(i).(*Node) }

// Nodes yields the nodes of a collection in order.
func (s *Snapshot) Nodes(c Collection) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range s.members(c).All() {
			if !yield(n.(*Node)) {
				return
			}
		}
	}
}

func (s *Snapshot) members(c Collection) slot.Vector[any] {
	i, ok := s.index[c]
	if !ok {
		return slot.Vector[any]{}
	}
	return s.groups.At(i).nodes
}

// snapshots makes snapshots from what changed since the last one.
type snapshots struct {
	last  *Snapshot
	stale []*group
}

func (e *Engine[E]) touch(g *group) {
	if !g.stale {
		g.stale = true
		e.snapshots.stale = append(e.snapshots.stale, g)
	}
}

// Snapshot returns the state after the last accepted event, published or not:
// the same object until the next one. It costs O(nodes written since the last
// snapshot · log n); a collection whose order changed or that lost nodes is
// copied.
func (e *Engine[E]) Snapshot() *Snapshot {
	last := e.snapshots.last
	if last != nil && last.Revision == e.revision {
		return last
	}
	next := &Snapshot{Revision: e.revision, Seq: e.seq}
	if last != nil {
		next.groups, next.index = last.groups, last.index
	}
	if n := next.groups.Len(); n < len(e.listed) {
		index := make(map[Collection]int, len(e.listed))
		maps.Copy(index, next.index)
		for i, g := range e.listed[n:] {
			index[g.name] = n + i
			next.groups = next.groups.Append(members{name: g.name})
		}
		next.index = index
	}
	for i, g := range e.snapshots.stale {
		next.groups = next.groups.With(g.index, members{g.name, g.set.Frozen()})
		g.stale = false
		e.snapshots.stale[i] = nil
	}
	e.snapshots.stale = e.snapshots.stale[:0]
	e.snapshots.last = next
	return next
}

// Address names a node anywhere in an engine.
type Address struct {
	Collection Collection
	Key        Key
}

// Watcher hands publications to another goroutine: one token that says there
// is something, and a cursor. However far the reader lags, a watcher holds one
// snapshot and one op per changed node, and the writer never waits for it.
type Watcher struct {
	wake chan struct{}
	mu   struct {
		sync.Mutex
		snapshot *Snapshot
		changed  map[Address]slot.Op
		all      bool
	}
}

// Watch returns a watcher of everything published from now on, and what ends
// it.
func (e *Engine[E]) Watch() (w *Watcher, cancel func()) {
	w = &Watcher{wake: make(chan struct{}, 1)}
	w.mu.changed = make(map[Address]slot.Op)
	e.watchers = append(e.watchers, w)
	return w, func() {
		for i, x := range e.watchers {
			if x == w {
				e.watchers = append(e.watchers[:i:i], e.watchers[i+1:]...)
				return
			}
		}
	}
}

// Wake returns the channel that holds a token while there is something to take.
func (w *Watcher) Wake() <-chan struct{} { return w.wake }

// Take returns the last published state and what changed in it since the last
// call. all says that everything before is void. Before the first publication
// the snapshot is nil. The map is the caller's.
func (w *Watcher) Take() (s *Snapshot, changed map[Address]slot.Op, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, changed, all = w.mu.snapshot, w.mu.changed, w.mu.all
	w.mu.changed, w.mu.all = make(map[Address]slot.Op), false
	return s, changed, all
}

func (e *Engine[E]) wake() {
	s := e.Snapshot()
	for _, w := range e.watchers {
		w.put(s, &e.pub)
	}
}

func (w *Watcher) put(s *Snapshot, p *Publication) {
	w.mu.Lock()
	w.mu.snapshot = s
	if p.All {
		w.mu.all = true
		clear(w.mu.changed)
	}
	for c := range p.Changes() {
		at := Address{c.Collection(), c.Key()}
		before, seen := w.mu.changed[at]
		switch {
		case seen && c.Op == slot.Removed && before == slot.Inserted:
			delete(w.mu.changed, at)
		case seen && c.Op == slot.Written && before == slot.Inserted:
		default:
			w.mu.changed[at] = c.Op
		}
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
