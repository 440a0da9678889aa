package view

import (
	"cmp"
	"slices"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/transcript"
)

// state is what viewers see after one publication, immutable. The next state
// shares all that did not change.
type state struct {
	seq     int64
	next    int64 // index of the frame that follows
	running bool
	turns   uint32 // the newest turn

	collections slot.Vector[*collection]
	// newest is the entry that was written last. It is kept apart from its
	// collection until another is: a text that grows moves on nothing else.
	newest newest
	// gone lists what was removed, oldest first. Later states append to the same
	// array, behind what this one sees.
	gone []tombstone
	// floor is the oldest seq that Since can start from.
	floor int64
}

// newest is an entry that stands for the one at its place in the collections.
type newest struct {
	entry          *entry // or nil
	collection, at int
}

// entry returns what is at a place in the collections: e, or the newest.
func (s *state) entry(collection, at int, e *entry) *entry {
	if n := &s.newest; n.entry != nil && n.collection == collection && n.at == at {
		return n.entry
	}
	return e
}

// touched returns the seq of the last change in a collection.
func (s *state) touched(collection int) int64 {
	seq := s.collections.At(collection).touched
	if n := &s.newest; n.entry != nil && n.collection == collection {
		seq = max(seq, n.entry.touched)
	}
	return seq
}

// write puts an entry that was written in its place.
func (s *state) write(e *entry, collection, at int) {
	if n := &s.newest; n.entry == nil || n.collection != collection || n.at != at {
		s.settle()
	}
	s.newest = newest{e, collection, at}
}

// settle puts the newest entry among the others.
func (s *state) settle() {
	n := s.newest
	if n.entry == nil {
		return
	}
	set := *s.collections.At(n.collection)
	set.touched = s.touched(n.collection)
	set.entries = set.entries.With(n.at, n.entry)
	s.collections = s.collections.With(n.collection, &set)
	s.newest = newest{}
}

// collection is an ordered set of entries.
type collection struct {
	name    string
	entries slot.Vector[*entry]
	touched int64 // seq of the last change in it
}

// entry is a slot as viewers know it: a value, and when what of it changed.
type entry struct {
	key   string
	turn  uint32
	value any
	shape slot.Shape

	inserted int64
	moved    int64
	touched  int64
	// latest are the fields of the last change, which was at latestAt; changed
	// says of the others when they last did.
	latest   slot.Mask
	latestAt int64
	changed  []int64
	// growing is the history of the append-only field that changed last; grown
	// has those of the others.
	growing growth
	grown   []growth
}

// growth is the history of one append-only field since its text was last
// replaced, oldest first. Later entries of the slot append to the same array.
type growth struct {
	field int
	marks []mark // never empty
}

// mark says how long the field was, in UTF-16 units, after seq.
type mark struct {
	seq int64
	len int
}

// maxMarks bounds how far back lengths are remembered. A viewer that comes from
// before them is sent the whole field.
const maxMarks = 2048

// grew returns the history with one more mark.
func grew(marks []mark, m mark) []mark {
	if len(marks) >= maxMarks {
		marks = append(make([]mark, 0, maxMarks), marks[maxMarks/2:]...)
	}
	return append(marks, m)
}

// tombstone says that a slot was removed at seq.
type tombstone struct {
	seq             int64
	collection, key string
	born            int64
}

// maxTombstones bounds how many removals are remembered; a viewer that comes
// from before them is sent a snapshot.
const maxTombstones = 4096

// newEntry returns the entry of a slot that was inserted at seq.
func newEntry(c *transcript.Change, seq int64) *entry {
	e := &entry{
		key: c.Key, turn: c.Turn, value: c.Value, shape: c.Shape,
		inserted: seq, touched: seq, changed: make([]int64, c.Shape.Len()),
	}
	for i := range e.changed {
		e.changed[i] = seq
		if c.Shape.Appendable(i) {
			e.growing = growth{i, []mark{{seq, slot.UTF16Len(c.Shape.Text(c.Value, i))}}}
			e.grown = append(e.grown, e.growing)
		}
	}
	return e
}

// changedAt returns when a field last changed.
func (e *entry) changedAt(field int) int64 {
	if e.latest.Has(field) {
		return e.latestAt
	}
	return e.changed[field]
}

// change notes that fields changed at seq. Which fields they are seldom differs
// from the time before.
func (e *entry) change(fields slot.Mask, seq int64) {
	if fields != e.latest {
		e.changed = slices.Clone(e.changed)
		for i := range e.latest.Fields() {
			e.changed[i] = e.latestAt
		}
	}
	e.latest, e.latestAt, e.touched = fields, seq, seq
}

// grow notes the history of an append-only field.
func (e *entry) grow(field int, marks []mark) {
	if e.growing.field != field {
		e.grown = slices.Clone(e.grown)
		e.grown[e.grows(e.growing.field)] = e.growing
	}
	e.growing = growth{field, marks}
}

func (e *entry) grows(field int) int {
	return slices.IndexFunc(e.grown, func(g growth) bool { return g.field == field })
}

// marks returns the history of an append-only field, nil for another.
func (e *entry) marks(field int) []mark {
	if e.growing.field == field {
		return e.growing.marks
	}
	if i := e.grows(field); i >= 0 {
		return e.grown[i].marks
	}
	return nil
}

// lengthAt returns how long an append-only field was at seq, and whether that
// is known: it is not where the field was replaced since, or long ago.
func (e *entry) lengthAt(field int, seq int64) (n int, ok bool) {
	marks := e.marks(field)
	at, _ := slices.BinarySearchFunc(marks, seq+1, func(m mark, s int64) int { return cmp.Compare(m.seq, s) })
	if at == 0 {
		return 0, false
	}
	return marks[at-1].len, true
}

// length returns how long an append-only field is.
func (e *entry) length(field int) int {
	marks := e.marks(field)
	return marks[len(marks)-1].len
}

// goneSince returns the removals after seq of slots that were there at seq.
func (s *state) goneSince(seq int64) []tombstone {
	i, _ := slices.BinarySearchFunc(s.gone, seq+1, func(t tombstone, at int64) int { return cmp.Compare(t.seq, at) })
	return s.gone[i:]
}

// firstTurn returns the first turn of a window of the newest n.
func (s *state) firstTurn(n int) uint32 {
	if n <= 0 || uint32(n) > s.turns {
		return 0
	}
	return s.turns - uint32(n) + 1
}
