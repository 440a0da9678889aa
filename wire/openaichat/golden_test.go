package openaichat

import (
	"strings"
	"testing"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// TestGolden decodes streams of our own; only in those named for it are tags
// taken out of the text.
func TestGolden(t *testing.T) {
	wiretest.Golden(t, func(name string) wire.Decoder {
		return &Decoder{InlineThink: strings.HasPrefix(name, "think-")}
	})
}
