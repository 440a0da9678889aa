package openaichat

import (
	"bytes"

	"github.com/stenolog/steno/wire/internal/scan"
)

// extras are things that came beside a part and may not cut it in two. They
// are given out in order of appearance when it closes.
type extras struct {
	items  []extra
	byName map[string]int
}

type extra struct {
	name   string
	raw    []byte
	source bool // raw is an array of sources
}

func (x *extras) any() bool { return len(x.items) > 0 }

// add takes members of deltas: strings of one name are one growing string.
func (x *extras) add(members []member) {
	for _, m := range members {
		if i, known := x.byName[string(m.name)]; known && scan.IsString(m.value) && scan.IsString(x.items[i].raw) {
			x.items[i].raw = joinStrings(x.items[i].raw, m.value)
			continue
		}
		x.put(string(m.name), m.value, false)
	}
}

// latest takes members of chunks: each chunk repeats them as they then are.
func (x *extras) latest(members []member) {
	for _, m := range members {
		x.replace(string(m.name), m.value, false)
	}
}

// sources takes an array of sources. With a name it is one that each chunk
// repeats, without one the array goes on with every delta.
func (x *extras) sources(name string, array []byte) {
	switch {
	case !scan.IsArray(array) || !holds(array):
	case name == "":
		x.items = append(x.items, extra{"annotation", bytes.Clone(array), true})
	default:
		x.replace(name, array, true)
	}
}

func (x *extras) replace(name string, value []byte, source bool) {
	if i, known := x.byName[name]; known {
		x.items[i].raw = append(x.items[i].raw[:0], value...)
		return
	}
	x.put(name, value, source)
}

func (x *extras) put(name string, value []byte, source bool) {
	if x.byName == nil {
		x.byName = make(map[string]int)
	}
	x.byName[name] = len(x.items)
	x.items = append(x.items, extra{name, bytes.Clone(value), source})
}

// joinStrings appends one string literal to another. Their escapes stay as
// they are, so halves of a surrogate pair find each other.
func joinStrings(dst, value []byte) []byte {
	return append(dst[:len(dst)-1], value[1:]...)
}
