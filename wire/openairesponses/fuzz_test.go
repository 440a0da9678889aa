package openairesponses

import (
	"testing"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func FuzzDecode(f *testing.F) {
	wiretest.Seeds(f)
	f.Add([]byte("data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":1,\"\xff\":2,\"type\":\"reasoning\"}}\r\r"), uint16(5))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		wiretest.Fuzz(t, func() wire.Decoder { return new(Decoder) }, data, int(n)+1)
	})
}
