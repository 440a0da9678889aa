package ollama

import (
	"testing"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func TestGolden(t *testing.T) {
	wiretest.Golden(t, func(string) wire.Decoder { return new(Decoder) })
}
