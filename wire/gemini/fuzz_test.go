package gemini

import (
	"testing"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func FuzzDecode(f *testing.F) {
	wiretest.Seeds(f)
	f.Add([]byte("data: {\"candidates\":[{\"index\":-1},{\"content\":{\"parts\":[{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$[9][9]\",\"numberValue\":1}]}}]}}]}\r\r"), uint16(5))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		wiretest.Fuzz(t, func() wire.Decoder { return new(Decoder) }, data, int(n)+1)
	})
}
