package projection

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stenolog/steno/slot"
)

// Collection names an ordered set of nodes: a name, and for a set that belongs
// to something, of what ("parts" of a message). The zero value is a collection
// like any other.
type Collection struct {
	Name, Of string
}

// String returns "name" or "name/of".
func (c Collection) String() string {
	if c.Of == "" {
		return c.Name
	}
	return c.Name + "/" + c.Of
}

// Key identifies a node within its collection.
type Key struct {
	Kind, ID string
}

var keyEscape = strings.NewReplacer("%", "%25", ":", "%3A")

// String returns "kind:id" with % and : in the kind escaped, so no two keys
// share a form. It is never parsed back.
func (k Key) String() string {
	if strings.ContainsAny(k.Kind, "%:") {
		return keyEscape.Replace(k.Kind) + ":" + k.ID
	}
	return k.Kind + ":" + k.ID
}

// Role is what an event does to the node it is claimed for.
type Role uint8

// The roles.
const (
	// Start opens the node, or opens it anew.
	Start Role = iota + 1
	// Update folds the event into the node.
	Update
	// Remove takes the node away.
	Remove
)

// Claim says that an event is a definition's, and which node it is about.
type Claim struct {
	Collection Collection
	ID         string
	Role       Role
}

// Cadence is how soon subscribers hear of a change.
type Cadence uint8

// The cadences. Between two publications the cadence only rises.
const (
	// Silent changes are carried by a later publication.
	Silent Cadence = iota
	// Frame changes may wait until a view can draw: per-token deltas.
	Frame
	// Immediate changes are single facts, told at the end of the push.
	Immediate
)

// Definition is one kind of content: a state S folded from events E.
//
// All functions must be pure functions of their arguments.
// S holds values, strings, text.Text and slices that are only appended to: a
// frozen copy of it must not change when the next Update is applied. Events
// are borrowed: copy what is kept, or append it to a text.Text.
type Definition[E, S any] struct {
	// Kind names the kind. It is unique in an engine.
	Kind string
	// On lists the event types the definition may claim; empty means all.
	On []uint8
	// Match says whether an event is this definition's. It sees only the event.
	Match func(e *E) (Claim, bool)
	// MatchInto is Match in place, as Amend is Update: it fills in the claim,
	// which is empty. If it is set, Match is not called.
	MatchInto func(e *E, c *Claim) bool
	// Start returns the state a node opens with.
	Start func(e *E, r Reader) S
	// Update returns the state with the event folded in. It may be nil for
	// nodes that never change.
	Update func(s S, e *E) S
	// Amend is Update in place, for states that are large and change with every
	// delta: s is a copy of the state and takes its place once Amend has
	// returned. If it is set, Update is not called.
	Amend func(s *S, e *E)
	// Cadence says how soon to tell; nil means Immediate.
	Cadence func(e *E) Cadence
	// Equal, if set, says that two states are the same to every reader; such
	// an update writes nothing.
	Equal func(a, b *S) bool
	// Layout, if set, lets views compare and encode states field by field.
	Layout *slot.Layout[S]
}

// Kind is a definition with its state type erased, as an engine takes it.
type Kind[E any] interface {
	name() string
	types() []uint8
	check() error
	bind() binding[E]
}

// Of erases a definition's state type, so that definitions of different states
// stand in one list.
func Of[E, S any](d Definition[E, S]) Kind[E] { return &d }

func (d *Definition[E, S]) check() error {
	switch {
	case d.Kind == "":
		return errors.New("it has no name")
	case d.Match == nil && d.MatchInto == nil:
		return errors.New("it has no Match")
	case d.Start == nil:
		return errors.New("it has no Start")
	}
	return nil
}

func (d *Definition[E, S]) name() string   { return d.Kind }
func (d *Definition[E, S]) types() []uint8 { return d.On }

// binding is a definition as an engine uses it, its state type erased. States
// are passed as pointers to it. The functions are values and not methods of an
// interface: a method of a generic type is reached by two calls.
type binding[E any] struct {
	kind  string
	shape slot.Shape
	// match and cadence are what the engine asks about every event.
	match   func(*E, *Claim) bool
	cadence func(*E) Cadence
	// empty returns a state to compute into. start and update fill in next;
	// update reports whether it differs from the value it was computed from.
	empty  func() any
	start  func(next any, e *E, r Reader)
	update func(next, value any, e *E) (differs bool)
	// freeze returns an immutable copy of a node.
	freeze func(*Node) *Node
}

func (d *Definition[E, S]) bind() binding[E] {
	b := binding[E]{
		kind: d.Kind, match: d.MatchInto, cadence: d.Cadence,
		empty:  func() any { return new(S) },
		start:  func(next any, e *E, r Reader) { *next.(*S) = d.Start(e, r) },
		update: d.updating(),
		freeze: freeze[S],
	}
	if d.Layout != nil {
		b.shape = d.Layout.Shape()
	}
	if b.match == nil {
		b.match = func(e *E, c *Claim) (ok bool) {
			*c, ok = d.Match(e)
			return ok
		}
	}
	if b.cadence == nil {
		b.cadence = func(*E) Cadence { return Immediate }
	}
	return b
}

func (d *Definition[E, S]) updating() func(next, value any, e *E) (differs bool) {
	amend, equal := d.Amend, d.Equal
	switch {
	case amend == nil && d.Update == nil:
		return func(any, any, *E) bool { return false }
	case amend == nil:
		amend = func(s *S, e *E) { *s = d.Update(*s, e) }
	}
	return func(next, value any, e *E) bool {
		n, old := next.(*S), value.(*S)
		*n = *old
		amend(n, e)
		return equal == nil || !equal(old, n)
	}
}

// Node is a folded piece of content. A node handed out is immutable, unless it
// came from a [Reader].
type Node struct {
	Key Key
	// Seq is that of the event that started the node.
	Seq int64
	// Generation counts starts, from 1.
	Generation int

	state any // *S
	shape slot.Shape
}

// Value returns the node's state as a pointer to its type, for [Node.Shape].
func (n *Node) Value() any { return n.state }

// Shape returns what compares and encodes the state, or nil if its definition
// has no layout.
func (n *Node) Shape() slot.Shape { return n.shape }

// State returns the state of a node whose definition folds into an S, and
// whether it does. The state is shared: do not write to it.
func State[S any](n *Node) (*S, bool) {
	if n == nil {
		return nil, false
	}
	s, ok := n.state.(*S)
	return s, ok
}

// MustState is State for callers that know the kind. It panics if they don't.
func MustState[S any](n *Node) *S {
	s, ok := State[S](n)
	if !ok {
		panic(fmt.Sprintf("projection: node %v does not hold %T", n.Key, s))
	}
	return s
}

// header is a live node, owned by the writer: what the engine knows of it
// besides its state. It is the cell of the node's slot.
type header struct {
	node Node
	// freeze returns an immutable copy of a node of this type.
	freeze func(*Node) *Node
	// order is the node's place among all nodes of the engine.
	order uint64
	// before is the node of the same kind and collection started before it.
	before    *header
	group     *group
	gone      bool
	listeners []*listener[*Change]
}

// headerOf returns the node in a slot of an engine.
func headerOf(s *slot.Slot[Key]) *header { return s.Cell().(*header) }

// Freeze implements [slot.Cell].
func (h *header) Freeze() any { return h.freeze(&h.node) }

// freeze returns a copy of a node, node and state in one allocation.
func freeze[S any](n *Node) *Node {
	f := &struct {
		node  Node
		state S
	}{*n, *n.state.(*S)}
	f.node.state = &f.state
	return &f.node
}
