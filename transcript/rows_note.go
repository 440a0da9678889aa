package transcript

import (
	"slices"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
)

// note takes one change of a node and remembers what to derive again.
func (r *Rows) note(c projection.Collection, k projection.Key, n *projection.Node, op slot.Op) {
	switch c.Name {
	case Messages.Name:
		r.noteMessage(k.ID, n, op)
	case Steps.Name:
		r.noteStep(n)
	case Queue.Name:
		r.noteQueue(k.ID, op)
	case partsName:
		if m := r.byID[c.Of]; m != nil {
			r.notePart(m, k, n, op)
		}
	}
}

func (r *Rows) noteMessage(id string, n *projection.Node, op slot.Op) {
	if op == slot.Removed {
		r.forget(r.byID[id])
		return
	}
	node, ok := projection.State[MessageNode](n)
	if !ok {
		return
	}
	m := r.byID[id]
	if m == nil {
		m = &rowMessage{id: id, turn: node.Turn, role: node.Role, item: node.Item, from: -1, byKey: map[projection.Key]int{}}
		if r.byID == nil {
			r.byID = map[string]*rowMessage{}
		}
		r.byID[id] = m
		r.messages = append(r.messages, m)
	}
	m.ended, m.reason = node.State == StateEnded, node.Reason
	r.derive(m, len(m.parts))
}

// forget takes a message away that was removed.
func (r *Rows) forget(m *rowMessage) {
	if m == nil {
		return
	}
	m.gone = true
	for _, k := range m.rows {
		r.emit(rowChange(k.key, k.row, slot.Removed, "", m.turn))
	}
	delete(r.byID, m.id)
	r.messages = slices.DeleteFunc(r.messages, func(x *rowMessage) bool { return x == m })
}

// derive remembers that the rows of m are to be derived again from a part on.
func (r *Rows) derive(m *rowMessage, from int) {
	if m.from < 0 {
		m.from = from
		r.dirty = append(r.dirty, m)
	}
	m.from = min(m.from, from)
}

func (r *Rows) noteStep(n *projection.Node) {
	node, ok := projection.State[StepNode](n)
	if !ok {
		return
	}
	for _, f := range node.Failed {
		a := attempt{node.Turn, node.Step, f.Attempt}
		if r.failed[a] {
			continue
		}
		if r.failed == nil {
			r.failed = map[attempt]bool{}
		}
		r.failed[a] = true
		if m := r.byID[node.Message]; m != nil {
			r.derive(m, m.firstOf(a))
		}
	}
}

// firstOf returns the index of the attempt's first part.
func (m *rowMessage) firstOf(a attempt) int {
	first := len(m.parts)
	for i := len(m.parts) - 1; i >= 0; i-- {
		p := &m.parts[i]
		if p.step == a.step && p.attempt == a.attempt {
			first = i
		} else if p.step != 0 && p.step < a.step {
			break
		}
	}
	return first
}

func (r *Rows) noteQueue(item string, op slot.Op) {
	switch op {
	case slot.Removed:
		r.left = append(r.left, item)
	case slot.Inserted:
		r.queue = append(r.queue, item)
		r.emit(rowChange(itemKey(item), queueRow(item), slot.Inserted, "", Always))
	}
}

func (r *Rows) notePart(m *rowMessage, k projection.Key, n *projection.Node, op slot.Op) {
	i, known := m.byKey[k]
	switch {
	case op == slot.Removed:
		if known {
			m.remove(i)
			delete(m.byKey, k)
			r.derive(m, i)
		}
		return
	case !known:
		i = len(m.parts)
		m.byKey[k] = i
		m.parts = append(m.parts, rowPart{key: k.String()})
	}
	p := &m.parts[i]
	was := *p
	p.look(n)
	if !known || *p != was {
		r.derive(m, i)
	}
}

// remove takes part i out.
func (m *rowMessage) remove(i int) {
	m.parts = slices.Delete(m.parts, i, i+1)
	for k, at := range m.byKey {
		if at > i {
			m.byKey[k] = at - 1
		}
	}
}

// look takes from a part's node what decides in which row it stands.
func (p *rowPart) look(n *projection.Node) {
	p.class, p.shown = alone, true
	switch s := n.Value().(type) {
	case *Prose:
		p.step, p.attempt = s.Step, s.Attempt
		p.shown = s.Redacted || len(s.Content) > 0 || !onlySpace(s.Text.String())
		if s.Kind == steno.KindThinking {
			p.class = thinking
		}
	case *Tool:
		p.step, p.attempt = s.Step, s.Attempt
		p.class = calling
		if exploring[s.Name] {
			p.class = exploration
		}
	case *Single:
		p.step, p.attempt = s.Step, s.Attempt
	}
}

// onlySpace reports whether there is nothing to see in s. It looks no further
// than the first thing there is.
func onlySpace(s string) bool { return strings.TrimLeft(s, " \t\r\n\u00a0\u3000") == "" }

// joins reports whether a part stands in the row of the shown part before it:
// neighbours in thought, looking around in one attempt after another step's,
// calls of one step and attempt.
func (p *rowPart) joins(before *rowPart) bool {
	if p.class != before.class || p.class == alone {
		return false
	}
	if p.class == calling {
		return p.step == before.step && p.attempt == before.attempt
	}
	return p.step != before.step || p.attempt == before.attempt
}
