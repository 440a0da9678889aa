package gemini

import (
	"testing"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/lawtest"
)

func TestGolden(t *testing.T) {
	lawtest.Golden(t, func(string) wire.Decoder { return new(Decoder) })
}
