package formats_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// TestG02FrameLimit feeds every format a frame above the limit: one error says
// so, in the same words, and nothing that follows is decoded.
func TestG02FrameLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 64 MiB a format")
	}
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for _, name := range formats.Names() {
		t.Run(name, func(t *testing.T) {
			d := decoder(t, name, nil)()
			var events []*steno.Event
			emit := func(e *steno.Event) { events = append(events, e.Clone()) }
			d.Decode([]byte("data: "), emit)
			for range wire.MaxFrame>>20 + 1 {
				d.Decode(piece, emit)
			}
			d.Decode([]byte("\n\ndata: {}\n\n"), emit)
			d.Close(emit)
			doc := wiretest.Document(name, events)
			if len(doc.Errors) != 1 || doc.Errors[0].Code != wire.CodeTooLarge || !strings.Contains(doc.Errors[0].Message, "67108864") {
				t.Errorf("errors %+v", doc.Errors)
			}
		})
	}
}
