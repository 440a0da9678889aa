package slot_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/text"
)

// A layout tells which fields differ and writes those as a patch. What text
// has grown by need not be sent whole.
func ExampleLayout() {
	layout, err := slot.Compile[Part]()
	if err != nil {
		log.Fatal(err)
	}
	before := Part{ID: "text:0", Kind: "text", Text: text.Of("Hello")}
	after := before
	after.Text, after.Status = before.Text.Append(", world"), "done"

	diff := layout.Diff(&before, &after)
	fmt.Println(layout.Names(diff))
	fmt.Println(string(layout.AppendObject(nil, &after, diff)))

	field, _ := layout.Field("text")
	suffix, grown := layout.Grown(&before, &after, field)
	fmt.Printf("%q %v\n", suffix, grown)
	fmt.Println(string(layout.AppendWhole(nil, &before)))
	// Output:
	// [status text]
	// {"status":"done","text":"Hello, world"}
	// ", world" true
	// {"id":"text:0","kind":"text","text":"Hello"}
}

// Call is a value whose fields change each in a way of their own.
type Call struct {
	ID     string          `json:"id" slot:"key"`         // identifies it, never changes
	State  string          `json:"state" slot:"tag"`      // another state makes it another value
	Name   string          `json:"name" slot:"immutable"` // once set, kept
	Output text.Text       `json:"output" slot:"append"`  // only grows
	Extra  map[string]bool `json:"extra" slot:"ref"`      // the same map is the same value
	Seen   int             `json:"seen" slot:"-"`         // no business of the layout
}

// What counts as a difference, and so is written, told and sent, stands in the
// fields' tags.
func ExampleCompile() {
	layout, err := slot.Compile[Call]()
	if err != nil {
		log.Fatal(err)
	}
	call := Call{ID: "c1", State: "running", Name: "grep", Extra: map[string]bool{"slow": true}}
	for _, change := range []func(*Call){
		func(c *Call) { c.Name = "rm" },
		func(c *Call) { c.Output = c.Output.Append("3 matches") },
		func(c *Call) { c.Extra = map[string]bool{"slow": true} },
		func(c *Call) { c.Seen++ },
		func(c *Call) { c.State = "done" },
	} {
		changed := call
		change(&changed)
		fmt.Println(layout.Names(layout.Diff(&call, &changed)))
	}
	// Output:
	// []
	// [output]
	// [extra]
	// []
	// [id state name output extra]
}
