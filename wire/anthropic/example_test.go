package anthropic_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/anthropic"
)

// A decoder is fed bytes as they come, however they are cut.
func Example() {
	var d anthropic.Decoder
	show := func(e *steno.Event) { fmt.Printf("%s %q\n", e.Type, e.Text) }
	for _, piece := range []string{
		`data: {"type":"message_start","message":{"id":"msg_1","model":"m"}}` + "\n\n",
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" + `data: {"type":"content_blo`,
		`ck_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}` + "\n\n",
		`data: {"type":"content_block_stop","index":0}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
	} {
		d.Decode([]byte(piece), show)
	}
	d.Close(show)
	// Output:
	// step-start ""
	// text-start ""
	// text-delta "Hello"
	// text-end ""
	// step-end ""
}
