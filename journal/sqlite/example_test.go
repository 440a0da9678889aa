package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
)

func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	for _, cut := range store.Cuts() {
		log.Println(cut)
	}

	// Two events in one commit; they are durable when Append returns.
	err = store.Append(ctx, "branch", 0, []*steno.Event{
		{Seq: 1, Type: steno.TurnStart, Turn: 1, Message: "1"},
		{Seq: 2, Type: steno.TextDelta, Turn: 1, Step: 1, Message: "1", Part: "0", Text: "Hello"},
	})
	if err != nil {
		log.Fatal(err)
	}

	// Who does not know the head is refused.
	err = store.Append(ctx, "branch", 1, []*steno.Event{{Seq: 2, Type: steno.TextDelta, Text: "Hi"}})
	fmt.Println(errors.Is(err, steno.ErrConflict))

	for e, err := range store.Read(ctx, "branch", 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s %q\n", e.Seq, e.Type, e.Text)
	}
	// Output:
	// true
	// 1 turn-start ""
	// 2 text-delta "Hello"
}

// A command that only reads works while a server writes.
func ExampleOpenReadOnly() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	_, err = sqlite.OpenReadOnly(dir)
	fmt.Println(errors.Is(err, steno.ErrNotFound))
	// Output: true
}
