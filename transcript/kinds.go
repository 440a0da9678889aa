package transcript

import (
	"strconv"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// The collections that a conversation's nodes live in.
var (
	// Messages holds the messages, by their id.
	Messages = projection.Collection{Name: "messages"}
	// Steps holds the steps, by turn and number.
	Steps = projection.Collection{Name: "steps"}
	// Queue holds the user messages that wait, by their item.
	Queue = projection.Collection{Name: "queue"}
	// Permissions holds the open questions, by their id.
	Permissions = projection.Collection{Name: "permissions"}
)

// partsName is the name that the collections of all messages' parts have.
const partsName = "parts"

// Parts is the collection of a message's parts, which are named by kind and
// ordinal.
func Parts(message string) projection.Collection {
	return projection.Collection{Name: partsName, Of: message}
}

// Kinds returns the definitions of a conversation, in the order in which they
// see an event. The list may be added to: a new kind of content is one more
// definition.
func Kinds() []projection.Kind[steno.Event] {
	return []projection.Kind[steno.Event]{
		messageKind(), stepKind(),
		proseKind(steno.KindText), proseKind(steno.KindThinking), toolKind(),
		errorKind(), systemKind(), fileKind(), sourceKind(), opaqueKind(),
		queueKind(), permissionKind(),
	}
}

// EventType tells an engine the type of an event: its Options.Type.
func EventType(e *steno.Event) uint8 { return uint8(e.Type) }

// EventSeq tells an engine the position of an event: its Options.Seq.
func EventSeq(e *steno.Event) int64 { return e.Seq }

// PartState says whether a part can still change (A6).
type PartState uint8

// The states of a part.
const (
	Open PartState = iota
	Sealed
)

// String returns the state's name.
func (s PartState) String() string {
	if s == Sealed {
		return "sealed"
	}
	return "open"
}

// MarshalText implements [encoding.TextMarshaler].
func (s PartState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// PageOf returns the turn on whose page the message that e opens stands. What
// comes between two turns stands on the page of the one it leads to, so that a
// question is with its answer and the page of an ended turn never changes.
func PageOf(e *steno.Event) uint32 {
	turn, _, _ := strings.Cut(e.Message, ".")
	n, err := strconv.ParseUint(turn, 10, 32)
	if err != nil {
		return 0
	}
	if e.Turn == 0 {
		n++
	}
	return uint32(n)
}

func on(types ...steno.Type) []uint8 {
	out := make([]uint8, len(types))
	for i, t := range types {
		out[i] = uint8(t)
	}
	return out
}

// layout compiles the layout of a node type, whose tags are fixed in this
// package.
func layout[S any]() *slot.Layout[S] {
	l, err := slot.CompileKeyless[S]()
	if err != nil {
		panic(err)
	}
	return l
}
