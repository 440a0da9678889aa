package text_test

import (
	"fmt"

	"github.com/stenolog/steno/text"
)

// A prefix that was handed out stays as it was, whatever grows from it.
func ExampleText_Append() {
	prefix := text.Of("He").Append("llo")
	one := prefix.Append(", world")
	other := prefix.Append(" again")

	fmt.Println(prefix)
	fmt.Println(one)
	fmt.Println(other)
	// Output:
	// Hello
	// Hello, world
	// Hello again
}
