package openaichat_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/openaichat"
)

func Example() {
	answer := `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}

data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}

data: [DONE]

`
	var d openaichat.Decoder
	show := func(e *steno.Event) { fmt.Printf("%s %q\n", e.Type, e.Text) }
	d.Decode([]byte(answer), show)
	d.Close(show)
	// Output:
	// step-start ""
	// reasoning-delta "Hm."
	// text-delta "Hello"
	// step-end ""
}
