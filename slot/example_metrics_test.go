package slot_test

import (
	"fmt"
	"log"
)

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
