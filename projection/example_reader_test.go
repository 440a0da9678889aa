package projection_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/projection"
)

// A definition that starts a node may look at the newest one before it, of any
// kind, in the same collection. It never sees what comes later, so folding the
// log again gives the same.
func ExampleReader_Previous() {
	type reading struct {
		value, rise int
	}
	readings := projection.Definition[int, reading]{
		Kind: "reading",
		Match: func(v *int) (projection.Claim, bool) {
			return projection.Claim{ID: fmt.Sprint(*v), Role: projection.Start}, true
		},
		Start: func(v *int, r projection.Reader) reading {
			now := reading{value: *v}
			if before, ok := projection.State[reading](r.Previous("reading")); ok {
				now.rise = now.value - before.value
			}
			return now
		},
	}
	engine, err := projection.New(projection.Options[int]{Kinds: []projection.Kind[int]{projection.Of(readings)}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []int{20, 23, 21, 20} { // the last opens the first anew
		if err := engine.Push(&v); err != nil {
			log.Fatal(err)
		}
	}
	for node := range engine.Snapshot().Nodes(projection.Collection{}) {
		r := projection.MustState[reading](node)
		fmt.Printf("%d (%+d)\n", r.value, r.rise)
	}
	// Output:
	// 20 (+0)
	// 23 (+3)
	// 21 (-2)
}
