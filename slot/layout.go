package slot

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Layout knows the fields of V: which of them differ between two values, which
// grew, and how each is written as JSON. It is compiled once, to closures over
// field offsets, so that comparing and encoding need no reflection.
//
// A layout is immutable and may be used by any number of goroutines.
type Layout[V any] struct {
	fields  []field
	all     Mask
	visible Mask
	fixed   Mask // immutable fields
	tag     int  // the variant tag's field, or -1
	key     int  // the key's field, or -1
}

// Compile returns the layout of struct type V, which has exactly one key.
//
// Fields are described by the slot tag, a comma-separated list:
//
//	key        identifies the value
//	tag        names the variant: where it differs, every field differs
//	immutable  is set once; later values of it are not a difference
//	append     is a string or [text.Text] that only grows
//	ref        is compared by reference, not by content
//	-          is no field of the layout: a change of it is no change
//
// A field's name is the one its json tag gives it; other json options have no
// effect. Fields that JSON hides (unexported, or tagged "-") are compared but
// never encoded. Embedded structs count as their fields.
//
// Content is compared through structs, arrays, slices and pointers; nil and
// empty slices are the same, floating-point numbers are compared by their bits
// and times by instant and zone offset. Maps, interfaces, functions, channels
// and recursive types have to be marked ref.
//
// An error wraps [ErrLayout]. It is returned for a type that is no struct, has
// no or two keys, two tags, more than [MaxFields] fields, or a field that
// cannot be what its tag says.
func Compile[V any]() (*Layout[V], error) { return compile[V](true) }

// CompileKeyless is Compile for values whose key is kept outside of them.
// It is an error if V has a key.
func CompileKeyless[V any]() (*Layout[V], error) { return compile[V](false) }

func compile[V any](keyed bool) (*Layout[V], error) {
	t := reflect.TypeFor[V]()
	c := compiler{tag: -1, key: -1}
	if err := c.layout(t); err != nil {
		return nil, fmt.Errorf("%w of %v: %w", ErrLayout, t, err)
	}
	if (c.key >= 0) != keyed {
		problem := "no key"
		if !keyed {
			problem = "a key in a keyless layout"
		}
		return nil, fmt.Errorf("%w of %v: %s", ErrLayout, t, problem)
	}
	l := &Layout[V]{fields: c.fields, tag: c.tag, key: c.key}
	for i := range l.fields {
		bit := Mask(1) << i
		l.all |= bit
		if !l.fields[i].hidden {
			l.visible |= bit
		}
		if l.fields[i].immutable {
			l.fixed |= bit
		}
	}
	return l, nil
}

// Len returns the number of fields.
func (l *Layout[V]) Len() int { return len(l.fields) }

// All returns the mask of all fields.
func (l *Layout[V]) All() Mask { return l.all }

// Visible returns the mask of the fields that are encoded.
func (l *Layout[V]) Visible() Mask { return l.visible }

// Name returns the name of field i.
func (l *Layout[V]) Name(i int) string { return l.fields[i].name }

// Names returns the names of the fields in the mask, in order.
func (l *Layout[V]) Names(m Mask) []string {
	names := make([]string, 0, m.Len())
	for i := range m.Fields() {
		names = append(names, l.fields[i].name)
	}
	return names
}

// Mask returns the mask of the named fields. An unknown name is an error that
// wraps [ErrLayout].
func (l *Layout[V]) Mask(names ...string) (Mask, error) {
	var m Mask
	for _, name := range names {
		i, ok := l.Field(name)
		if !ok {
			return 0, fmt.Errorf("%w: no field %q", ErrLayout, name)
		}
		m |= 1 << i
	}
	return m, nil
}

// Field returns the index of the named field and whether there is one.
func (l *Layout[V]) Field(name string) (int, bool) {
	for i := range l.fields {
		if l.fields[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// Diff returns the fields that differ between a and b: all of them if the tag
// does, and never an immutable one otherwise. It compares each field once and
// allocates nothing. An append-only [text.Text] costs O(1) where one value
// grew from the other.
func (l *Layout[V]) Diff(a, b *V) Mask {
	pa, pb := unsafe.Pointer(a), unsafe.Pointer(b)
	if l.tag >= 0 && !l.fields[l.tag].same(pa, pb) {
		return l.all
	}
	var m Mask
	for i := range l.fields {
		if f := &l.fields[i]; i != l.tag && !f.immutable && !f.same(pa, pb) {
			m |= 1 << i
		}
	}
	return m
}

// Equivalent reports whether no field differs, as Diff would tell, and stops
// at the first that does.
func (l *Layout[V]) Equivalent(a, b *V) bool {
	pa, pb := unsafe.Pointer(a), unsafe.Pointer(b)
	if l.tag >= 0 && !l.fields[l.tag].same(pa, pb) {
		return false
	}
	for i := range l.fields {
		if f := &l.fields[i]; i != l.tag && !f.immutable && !f.same(pa, pb) {
			return false
		}
	}
	return true
}

// Appendable reports whether field i is append-only text.
func (l *Layout[V]) Appendable(i int) bool { return l.fields[i].text != nil }

// Text returns the content of append-only field i, without copying, or "" for
// a field of another kind.
func (l *Layout[V]) Text(v *V, i int) string {
	f := &l.fields[i]
	if f.text == nil {
		return ""
	}
	return f.text(unsafe.Add(unsafe.Pointer(v), f.offset))
}

// Grown returns what append-only field i of b has after that of a, and whether
// a's is a prefix of b's. Where b grew from a in place it costs O(1), else
// O(len of a's). For a field of another kind it reports false.
func (l *Layout[V]) Grown(a, b *V, i int) (suffix string, ok bool) {
	if !l.Appendable(i) {
		return "", false
	}
	old, grown := l.Text(a, i), l.Text(b, i)
	if len(grown) < len(old) {
		return "", false
	}
	if unsafe.StringData(old) != unsafe.StringData(grown) && !strings.HasPrefix(grown, old) {
		return "", false
	}
	return grown[len(old):], true
}

// keep gives next the immutable fields of old, from which it differs by diff,
// unless the tag differs and next is thereby something else.
func (l *Layout[V]) keep(next, old *V, diff Mask) {
	if l.fixed == 0 || l.tag >= 0 && diff.Has(l.tag) {
		return
	}
	pn, po := unsafe.Pointer(next), unsafe.Pointer(old)
	for i := range l.fixed.Fields() {
		if f := &l.fields[i]; !f.same(pn, po) {
			f.assign(pn, po)
		}
	}
}
