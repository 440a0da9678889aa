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

// An index finds values by a label and is kept current by the fields it reads.
func ExampleIndex() {
	parts := newParts()
	status, err := parts.Layout().Mask("status")
	if err != nil {
		log.Fatal(err)
	}
	byStatus, err := slot.NewIndex(parts, status, func(p *Part) ([]string, error) { return []string{p.Status}, nil })
	if err != nil {
		log.Fatal(err)
	}
	if err := parts.Set([]Part{{ID: "a", Status: "running"}, {ID: "b", Status: "done"}, {ID: "c", Status: "running"}}); err != nil {
		log.Fatal(err)
	}
	for _, item := range byStatus.Members("running") {
		fmt.Println(item.Key())
	}
	parts.Remove("a")
	fmt.Println(byStatus.Has("running"))
	parts.Remove("c")
	fmt.Println(byStatus.Has("running"))
	// Output:
	// a
	// c
	// true
	// false
}

// The metrics prove that work follows the change and not the size.
func ExampleMetrics() {
	parts := newParts()
	for i := range 1000 {
		if err := parts.Insert(Part{ID: fmt.Sprint(i)}); err != nil {
			log.Fatal(err)
		}
	}
	before := parts.Metrics()
	for range 10 {
		if _, err := parts.Modify("500", func(p *Part) { p.Text = p.Text.Append("delta") }); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := parts.Update(Part{ID: "7"}); err != nil {
		log.Fatal(err)
	}
	after := parts.Metrics()
	fmt.Println("slots told:", after.Slots-before.Slots)
	fmt.Println("structures told:", after.Structures-before.Structures)
	fmt.Println("suppressed:", after.Suppressed-before.Suppressed)
	// Output:
	// slots told: 10
	// structures told: 0
	// suppressed: 1
}
