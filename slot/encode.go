package slot

import (
	"encoding"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AppendField appends field i of v as one JSON value on one line. Text is
// escaped as by [AppendString]. A value that JSON cannot express (an infinite
// number, raw JSON that is none) is written as null.
func (l *Layout[V]) AppendField(dst []byte, v *V, i int) []byte {
	f := &l.fields[i]
	return f.encode(dst, unsafe.Add(unsafe.Pointer(v), f.offset))
}

// AppendObject appends a JSON object of the fields in the mask, zero values
// included: a patch. Fields that JSON hides are left out.
func (l *Layout[V]) AppendObject(dst []byte, v *V, m Mask) []byte {
	open := len(dst)
	dst = append(dst, '{')
	for i := range (m & l.visible).Fields() {
		if len(dst) > open+1 {
			dst = append(dst, ',')
		}
		dst = append(dst, l.fields[i].label...)
		dst = l.AppendField(dst, v, i)
	}
	return append(dst, '}')
}

// AppendWhole appends a JSON object of all fields that are not zero. To
// whoever has no earlier value it says as much as AppendObject of all fields.
func (l *Layout[V]) AppendWhole(dst []byte, v *V) []byte {
	var m Mask
	for i := range l.fields {
		if !l.fields[i].empty(unsafe.Pointer(v)) {
			m |= 1 << i
		}
	}
	return l.AppendObject(dst, v, m)
}

var marshalers = []reflect.Type{
	reflect.TypeFor[json.Marshaler](),
	reflect.TypeFor[json.MarshalerTo](),
	reflect.TypeFor[encoding.TextAppender](),
	reflect.TypeFor[encoding.TextMarshaler](),
}

// encoderOf returns the encoder of type t: by hand for what is frequent, by the
// JSON package for everything else.
func encoderOf(t reflect.Type) func([]byte, unsafe.Pointer) []byte {
	if read := textOf(t); read != nil && (t == textType || !marshals(t)) {
		return func(dst []byte, p unsafe.Pointer) []byte { return AppendString(dst, read(p)) }
	}
	if !marshals(t) {
		switch t.Kind() {
		case reflect.Bool:
			return func(dst []byte, p unsafe.Pointer) []byte { return strconv.AppendBool(dst, *(*bool)(p)) }
		case reflect.Int:
			return appendInt[int]
		case reflect.Int8:
			return appendInt[int8]
		case reflect.Int16:
			return appendInt[int16]
		case reflect.Int32:
			return appendInt[int32]
		case reflect.Int64:
			return appendInt[int64]
		case reflect.Uint:
			return appendUint[uint]
		case reflect.Uint8:
			return appendUint[uint8]
		case reflect.Uint16:
			return appendUint[uint16]
		case reflect.Uint32:
			return appendUint[uint32]
		case reflect.Uint64:
			return appendUint[uint64]
		}
	}
	return func(dst []byte, p unsafe.Pointer) []byte {
		return appendAny(dst, reflect.NewAt(t, p).Interface())
	}
}

func marshals(t reflect.Type) bool {
	for _, m := range marshalers {
		if reflect.PointerTo(t).Implements(m) {
			return true
		}
	}
	return false
}

func appendInt[T int | int8 | int16 | int32 | int64](dst []byte, p unsafe.Pointer) []byte {
	return strconv.AppendInt(dst, int64(*(*T)(p)), 10)
}

func appendUint[T uint | uint8 | uint16 | uint32 | uint64](dst []byte, p unsafe.Pointer) []byte {
	return strconv.AppendUint(dst, uint64(*(*T)(p)), 10)
}

// lenient takes what a provider sent as it is and keeps it on one line.
var lenient = json.JoinOptions(
	json.Deterministic(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.EscapeForJS(true),
	jsontext.Multiline(false),
)

func appendAny(dst []byte, p any) []byte {
	b, err := json.Marshal(p, lenient)
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, b...)
}
