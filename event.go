package steno

import "strings"

// Event is one thing that was heard. One flat struct serves both sides of the
// normaliser: a source event is loose, as an adapter hears it; a journal event
// is balanced and addressed.
//
// An event is passed by pointer and borrowed: its strings may alias a buffer
// that is used again, so they are valid only during the call they are passed
// to. Clone makes one that may be kept.
type Event struct {
	// Seq is the position along the branch, gapless from 1. The recorder gives
	// it. In a source event it is the source's own and serves only to skip
	// what was seen before (semantics A29); 0 means none.
	Seq int64

	// At is when the event was recorded, in milliseconds since the Unix epoch.
	// It is for display and orders nothing.
	At int64

	Type Type

	// Whole says that Text of an end event is the authoritative whole of the
	// block, given because it differs from the deltas (semantics A7).
	Whole bool

	// Choice is the provider's index of one of several alternative answers.
	// Choice 0 is the message; the others stay raw.
	Choice uint32

	// Turn counts turns along the branch, Step steps in the turn and Attempt
	// tries at the step, each from 1; 0 is outside of any.
	Turn, Step, Attempt uint32

	// Message is the id of the message the event belongs to, an opaque counter.
	// In a source event it is the source's own name for it.
	Message string

	// Part is the ordinal of the part among those of its kind in the message,
	// in decimal. Together with the kind, which the type implies, it is the
	// part's address. Source events have none.
	Part string

	// Block is the provider's name for the unit the event belongs to, "" where
	// the source names none. It is unique within a step and attempt.
	Block string

	// Call is the provider's id of a tool call. It may repeat; it is no key.
	Call string

	// Name is the name of a tool, or of a permission, queue item or file.
	Name string

	// Text is a delta, a whole text, raw tool arguments, or a message to read.
	Text string

	// Body holds what only this type of event carries, or nil.
	Body Body
}

// Clone returns a deep copy of e that shares no borrowed bytes with it.
// Bodies are immutable once made and are shared.
func (e *Event) Clone() *Event {
	c := *e
	c.Message = strings.Clone(e.Message)
	c.Part = strings.Clone(e.Part)
	c.Block = strings.Clone(e.Block)
	c.Call = strings.Clone(e.Call)
	c.Name = strings.Clone(e.Name)
	c.Text = strings.Clone(e.Text)
	return &c
}
