package transcript

import (
	"iter"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// RowsName is the collection that rows are told under.
const RowsName = "rows"

// Row is one thing to draw, in order. It names nodes and holds nothing of
// them, so that a delta changes no row.
type Row struct {
	Type string `json:"type"`
	// Message is the message the parts are in; of a waiting item it is empty.
	Message string `json:"message"`
	// Parts are the keys of the parts it stands for, in order.
	Parts []string `json:"parts"`
	// Group says what a group is of, State whether it can still grow.
	Group string `json:"group"`
	State string `json:"state"`
	// Reason says how the message of an end row ended.
	Reason steno.Finish `json:"reason"`
	// Item is the waiting item of a queue row.
	Item string `json:"item"`
	// Superseded says that the parts belong to an attempt that failed.
	Superseded bool `json:"superseded"`
}

// The types of rows, the groups there are and their states.
const (
	RowMessage = "message"
	RowPart    = "part"
	RowGroup   = "group"
	RowBatch   = "batch"
	RowEnd     = "end"
	RowQueue   = "queue"

	GroupThinking    = "thinking"
	GroupExploration = "exploration"

	GroupOpen      = "open"
	GroupCompleted = "completed"
)

var rowLayout = layout[Row]()

// RowShape encodes rows.
var RowShape = rowLayout.Shape()

// exploring are the tools that only look around. Their calls are drawn as one
// line, whatever step they are in.
var exploring = map[string]bool{
	"read": true, "Read": true, "read_file": true, "view": true,
	"glob": true, "Glob": true, "find": true, "list": true, "ls": true, "LS": true, "list_files": true,
	"grep": true, "Grep": true, "search": true, "search_files": true,
}

// Rows derives from the nodes of a conversation what to draw. It is told of
// each publication and works on what changed: a delta costs a look-up, a new
// part the row it joins. The zero value is the rows of nothing.
//
// Rows never cross a message, and so no turn.
type Rows struct {
	messages []*rowMessage
	byID     map[string]*rowMessage
	queue    []string // items, oldest first
	failed   map[attempt]bool

	// dirty are the messages to derive again, left the items that left the
	// queue in this publication.
	dirty []*rowMessage
	left  []string
	emit  func(Change)
}

// rowMessage is a message as rows see it.
type rowMessage struct {
	id     string
	turn   uint32
	role   steno.Role
	ended  bool
	reason steno.Finish
	item   string

	parts []rowPart
	byKey map[projection.Key]int
	rows  []keyedRow
	// from is the first part whose row has to be derived again, -1 for none.
	from int
	// gone says that the message was removed, stands that its row is there
	// already, from when it was a queued item.
	gone, stands bool
}

// keyedRow is a row in its place.
type keyedRow struct {
	key string
	row *Row
}

// rowPart is a part as rows see it.
type rowPart struct {
	key           string
	class         class
	step, attempt uint32
	shown         bool
	// row is the index of its row in the message, if it is shown.
	row int
}

// class says which parts stand in one row.
type class uint8

const (
	alone class = iota
	thinking
	exploration
	calling
)

// Apply takes what an engine published and passes the changes of rows to emit,
// each to be applied after the one before. It is called during the engine's
// notification.
func (r *Rows) Apply(p *projection.Publication, emit func(Change)) {
	if p.All {
		*r = Rows{}
	}
	r.emit = emit
	for c := range p.Changes() {
		r.note(c.Collection(), c.Key(), c.Live(), c.Op)
	}
	r.settle()
	r.emit = nil
}

// All yields the rows in order, with the turn on whose page they stand.
func (r *Rows) All() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for _, m := range r.messages {
			for _, k := range m.rows {
				if !yield(rowChange(k.key, k.row, slot.Inserted, "", m.turn)) {
					return
				}
			}
		}
		for _, item := range r.queue {
			if !yield(rowChange(itemKey(item), queueRow(item), slot.Inserted, "", Always)) {
				return
			}
		}
	}
}

// RowsOf returns the rows of a snapshot.
func RowsOf(s *projection.Snapshot) *Rows {
	r := &Rows{emit: func(Change) {}}
	note := func(c projection.Collection) {
		for n := range s.Nodes(c) {
			r.note(c, n.Key, n, slot.Inserted)
		}
	}
	note(Steps)
	note(Messages)
	note(Queue)
	for n := range s.Nodes(Messages) {
		note(Parts(n.Key.ID))
	}
	r.settle()
	return r
}

func itemKey(item string) string { return "item:" + item }

func queueRow(item string) *Row { return &Row{Type: RowQueue, Item: item} }

func rowChange(key string, row *Row, op slot.Op, before string, turn uint32) Change {
	return Change{Collection: RowsName, Key: key, Op: op, Before: before, Turn: turn, Value: row, Shape: RowShape}
}
