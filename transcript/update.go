package transcript

import "github.com/stenolog/steno/slot"

// Update is one publication of a transcript, as a view takes it: what changed
// in its collections, rows among them.
type Update struct {
	// Seq is the position the state is now complete to.
	Seq int64
	// All says that everything before is void.
	All bool
	// Running says whether a turn is in flight.
	Running bool
	Changes []Change
}

// Change is what happened to one slot since the last publication.
type Change struct {
	// Collection and Key name the slot, as the view protocol writes them.
	Collection, Key string
	// Op is Inserted, Written, Moved or Removed, the last three alone or
	// Written with Moved.
	Op slot.Op
	// Before is the key the slot now stands before, "" at the end (Inserted
	// and Moved).
	Before string
	// Turn is the turn whose page the slot belongs to. Slots that belong to no
	// turn, such as queued items, have Always.
	Turn uint32
	// Value is the slot's value, immutable, and Shape what encodes it.
	Value any
	Shape slot.Shape
}

// Always is the Turn of what every window shows.
const Always = ^uint32(0)
