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
	// gone lists what was removed, oldest first. Later states append to the same
	// array, behind what this one sees.
	gone []tombstone
	// floor is the oldest seq that Since can start from.
	floor int64
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
	changed  []int64 // by field
	grown    []growth
}

// growth is the history of one append-only field since its text was last
// replaced, oldest first. Later entries of the slot append to the same array.
type growth struct {
	field int
	marks []mark
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
func (g growth) grew(seq int64, length int) growth {
	if len(g.marks) >= maxMarks {
		g.marks = append(make([]mark, 0, maxMarks), g.marks[maxMarks/2:]...)
	}
	g.marks = append(g.marks, mark{seq, length})
	return g
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
			n := slot.UTF16Len(c.Shape.Text(c.Value, i))
			e.grown = append(e.grown, growth{i, []mark{{seq, n}}})
		}
	}
	return e
}

// lengthAt returns how long an append-only field was at seq, and whether that
// is known: it is not where the field was replaced since, or long ago.
func (e *entry) lengthAt(field int, seq int64) (n int, ok bool) {
	for i := range e.grown {
		if e.grown[i].field == field {
			marks := e.grown[i].marks
			at, _ := slices.BinarySearchFunc(marks, seq+1, func(m mark, s int64) int { return cmp.Compare(m.seq, s) })
			if at > 0 {
				return marks[at-1].len, true
			}
		}
	}
	return 0, false
}

func (e *entry) length(field int) int {
	n, _ := e.lengthAt(field, e.touched)
	return n
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
