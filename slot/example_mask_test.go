package slot_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/slot"
)

// A mask is a set of fields: here, whatever is cheap to draw again.
func ExampleMask() {
	parts := newParts()
	cheap, err := parts.Layout().Mask("status", "name")
	if err != nil {
		log.Fatal(err)
	}
	if err := parts.Insert(Part{ID: "tool:0", Kind: "tool"}); err != nil {
		log.Fatal(err)
	}
	parts.Item("tool:0").Subscribe(func(u slot.Update[string, Part]) {
		fmt.Println(parts.Layout().Names(u.Fields), "cheap:", u.Fields&^cheap == 0)
	})
	for _, change := range []func(*Part){
		func(p *Part) { p.Status = "running" },
		func(p *Part) { p.Text = p.Text.Append("output") },
	} {
		if _, err := parts.Modify("tool:0", change); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// [status] cheap: true
	// [text] cheap: false
}
