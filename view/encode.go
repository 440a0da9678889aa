package view

import (
	"strconv"

	"github.com/stenolog/steno/slot"
)

// encoder writes the ops of one frame. A nil one writes nothing.
type encoder struct {
	buf   []byte
	count int
}

func (w *encoder) begin(op string) {
	if w.count > 0 {
		w.buf = append(w.buf, ',')
	}
	w.count++
	w.buf = append(w.buf, `{"op":"`...)
	w.buf = append(w.buf, op...)
	w.buf = append(w.buf, '"')
}

func (w *encoder) slot(op, collection, key string) {
	w.begin(op)
	w.member("collection", collection)
	w.member("key", key)
}

func (w *encoder) member(name, value string) {
	w.buf = append(w.buf, `,"`...)
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, `":`...)
	w.buf = slot.AppendString(w.buf, value)
}

func (w *encoder) number(name string, n int) {
	w.buf = append(w.buf, `,"`...)
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, `":`...)
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
}

func (w *encoder) end() { w.buf = append(w.buf, '}') }

func (w *encoder) insert(collection string, e *entry, before string) {
	if w == nil {
		return
	}
	w.slot("insert", collection, e.key)
	if before != "" {
		w.member("before", before)
	}
	w.buf = append(w.buf, `,"node":`...)
	w.buf = e.shape.AppendWhole(w.buf, e.value)
	w.end()
}

func (w *encoder) move(collection, key, before string) {
	if w == nil {
		return
	}
	w.slot("move", collection, key)
	if before != "" {
		w.member("before", before)
	}
	w.end()
}

func (w *encoder) grow(collection string, e *entry, field, at, grown int, suffix string) {
	w.slot("append", collection, e.key)
	w.member("field", e.shape.Name(field))
	w.number("at", at)
	w.number("len", grown)
	w.member("text", suffix)
	w.end()
}

func (w *encoder) set(collection string, e *entry, fields slot.Mask) {
	w.slot("set", collection, e.key)
	w.buf = append(w.buf, `,"fields":{`...)
	first := true
	for i := range fields.Fields() {
		if !first {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.buf = slot.AppendString(w.buf, e.shape.Name(i))
		w.buf = append(w.buf, ':')
		w.buf = e.shape.AppendField(w.buf, e.value, i)
	}
	w.buf = append(w.buf, '}')
	w.end()
}

// remove writes one op for the keys that were removed from a collection.
func (w *encoder) remove(collection string, keys []string) {
	if w == nil {
		return
	}
	w.begin("remove")
	w.member("collection", collection)
	w.buf = append(w.buf, `,"keys":[`...)
	for i, k := range keys {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = slot.AppendString(w.buf, k)
	}
	w.buf = append(w.buf, ']')
	w.end()
}

// difference writes what differs between two successive entries of one slot:
// diff, as far as viewers see it.
func (w *encoder) difference(collection string, old, e *entry, diff slot.Mask) {
	if w == nil {
		return
	}
	var set slot.Mask
	for i := range (diff & e.shape.Visible()).Fields() {
		if e.shape.Appendable(i) {
			if suffix, ok := e.shape.Grown(old.value, e.value, i); ok {
				at := old.length(i)
				w.grow(collection, e, i, at, e.length(i)-at, suffix)
				continue
			}
		}
		set |= 1 << i
	}
	if set != 0 {
		w.set(collection, e, set)
	}
}

// since writes what changed in an entry after seq: a suffix where a text only
// grew, else the field.
func (w *encoder) since(collection string, e *entry, seq int64) {
	var set slot.Mask
	for i := range e.shape.Visible().Fields() {
		if e.changedAt(i) <= seq {
			continue
		}
		if n, ok := e.lengthAt(i, seq); ok {
			s := e.shape.Text(e.value, i)
			w.grow(collection, e, i, n, e.length(i)-n, s[offset(s, n):])
			continue
		}
		set |= 1 << i
	}
	if set != 0 {
		w.set(collection, e, set)
	}
}

// offset returns the byte offset of the n-th UTF-16 unit of s.
func offset(s string, n int) int {
	for i, r := range s {
		if n <= 0 {
			return i
		}
		n--
		if r >= 0x10000 {
			n--
		}
	}
	return len(s)
}
