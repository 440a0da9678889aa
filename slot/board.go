package slot

// Board is a group of sets whose changes are told together. The zero value is
// ready to use.
type Board[K comparable] struct {
	// Metrics counts what happened on the board since it was made.
	Metrics Metrics

	changed      []*Slot[K]
	restructured []*Set[K]
	out          Settlement[K]
}

// Metrics are counters of work done. They only grow.
type Metrics struct {
	// Writes counts values written to slots, Suppressed those that were not
	// because they were equal to what was there.
	Writes, Suppressed int64
	// Slots counts slots told of a new value, Structures sets told that
	// members or order changed.
	Slots, Structures int64
}

// Change is a slot and what happened to it since the last settlement.
type Change[K comparable] struct {
	Slot *Slot[K]
	Op   Op
}

// Settlement is what changed on a board between two settlements. It is valid
// until the next.
type Settlement[K comparable] struct {
	Changes []Change[K]
	// Sets are those whose members or order changed.
	Sets []*Set[K]
}

// NewSet returns an empty set on the board.
func (b *Board[K]) NewSet() *Set[K] {
	return &Set[K]{board: b, slots: make(map[K]*Slot[K])}
}

// Pending reports whether something changed since the last settlement.
func (b *Board[K]) Pending() bool { return len(b.changed) > 0 || len(b.restructured) > 0 }

// Settle returns what changed since the last call and counts it as told. A
// slot that came and went in between is left out. It costs O(changes) and
// allocates nothing once its buffers have grown.
func (b *Board[K]) Settle() *Settlement[K] {
	out := &b.out
	out.Changes, out.Sets = out.Changes[:0], out.Sets[:0]
	for _, n := range b.changed {
		op := n.ops
		n.ops = 0
		switch {
		case op&Removed != 0 && op&Inserted != 0:
			continue
		case op&Removed != 0:
			op = Removed
		case op&Inserted != 0:
			op = Inserted
		case op&Written != 0:
			b.Metrics.Slots++
		}
		out.Changes = append(out.Changes, Change[K]{n, op})
	}
	for _, s := range b.restructured {
		s.touched = false
		b.Metrics.Structures++
		out.Sets = append(out.Sets, s)
	}
	b.changed, b.restructured = b.changed[:0], b.restructured[:0]
	return out
}

// Discard forgets what changed since the last settlement.
func (b *Board[K]) Discard() {
	for i, n := range b.changed {
		n.ops = 0
		b.changed[i] = nil
	}
	for i, s := range b.restructured {
		s.touched = false
		b.restructured[i] = nil
	}
	b.changed, b.restructured = b.changed[:0], b.restructured[:0]
}
