package slot_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/text"
)

// Part is one piece of a message: its id never changes, its text only grows.
type Part struct {
	ID     string    `json:"id" slot:"key"`
	Kind   string    `json:"kind" slot:"tag"`
	Name   string    `json:"name" slot:"immutable"`
	Status string    `json:"status"`
	Text   text.Text `json:"text" slot:"append"`
}

func newParts() *slot.Collection[string, Part] {
	layout, err := slot.Compile[Part]()
	if err != nil {
		log.Fatal(err)
	}
	parts, err := slot.NewCollection[string](layout)
	if err != nil {
		log.Fatal(err)
	}
	return parts
}

// A delta reaches its slot by key; those who watch another slot or the
// structure hear nothing of it.
func ExampleCollection() {
	parts := newParts()
	parts.SubscribeStructure(func() { fmt.Println("structure:", parts.Len(), "parts") })
	if err := parts.Set([]Part{{ID: "text:0", Kind: "text"}, {ID: "tool:0", Kind: "tool", Name: "grep"}}); err != nil {
		log.Fatal(err)
	}
	parts.Item("text:0").Subscribe(func(u slot.Update[string, Part]) {
		fmt.Printf("%s: %q\n", u.Item.Key(), u.Item.Value().Text)
	})
	for _, delta := range []string{"Let me ", "look."} {
		if _, err := parts.Modify("text:0", func(p *Part) { p.Text = p.Text.Append(delta) }); err != nil {
			log.Fatal(err)
		}
	}
	parts.MoveEnd("text:0")
	// Output:
	// structure: 2 parts
	// text:0: "Let me "
	// text:0: "Let me look."
	// structure: 2 parts
}

// A batch tells once, at its end, of all that was written in it.
func ExampleCollection_Batch() {
	parts := newParts()
	parts.Subscribe(func(updates []slot.Update[string, Part]) {
		for _, u := range updates {
			fmt.Println(u.Item.Key(), u.Item.Value().Status)
		}
	})
	err := parts.Batch(func() error {
		if err := parts.Insert(Part{ID: "tool:0", Status: "running"}); err != nil {
			return err
		}
		_, err := parts.Modify("tool:0", func(p *Part) { p.Status = "done" })
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: tool:0 done
}
