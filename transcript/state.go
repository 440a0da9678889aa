package transcript

import (
	"slices"

	"github.com/stenolog/steno"
)

// State is what a normaliser holds between two turns. A checkpoint keeps it.
type State struct {
	// Turn is the number of the latest turn that started.
	Turn uint32 `json:"turn,omitzero"`
	// Messages counts the messages that stand on that turn's page, Items the
	// queue items: both are the counters behind their ids.
	Messages uint32 `json:"messages,omitzero"`
	Items    uint32 `json:"items,omitzero"`
	// Newest and Role are the id and role of the newest message, and Notices
	// the number of its parts if it is a system message (A19).
	Newest  string     `json:"newest,omitzero"`
	Role    steno.Role `json:"role,omitzero"`
	Notices int        `json:"notices,omitzero"`
	// Seq is the last position a source gave (A29).
	Seq int64 `json:"seq,omitzero"`
	// Queue holds the user messages that wait, oldest first.
	Queue []QueueItem `json:"queue,omitzero"`
}

// QueueItem is a user message that waits for its turn.
type QueueItem struct {
	Item   string          `json:"item"`
	Client string          `json:"client,omitzero"`
	Text   string          `json:"text,omitzero"`
	By     string          `json:"by,omitzero"`
	At     int64           `json:"at,omitzero"`
	Parts  []steno.Content `json:"parts,omitzero"`
}

// State returns what has to be kept to go on later. It is meaningful between
// two turns: an open turn is not part of it, and is brought back by [Normaliser.Replay].
func (n *Normaliser) State() State {
	s := n.keep
	s.Queue = slices.Clone(s.Queue)
	return s
}

// Restore makes n what it was when s was taken, with no turn open.
func (n *Normaliser) Restore(s State) {
	*n = Normaliser{keep: s}
	n.keep.Queue = slices.Clone(s.Queue)
}

// InTurn reports whether a turn is in flight (A20).
func (n *Normaliser) InTurn() bool { return n.turn.on }
