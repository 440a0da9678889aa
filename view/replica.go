package view

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/slot"
)

// Replica is a viewer's state: ordered collections of nodes, kept by applying
// what a stream says. The zero value is empty. It is for one goroutine.
type Replica struct {
	// Window says what the last snapshot held.
	Window struct {
		First uint32 `json:"first"`
		Older bool   `json:"older"`
	}
	collections map[string]*replicaSet
}

// ReplicaNode is a node as a viewer has it: fields by name.
type ReplicaNode struct {
	Key    string
	fields map[string]jsontext.Value
	// grown holds the fields that were appended to, decoded: what comes then
	// costs its own length. They are not in fields.
	grown map[string]*grownText
}

// grownText is a text and its length in UTF-16 units.
type grownText struct {
	text  []byte
	units int
}

type replicaSet struct {
	order []*ReplicaNode
	byKey map[string]*ReplicaNode
}

// op is one operation of the protocol.
type op struct {
	Op         string                    `json:"op"`
	Collection string                    `json:"collection"`
	Key        string                    `json:"key"`
	Keys       []string                  `json:"keys"`
	Before     string                    `json:"before"`
	Field      string                    `json:"field"`
	At         int                       `json:"at"`
	Len        int                       `json:"len"`
	Text       string                    `json:"text"`
	Node       map[string]jsontext.Value `json:"node"`
	Fields     map[string]jsontext.Value `json:"fields"`
}

// ErrResync is returned by [Replica.Apply] when the viewer has to read the
// snapshot again.
var ErrResync = fmt.Errorf("view: resync: %w", steno.ErrConflict)

// sloppy lets through what providers and tools sent: a name given twice in
// their JSON must not keep the rest from being seen.
var sloppy = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Apply applies the data of one SSE event. On an error, which is [ErrResync]
// where a snapshot helps, the state is void.
func (r *Replica) Apply(data []byte) error {
	var frame struct {
		Snapshot bool           `json:"snapshot"`
		Window   jsontext.Value `json:"window"`
		Ops      []op           `json:"ops"`
	}
	if err := json.Unmarshal(data, &frame, sloppy); err != nil {
		return fmt.Errorf("view: frame: %w", err)
	}
	if frame.Snapshot || r.collections == nil {
		r.collections = make(map[string]*replicaSet)
	}
	if len(frame.Window) > 0 {
		if err := json.Unmarshal(frame.Window, &r.Window); err != nil {
			return fmt.Errorf("view: window: %w", err)
		}
	}
	for i := range frame.Ops {
		if err := r.apply(&frame.Ops[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Replica) apply(o *op) error {
	s := r.collections[o.Collection]
	if s == nil {
		s = &replicaSet{byKey: make(map[string]*ReplicaNode)}
		r.collections[o.Collection] = s
	}
	switch o.Op {
	case "insert":
		if s.byKey[o.Key] != nil {
			return fmt.Errorf("insert of %s in %s, which is there: %w", o.Key, o.Collection, ErrResync)
		}
		n := &ReplicaNode{Key: o.Key, fields: o.Node}
		if n.fields == nil {
			n.fields = make(map[string]jsontext.Value)
		}
		s.byKey[o.Key] = n
		return s.place(n, o.Before)
	case "append":
		return s.append(o)
	case "set":
		n := s.byKey[o.Key]
		if n == nil {
			return fmt.Errorf("set of %s in %s, which is not there: %w", o.Key, o.Collection, ErrResync)
		}
		for name, v := range o.Fields {
			n.fields[name] = v
			delete(n.grown, name)
		}
	case "move":
		n := s.byKey[o.Key]
		if n == nil {
			return fmt.Errorf("move of %s in %s, which is not there: %w", o.Key, o.Collection, ErrResync)
		}
		s.order = slices.DeleteFunc(s.order, func(x *ReplicaNode) bool { return x == n })
		return s.place(n, o.Before)
	case "remove":
		for _, k := range o.Keys {
			n := s.byKey[k]
			delete(s.byKey, k)
			s.order = slices.DeleteFunc(s.order, func(x *ReplicaNode) bool { return x == n })
		}
	case "resync":
		return ErrResync
	}
	return nil
}

func (s *replicaSet) place(n *ReplicaNode, before string) error {
	at := len(s.order)
	if before != "" {
		if at = slices.Index(s.order, s.byKey[before]); at < 0 {
			return fmt.Errorf("%s before %s, which is not there: %w", n.Key, before, ErrResync)
		}
	}
	s.order = slices.Insert(s.order, at, n)
	return nil
}

func (s *replicaSet) append(o *op) error {
	n := s.byKey[o.Key]
	if n == nil {
		return fmt.Errorf("append to %s in %s, which is not there: %w", o.Key, o.Collection, ErrResync)
	}
	if err := n.grow(o); err != nil {
		return fmt.Errorf("append to %s.%s in %s: %w", o.Key, o.Field, o.Collection, err)
	}
	return nil
}

func (n *ReplicaNode) grow(o *op) error {
	g := n.grown[o.Field]
	if g == nil {
		text := n.Text(o.Field)
		g = &grownText{[]byte(text), slot.UTF16Len(text)}
		if n.grown == nil {
			n.grown = make(map[string]*grownText)
		}
		n.grown[o.Field] = g
		delete(n.fields, o.Field)
	}
	if g.units != o.At || slot.UTF16Len(o.Text) != o.Len {
		return fmt.Errorf("%d units at %d, where it is %d long: %w", o.Len, o.At, g.units, ErrResync)
	}
	g.text = append(g.text, o.Text...)
	g.units += o.Len
	return nil
}

// Nodes returns the nodes of a collection in order. They are the replica's own
// and change with it.
func (r *Replica) Nodes(collection string) []*ReplicaNode {
	if s := r.collections[collection]; s != nil {
		return s.order
	}
	return nil
}

// Node returns a node, or nil.
func (r *Replica) Node(collection, key string) *ReplicaNode {
	if s := r.collections[collection]; s != nil {
		return s.byKey[key]
	}
	return nil
}

// Collections returns the names of the collections that have nodes, sorted.
func (r *Replica) Collections() []string {
	var names []string
	for name, s := range r.collections {
		if len(s.order) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Text returns a text field, "" if it is absent or no text.
func (n *ReplicaNode) Text(field string) string {
	if g := n.grown[field]; g != nil {
		return string(g.text)
	}
	var s string
	if v := n.fields[field]; len(v) > 0 && v.Kind() == '"' {
		_ = json.Unmarshal(v, &s) // what is no string is no text
	}
	return s
}

// MarshalJSON returns the state in a canonical form: two replicas with the
// same form show the same.
func (r *Replica) MarshalJSON() ([]byte, error) {
	type node struct {
		Key  string                    `json:"key"`
		Node map[string]jsontext.Value `json:"node"`
	}
	out := make(map[string][]node)
	for _, name := range r.Collections() {
		for _, n := range r.collections[name].order {
			out[name] = append(out[name], node{n.Key, n.visible()})
		}
	}
	return json.Marshal(out, sloppy, json.Deterministic(true))
}

// visible leaves out fields that say nothing: zero values are not written in
// an insert but are in a set.
func (n *ReplicaNode) visible() map[string]jsontext.Value {
	m := make(map[string]jsontext.Value, len(n.fields))
	for name, g := range n.grown {
		if len(g.text) > 0 {
			m[name] = slot.AppendString(nil, string(g.text))
		}
	}
	for name, v := range n.fields {
		switch string(v) {
		case `""`, "0", "false", "null", "[]", "{}":
		default:
			m[name] = v
		}
	}
	return m
}
