package bedrock_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/bedrock"
)

// The binary stream of the service and the same events written as JSON objects
// decode alike.
func Example() {
	var d bedrock.Decoder
	show := func(e *steno.Event) { fmt.Printf("%s %q\n", e.Type, e.Text) }
	for _, piece := range []string{
		`{"messageStart":{"role":"assistant"}}` + "\n" + `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"te`,
		`xt":"Hello"}}}` + "\n" + `{"contentBlockStop":{"contentBlockIndex":0}}` + "\n",
		`{"messageStop":{"stopReason":"end_turn"}}` + "\n",
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
