package slot

import "slices"

// Cell is what a slot holds: a typed value behind the one thing a store needs
// of it.
type Cell interface {
	// Freeze returns an immutable copy of the value as it is now.
	Freeze() any
}

// Op says what happened to a slot. Several may be joined.
type Op uint8

// The ops.
const (
	Inserted Op = 1 << iota
	Written
	Moved
	Removed
)

// Slot is the place of one value in a [Set], stable for its life. A key that
// is removed and used again gets a fresh slot.
type Slot[K comparable] struct {
	key    K
	cell   Cell
	set    *Set[K]
	pos    int
	frozen any
	ops    Op
	listed bool // in the set's stale list
	gone   bool
}

// Key returns the key the slot was made for.
func (s *Slot[K]) Key() K { return s.key }

// Cell returns what the slot holds. A removed slot keeps its last value.
func (s *Slot[K]) Cell() Cell { return s.cell }

// Position returns the slot's index in its set, or -1 once it was removed.
func (s *Slot[K]) Position() int {
	if s.gone {
		return -1
	}
	return s.pos
}

// Frozen returns the value as it is now, immutable. It is made on the first
// call after a write and is the same object until the next.
func (s *Slot[K]) Frozen() any {
	if s.frozen == nil {
		s.frozen = s.cell.Freeze()
	}
	return s.frozen
}

// Set is an ordered set of slots. Make one with [Board.NewSet].
type Set[K comparable] struct {
	// Owner is whatever the set's maker wants to find again from it.
	Owner any

	board   *Board[K]
	slots   map[K]*Slot[K]
	order   []*Slot[K]
	touched bool // its structure changed since the last settle

	frozen  Vector[any]
	stale   []*Slot[K] // written since frozen was made
	reorder bool       // frozen has to be made anew
}

// Len returns the number of slots.
func (s *Set[K]) Len() int { return len(s.order) }

// Get returns the slot of a key, or nil.
func (s *Set[K]) Get(key K) *Slot[K] { return s.slots[key] }

// At returns the slot at index i.
func (s *Set[K]) At(i int) *Slot[K] { return s.order[i] }

// Last returns the last slot, or nil.
func (s *Set[K]) Last() *Slot[K] {
	if len(s.order) == 0 {
		return nil
	}
	return s.order[len(s.order)-1]
}

// Insert makes a slot for key before the given one, or at the end if that is
// nil. It returns nil if the key is taken or the given slot is not in the set.
// At the end it costs O(1) amortised, elsewhere O(slots behind it).
func (s *Set[K]) Insert(key K, cell Cell, before *Slot[K]) *Slot[K] {
	if _, taken := s.slots[key]; taken || before != nil && !s.holds(before) {
		return nil
	}
	n := &Slot[K]{key: key, cell: cell, set: s}
	s.slots[key] = n
	s.place(n, before)
	s.mark(n, Inserted)
	return n
}

// Wrote says that the value in the slot's cell changed. It costs O(1). Of a
// removed slot it tells nobody.
func (s *Set[K]) Wrote(n *Slot[K]) {
	if n.gone {
		return
	}
	n.frozen = nil
	if !n.listed && n.pos < s.frozen.Len() {
		n.listed = true
		s.stale = append(s.stale, n)
	}
	s.board.Metrics.Writes++
	s.mark(n, Written)
}

// Move puts a slot before another, or at the end if that is nil. It reports
// whether the order changed; it does not where one of them is not in the set.
// It costs O(slots between).
func (s *Set[K]) Move(n, before *Slot[K]) bool {
	if !s.holds(n) || before != nil && !s.holds(before) {
		return false
	}
	from, to := n.pos, len(s.order)
	if before != nil {
		to = before.pos
	}
	switch {
	case to == from || to == from+1:
		return false
	case to > from:
		to--
		copy(s.order[from:to], s.order[from+1:to+1])
	default:
		copy(s.order[to+1:from+1], s.order[to:from])
	}
	s.order[to] = n
	s.renumber(min(from, to), max(from, to)+1)
	s.mark(n, Moved)
	return true
}

