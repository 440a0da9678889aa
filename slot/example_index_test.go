package slot_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/slot"
)

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
