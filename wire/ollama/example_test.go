package ollama_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/ollama"
)

func Example() {
	answer := `{"model":"m","message":{"role":"assistant","content":"Hello"},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}
`
	var d ollama.Decoder
	show := func(e *steno.Event) { fmt.Printf("%s %q\n", e.Type, e.Text) }
	d.Decode([]byte(answer), show)
	d.Close(show)
	// Output:
	// step-start ""
	// text-delta "Hello"
	// step-end ""
}
