package raw

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/wire/internal/scan"
)

// Without returns the members of the object data that are not named, as an
// object, or nil if there are none.
func Without(data []byte, names ...string) jsontext.Value {
	out := []byte{'{'}
	scan.Object(data, func(name, value []byte) bool {
		if !slices.Contains(names, string(name)) {
			out = Member(out, string(name), value)
		}
		return true
	})
	if len(out) == 1 {
		return nil
	}
	return Object(append(out, '}'))
}
