package transcript

import (
	"slices"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/slot"
)

// settle derives the rows of every message that asked for it, and takes away
// those of items that left the queue and became no message.
func (r *Rows) settle() {
	if len(r.left) > 0 {
		r.leave()
	}
	for i, m := range r.dirty {
		if !m.gone {
			r.update(m)
		}
		m.from = -1
		r.dirty[i] = nil
	}
	r.dirty = r.dirty[:0]
	r.left = r.left[:0]
}

// leave takes the items out of the queue that left it. The row of one that
// became a message stays, to be that message's.
func (r *Rows) leave() {
	for _, item := range r.left {
		r.queue = slices.DeleteFunc(r.queue, func(q string) bool { return q == item })
		i := slices.IndexFunc(r.dirty, func(m *rowMessage) bool { return m.item == item && !m.gone && len(m.rows) == 0 })
		if i >= 0 {
			r.dirty[i].stands = true
			continue
		}
		r.emit(rowChange(itemKey(item), queueRow(item), slot.Removed, "", Always))
	}
}

// update derives the rows of m from part m.from on and tells what changed.
func (r *Rows) update(m *rowMessage) {
	var keep int
	var next []keyedRow
	if m.role == steno.RoleUser {
		next = m.bubble()
	} else {
		keep, next = r.tail(m)
	}
	old := m.rows[keep:]
	m.rows = append(m.rows[:keep:keep], next...)
	r.tell(m, old, next)
	m.stands = false
}

// bubble returns the one row of a user's message.
func (m *rowMessage) bubble() []keyedRow {
	row := &Row{Type: RowMessage, Message: m.id, Parts: make([]string, len(m.parts))}
	for i := range m.parts {
		row.Parts[i] = m.parts[i].key
	}
	key := "message:" + m.id
	if m.item != "" {
		key = itemKey(m.item)
	}
	return []keyedRow{{key, row}}
}

// tail returns how many rows of m stay as they are and those that follow. The
// row before the first part in question is among the latter: the part may join
// it or close it.
func (r *Rows) tail(m *rowMessage) (keep int, rows []keyedRow) {
	from := min(m.from, len(m.parts))
	before := from - 1
	for before >= 0 && !m.parts[before].shown {
		before--
	}
	if before >= 0 {
		keep = m.parts[before].row
		rows = append(rows, m.cut(keep, from))
	}
	for i := from; i < len(m.parts); i++ {
		p := &m.parts[i]
		if !p.shown {
			continue
		}
		if before >= 0 && p.joins(&m.parts[before]) {
			row := rows[len(rows)-1].row
			row.Parts = append(row.Parts, p.key)
		} else {
			rows = append(rows, m.begin(p, r.failed[attempt{m.turn, p.step, p.attempt}]))
		}
		p.row = keep + len(rows) - 1
		before = i
	}
	return keep, m.finish(rows)
}

// cut returns a copy of row i with only those of its parts that stand before
// the part from.
func (m *rowMessage) cut(i, from int) keyedRow {
	k := m.rows[i]
	row := *k.row
	count := 0
	for at := from - 1; at >= 0; at-- {
		if p := &m.parts[at]; p.shown {
			if p.row != i {
				break
			}
			count++
		}
	}
	if count < len(row.Parts) {
		row.Parts = row.Parts[:count:count]
	}
	return keyedRow{k.key, &row}
}

// begin returns the row that part p opens.
func (m *rowMessage) begin(p *rowPart, superseded bool) keyedRow {
	row := &Row{Type: RowPart, Message: m.id, Parts: []string{p.key}, Superseded: superseded}
	switch p.class {
	case thinking:
		row.Type, row.Group = RowGroup, GroupThinking
	case exploration:
		row.Type, row.Group = RowGroup, GroupExploration
	case calling:
		row.Type = RowBatch
	}
	return keyedRow{m.id + "/" + p.key, row}
}

// finish says of the groups whether they can grow, and adds the row that says
// how the message ended, if it did not end well.
func (m *rowMessage) finish(rows []keyedRow) []keyedRow {
	for i, k := range rows {
		if k.row.Type == RowGroup {
			k.row.State = GroupCompleted
			if i == len(rows)-1 && !m.ended {
				k.row.State = GroupOpen
			}
		}
	}
	bad := m.reason != "" && m.reason != steno.FinishComplete
	if m.ended && bad && m.role == steno.RoleAssistant {
		rows = append(rows, keyedRow{"end:" + m.id, &Row{Type: RowEnd, Message: m.id, Reason: m.reason}})
	}
	return rows
}

// tell passes on how old became next. Rows that are in both are in the same
// order.
func (r *Rows) tell(m *rowMessage, old, next []keyedRow) {
	was := make(map[string]*Row, len(old))
	for _, k := range old {
		was[k.key] = k.row
	}
	is := make(map[string]bool, len(next))
	for _, k := range next {
		is[k.key] = true
	}
	for _, k := range old {
		if !is[k.key] {
			r.emit(rowChange(k.key, k.row, slot.Removed, "", m.turn))
		}
	}
	anchors := anchors(next, was)
	for i, k := range next {
		before, there := was[k.key]
		switch {
		case !there:
			op := slot.Inserted
			if m.stands {
				op = slot.Written | slot.Moved
			}
			r.emit(rowChange(k.key, k.row, op, r.after(m, anchors[i]), m.turn))
		case !rowLayout.Equivalent(before, k.row):
			r.emit(rowChange(k.key, k.row, slot.Written, "", m.turn))
		}
	}
}

// anchors returns for each row the key of the first after it that was there
// already, "" if none was.
func anchors(rows []keyedRow, was map[string]*Row) []string {
	keys := make([]string, len(rows))
	key := ""
	for i := len(rows) - 1; i >= 0; i-- {
		keys[i] = key
		if was[rows[i].key] != nil {
			key = rows[i].key
		}
	}
	return keys
}

// after returns the key of the row that follows one of m: the anchor in the same
// message if there is one, else the first of a later message, else of the queue.
func (r *Rows) after(m *rowMessage, anchor string) string {
	if anchor != "" {
		return anchor
	}
	at := len(r.messages) - 1
	for r.messages[at] != m {
		at--
	}
	for _, later := range r.messages[at+1:] {
		if len(later.rows) > 0 {
			return later.rows[0].key
		}
	}
	if len(r.queue) > 0 {
		return itemKey(r.queue[0])
	}
	return ""
}
