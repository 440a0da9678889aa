package journal_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// A run is the events of one commit. Runs of a turn that has ended are packed
// into one segment, which reads the same.
func ExampleDecoder() {
	var packer journal.Packer
	for _, events := range [][]*steno.Event{
		{{Seq: 1, Type: steno.TextStart, Part: "0"}, {Seq: 2, Type: steno.TextDelta, Part: "0", Text: "one "}},
		{{Seq: 3, Type: steno.TextDelta, Part: "0", Text: "two"}, {Seq: 4, Type: steno.TextEnd, Part: "0"}},
	} {
		run, err := journal.AppendRun(nil, events)
		if err != nil {
			log.Fatal(err)
		}
		if err := packer.Add(run); err != nil {
			log.Fatal(err)
		}
	}
	var d journal.Decoder
	if err := d.Reset(packer.AppendSegment(nil)); err != nil {
		log.Fatal(err)
	}
	fmt.Println("events", d.Header().First, "to", d.Header().Last())
	for {
		e, err := d.Next()
		if err != nil {
			log.Fatal(err)
		}
		if e == nil {
			break
		}
		fmt.Printf("%d %s %q\n", e.Seq, e.Type, e.Text)
	}
	// Output:
	// events 1 to 4
	// 1 text-start ""
	// 2 text-delta "one "
	// 3 text-delta "two"
	// 4 text-end ""
}