// Remove takes a slot out of the set. The slot keeps its last value. It
// reports whether it was there. It costs O(slots behind it).
func (s *Set[K]) Remove(n *Slot[K]) bool {
	if !s.holds(n) {
		return false
	}
	at := n.pos
	s.order = slices.Delete(s.order, at, at+1)
	s.renumber(at, len(s.order))
	s.drop(n)
	return true
}

// Arrange gives the set exactly these keys in this order, which must be
// distinct. Slots of keys that are there stay, cell(i) is called for the value
// of a new keys[i], and the others are removed. It reports whether members or
// order changed, and costs O(len(keys) + Len).
func (s *Set[K]) Arrange(keys []K, cell func(i int) Cell) bool {
	old, next := s.order, make([]*Slot[K], len(keys))
	for i, key := range keys {
		next[i] = s.slots[key]
	}
	for _, n := range old {
		n.pos = -1
	}
	var stay []*Slot[K] // in their new order
	for i, n := range next {
		if n != nil {
			n.pos = i
			stay = append(stay, n)
		}
	}
	s.settleOld(old, stay)
	for i, key := range keys {
		if next[i] == nil {
			next[i] = &Slot[K]{key: key, cell: cell(i), set: s, pos: i}
			s.slots[key] = next[i]
			s.mark(next[i], Inserted)
		}
	}
	s.order = next
	same := 0
	for same < len(old) && same < len(next) && old[same] == next[same] {
		same++
	}
	s.reorder = s.reorder || same < s.frozen.Len()
	return same < len(old) || same < len(next)
}

// settleOld removes those of the old slots that got no new position and marks
// as moved those that changed their rank among the ones that stay.
func (s *Set[K]) settleOld(old, stay []*Slot[K]) {
	rank := 0
	for _, n := range old {
		if n.pos < 0 {
			s.drop(n)
			continue
		}
		if moved := stay[rank]; moved != n {
			s.mark(moved, Moved)
		}
		rank++
	}
}

// Frozen returns all values in order as they are now. Values that were not
// written since the last call are the same objects. It costs O(writes since ·
// log n), and O(n) after a change of order.
func (s *Set[K]) Frozen() Vector[any] {
	if s.reorder {
		v := Vector[any]{}
		for _, n := range s.order {
			v = v.Append(n.Frozen())
			n.listed = false
		}
		s.frozen, s.reorder = v, false
	} else {
		for _, n := range s.stale {
			if n.listed && !n.gone {
				s.frozen = s.frozen.With(n.pos, n.Frozen())
			}
			n.listed = false
		}
		for i := s.frozen.Len(); i < len(s.order); i++ {
			s.frozen = s.frozen.Append(s.order[i].Frozen())
		}
	}
	clear(s.stale)
	s.stale = s.stale[:0]
	return s.frozen
}

func (s *Set[K]) holds(n *Slot[K]) bool { return n.set == s && !n.gone }

func (s *Set[K]) place(n, before *Slot[K]) {
	if before == nil {
		n.pos = len(s.order)
		s.order = append(s.order, n)
		return
	}
	at := before.pos
	s.order = slices.Insert(s.order, at, n)
	s.renumber(at, len(s.order))
}

// drop marks a slot that is no longer in the order.
func (s *Set[K]) drop(n *Slot[K]) {
	delete(s.slots, n.key)
	n.gone = true
	s.mark(n, Removed)
}

// renumber tells the slots at [from, to) where they are.
func (s *Set[K]) renumber(from, to int) {
	for i := from; i < to; i++ {
		s.order[i].pos = i
	}
	if from < s.frozen.Len() {
		s.reorder = true
	}
}

func (s *Set[K]) mark(n *Slot[K], op Op) {
	b := s.board
	if n.ops == 0 {
		b.changed = append(b.changed, n)
	}
	n.ops |= op
	if op != Written && !s.touched {
		s.touched = true
		b.restructured = append(b.restructured, s)
	}
}
