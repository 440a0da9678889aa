package steno_test

import (
	"fmt"
	"log"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
)

// An event is one flat struct; what only its type carries is in its body. Types
// of a later version are kept as they are.
func ExampleEvent() {
	for _, line := range []string{
		`{"seq":7,"type":"tool-result","call":"c1","text":"3 matches","body":{"outcome":"ok"}}`,
		`{"seq":8,"type":"from-a-later-version","body":{"kept":true}}`,
	} {
		var e steno.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			log.Fatal(err)
		}
		switch body := e.Body.(type) {
		case *steno.Result:
			fmt.Println(e.Type, e.Call, e.Text, body.Outcome)
		case *steno.Unrecognised:
			fmt.Println(e.Type, body.Name, body.Raw)
		}
		again, err := json.Marshal(&e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(again) == line)
	}
	// Output:
	// tool-result c1 3 matches ok
	// true
	// unknown from-a-later-version {"kept":true}
	// true
}
