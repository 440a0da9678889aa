package gemini_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/gemini"
)

func ExampleDecoder() {
	stream := `data: {"candidates":[{"content":{"parts":[{"text":"A lark?","thought":true}]}}]}

data: {"candidates":[{"content":{"parts":[{"text":"A lark.","thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}

`
	var d gemini.Decoder
	show := func(e *steno.Event) {
		fmt.Printf("%s %q", e.Type, e.Text)
		if s, ok := e.Body.(*steno.Seal); ok {
			fmt.Printf(" %s", s.Opaque)
		}
		fmt.Println()
	}
	d.Decode([]byte(stream), show)
	d.Close(show)
	// Output:
	// step-start ""
	// reasoning-delta "A lark?"
	// text-delta "A lark."
	// text-end "" {"thoughtSignature":"c2ln"}
	// step-end ""
}
