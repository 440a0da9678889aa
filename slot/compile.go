package slot

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stenolog/steno/text"
)

// field is one compiled field. Its functions take pointers to the field, not
// to the value, save where a method says otherwise.
type field struct {
	name      string
	label     string // the name as a JSON member name, with the colon
	typ       reflect.Type
	offset    uintptr
	immutable bool
	hidden    bool // compared, never encoded

	equal  func(a, b unsafe.Pointer) bool
	encode func(dst []byte, p unsafe.Pointer) []byte
	text   func(p unsafe.Pointer) string // of append-only fields
	zero   unsafe.Pointer                // a zero value to compare with
}

// same compares the field in two values.
func (f *field) same(a, b unsafe.Pointer) bool {
	return f.equal(unsafe.Add(a, f.offset), unsafe.Add(b, f.offset))
}

// empty reports whether the field has its zero value in v.
func (f *field) empty(v unsafe.Pointer) bool {
	return f.equal(unsafe.Add(v, f.offset), f.zero)
}

// assign copies the field from one value to another. It uses reflection and is
// for the rare case.
func (f *field) assign(to, from unsafe.Pointer) {
	src := reflect.NewAt(f.typ, unsafe.Add(from, f.offset)).Elem()
	reflect.NewAt(f.typ, unsafe.Add(to, f.offset)).Elem().Set(src)
}

type compiler struct {
	fields   []field
	tag, key int
}

var textType = reflect.TypeFor[text.Text]()

func (c *compiler) layout(t reflect.Type) error {
	if t.Kind() != reflect.Struct || t == textType || t == timeType {
		return errors.New("not a struct of fields")
	}
	if err := c.structure(t, 0); err != nil {
		return err
	}
	if len(c.fields) > MaxFields {
		return fmt.Errorf("%d fields, at most %d are possible", len(c.fields), MaxFields)
	}
	names := make(map[string]bool, len(c.fields))
	for i := range c.fields {
		name := c.fields[i].name
		if names[name] {
			return fmt.Errorf("two fields are named %q", name)
		}
		names[name] = true
	}
	return nil
}

func (c *compiler) structure(t reflect.Type, base uintptr) error {
	for i := range t.NumField() {
		sf := t.Field(i)
		opts, err := parseOptions(sf.Tag.Get("slot"))
		if err != nil {
			return fmt.Errorf("field %s: %w", sf.Name, err)
		}
		if opts.skip || sf.Name == "_" {
			continue
		}
		name, hidden := jsonName(sf)
		switch plain := sf.Anonymous && name == "" && !hidden && opts == (options{}); {
		case plain && sf.Type.Kind() == reflect.Pointer:
			err = errors.New("fields embedded by pointer have no fixed place")
		case plain && sf.Type.Kind() == reflect.Struct && sf.Type != textType && sf.Type != timeType:
			err = c.structure(sf.Type, base+sf.Offset)
		default:
			err = c.add(field{
				name:   cmp.Or(name, sf.Name),
				hidden: hidden || !sf.IsExported(),
				typ:    sf.Type,
				offset: base + sf.Offset,
			}, opts)
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", sf.Name, err)
		}
	}
	return nil
}

func (c *compiler) add(f field, opts options) (err error) {
	at := len(c.fields)
	if opts.key {
		if c.key >= 0 {
			return fmt.Errorf("a second key beside %s", c.fields[c.key].name)
		}
		c.key = at
	}
	if opts.tag {
		if c.tag >= 0 {
			return fmt.Errorf("a second tag beside %s", c.fields[c.tag].name)
		}
		c.tag = at
	}
	f.immutable = opts.immutable
	if opts.ref {
		f.equal, err = sameReference(f.typ)
	} else {
		f.equal, err = equality(f.typ, nil)
	}
	if err != nil {
		return err
	}
	if opts.grows {
		if f.text = textOf(f.typ); f.text == nil {
			return fmt.Errorf("%v cannot be append-only", f.typ)
		}
	}
	switch f.typ.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		f.hidden = true
	}
	f.label = string(AppendString(nil, f.name)) + ":"
	f.encode = encoderOf(f.typ)
	f.zero = reflect.New(f.typ).UnsafePointer()
	c.fields = append(c.fields, f)
	return nil
}

// textOf returns a function that reads a field of type t as a string without
// copying, or nil if t is no text.
func textOf(t reflect.Type) func(unsafe.Pointer) string {
	switch {
	case t == textType:
		return func(p unsafe.Pointer) string { return (*text.Text)(p).String() }
	case t.Kind() == reflect.String:
		return func(p unsafe.Pointer) string { return *(*string)(p) }
	}
	return nil
}

// options are what a slot tag says.
type options struct {
	key, tag, immutable, grows, ref, skip bool
}

func parseOptions(tag string) (options, error) {
	var o options
	if tag == "" {
		return o, nil
	}
	for word := range strings.SplitSeq(tag, ",") {
		switch word {
		case "key":
			o.key = true
		case "tag":
			o.tag = true
		case "immutable":
			o.immutable = true
		case "append":
			o.grows = true
		case "ref":
			o.ref = true
		case "-":
			o.skip = true
		default:
			return o, fmt.Errorf("unknown slot option %s", strconv.Quote(word))
		}
	}
	switch {
	case o.skip && o != options{skip: true}:
		return o, errors.New("slot option - stands alone")
	case o.immutable && (o.key || o.tag || o.grows):
		return o, errors.New("an immutable field is no key, tag or append-only text")
	case o.grows && (o.key || o.tag || o.ref):
		return o, errors.New("append-only text is no key, tag or reference")
	}
	return o, nil
}

// jsonName returns the name that a field's json tag gives it, "" if none, and
// whether the tag hides the field.
func jsonName(sf reflect.StructField) (name string, hidden bool) {
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return "", true
	}
	name, _, _ = strings.Cut(tag, ",")
	return name, false
}
