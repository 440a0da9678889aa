package anthropic

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// usage gathers the numbers of an answer. Later ones replace earlier ones
// field by field (case G46); null says nothing. It is put together only when
// the answer ends, so that many small reports cost no more than their size.
type usage struct {
	names  []string
	fields map[string][]byte
}

// merge takes a usage object; anything else says nothing.
func (u *usage) merge(object []byte) {
	scan.Object(object, func(name, value []byte) bool {
		if scan.IsNull(value) {
			return true
		}
		if u.fields == nil {
			u.fields = make(map[string][]byte)
		}
		if _, ok := u.fields[string(name)]; !ok {
			u.names = append(u.names, string(name))
		}
		u.fields[string(name)] = bytes.Clone(value)
		return true
	})
}

// value returns all as one object, or nil if there is nothing.
func (u *usage) value() jsontext.Value {
	if len(u.names) == 0 {
		return nil
	}
	out := []byte{'{'}
	for _, name := range u.names {
		out = raw.Member(out, name, u.fields[name])
	}
	return raw.Object(append(out, '}'))
}
