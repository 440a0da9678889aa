package slot

import (
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/stenolog/steno/text"
)

// equalFunc compares two values of one type in place.
type equalFunc = func(a, b unsafe.Pointer) bool

var timeType = reflect.TypeFor[time.Time]()

// equality returns the comparison of two values of type t by content. Within
// holds the types around t, to find a recursive one.
func equality(t reflect.Type, within []reflect.Type) (equalFunc, error) {
	if slices.Contains(within, t) {
		return nil, fmt.Errorf("%v is recursive and not marked ref", t)
	}
	switch {
	case t == textType:
		return func(a, b unsafe.Pointer) bool { return (*text.Text)(a).Equal(*(*text.Text)(b)) }, nil
	case t == timeType:
		return sameTime, nil
	case flat(t):
		return sameMemory(t.Size()), nil
	}
	switch t.Kind() {
	case reflect.String:
		return func(a, b unsafe.Pointer) bool { return *(*string)(a) == *(*string)(b) }, nil
	case reflect.Struct:
		return sameStruct(t, append(within, t))
	case reflect.Array:
		elem, err := equality(t.Elem(), append(within, t))
		size, n := t.Elem().Size(), t.Len()
		return func(a, b unsafe.Pointer) bool { return sameRun(elem, a, b, n, size) }, err
	case reflect.Slice:
		return sameSlice(t, append(within, t))
	case reflect.Pointer:
		elem, err := equality(t.Elem(), append(within, t))
		return func(a, b unsafe.Pointer) bool {
			p, q := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
			return p == q || p != nil && q != nil && elem(p, q)
		}, err
	}
	return nil, fmt.Errorf("%v has no comparison by content and is not marked ref", t)
}

func sameTime(a, b unsafe.Pointer) bool {
	t, u := *(*time.Time)(a), *(*time.Time)(b)
	if !t.Equal(u) {
		return false
	}
	_, tz := t.Zone()
	_, uz := u.Zone()
	return tz == uz
}

// flat reports whether two values of type t are equal exactly where their
// memory is: numbers, and structs and arrays of them without padding.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		var used uintptr
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || f.Tag.Get("slot") != "" || !flat(f.Type) {
				return false
			}
			used += f.Type.Size()
		}
		return used == t.Size()
	}
	return false
}

func sameMemory(size uintptr) equalFunc {
	switch size {
	case 1:
		return func(a, b unsafe.Pointer) bool { return *(*uint8)(a) == *(*uint8)(b) }
	case 4:
		// Alignment may be less than four bytes: compare as an array.
		return func(a, b unsafe.Pointer) bool { return *(*[4]byte)(a) == *(*[4]byte)(b) }
	case 8:
		return func(a, b unsafe.Pointer) bool { return *(*[8]byte)(a) == *(*[8]byte)(b) }
	}
	return func(a, b unsafe.Pointer) bool { return bytesAt(a, size) == bytesAt(b, size) }
}

// bytesAt views memory as a string, for comparison only.
func bytesAt(p unsafe.Pointer, n uintptr) string { return unsafe.String((*byte)(p), n) }

func sameStruct(t reflect.Type, within []reflect.Type) (equalFunc, error) {
	type member struct {
		offset uintptr
		equal  equalFunc
	}
	var members []member
	for i := range t.NumField() {
		f := t.Field(i)
		opts, err := parseOptions(f.Tag.Get("slot"))
		if err == nil && (opts.skip || f.Name == "_") {
			continue
		}
		var equal equalFunc
		if err == nil && opts.ref {
			equal, err = sameReference(f.Type)
		} else if err == nil {
			equal, err = equality(f.Type, within)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		members = append(members, member{f.Offset, equal})
	}
	return func(a, b unsafe.Pointer) bool {
		for i := range members {
			m := &members[i]
			if !m.equal(unsafe.Add(a, m.offset), unsafe.Add(b, m.offset)) {
				return false
			}
		}
		return true
	}, nil
}

func sameSlice(t reflect.Type, within []reflect.Type) (equalFunc, error) {
	size := t.Elem().Size()
	elem, err := equality(t.Elem(), within)
	if err != nil {
		return nil, err
	}
	if flat(t.Elem()) {
		elem = nil
	}
	return func(a, b unsafe.Pointer) bool {
		// The element type matters neither for the length nor for the pointer.
		x, y := *(*[]struct{})(a), *(*[]struct{})(b)
		p, q := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
		switch {
		case len(x) != len(y):
			return false
		case len(x) == 0 || p == q:
			return true
		case elem == nil:
			n := size * uintptr(len(x))
			return bytesAt(p, n) == bytesAt(q, n)
		}
		return sameRun(elem, p, q, len(x), size)
	}, nil
}

func sameRun(equal equalFunc, a, b unsafe.Pointer, n int, size uintptr) bool {
	for i := range n {
		at := uintptr(i) * size
		if !equal(unsafe.Add(a, at), unsafe.Add(b, at)) {
			return false
		}
	}
	return true
}

// sameReference returns the comparison of two references of type t: by what
// they refer to and, for strings and slices, how much of it.
func sameReference(t reflect.Type) (equalFunc, error) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return func(a, b unsafe.Pointer) bool { return *(*unsafe.Pointer)(a) == *(*unsafe.Pointer)(b) }, nil
	case reflect.String, reflect.Interface, reflect.Slice:
		// A pointer and a length, or a type and a pointer. A slice's capacity
		// is no part of what it refers to.
		return func(a, b unsafe.Pointer) bool { return *(*[2]uintptr)(a) == *(*[2]uintptr)(b) }, nil
	}
	return nil, fmt.Errorf("%v is no reference", t)
}
