package sse_test

import (
	"fmt"

	"github.com/stenolog/steno/sse"
)

func Example() {
	stream, err := sse.Append(nil, sse.Event{ID: []byte("7"), Data: []byte(`{"text":"two\nlines"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	var r sse.Reader
	show := func(e sse.Event) { fmt.Printf("%s %s\n", e.ID, e.Data) }
	for _, piece := range [][]byte{stream[:9], stream[9:]} {
		if err := r.Feed(piece, show); err != nil {
			fmt.Println(err)
		}
	}
	// Output: 7 {"text":"two\nlines"}
}
