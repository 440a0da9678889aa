package openairesponses_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/openairesponses"
)

func ExampleDecoder() {
	stream := `data: {"type":"response.created","response":{"id":"resp_1","model":"heron-2"}}

data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Seven "}

data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"ducks."}

data: {"type":"response.completed","response":{"id":"resp_1","status":"completed"}}

`
	var d openairesponses.Decoder
	show := func(e *steno.Event) { fmt.Printf("%s %q %q\n", e.Type, e.Block, e.Text) }
	d.Decode([]byte(stream), show)
	d.Close(show)
	// Output:
	// step-start "" ""
	// text-start "0.0" ""
	// text-delta "0.0" "Seven "
	// text-delta "0.0" "ducks."
	// text-end "0.0" ""
	// step-end "" ""
}
