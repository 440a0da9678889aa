package blob_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/stenolog/steno/blob"
)

// A large body is put first; the event that names it is written after.
func Example() {
	dir, err := os.MkdirTemp("", "blobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store := blob.New(dir)

	name, err := store.Put(ctx, strings.NewReader("a large result"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name[:8])

	r, err := store.Get(ctx, name)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	fmt.Println(string(content), err)
	// Output:
	// aca45523
	// a large result <nil>
}

// A provider's answer is kept as it comes. If the process is killed, the stream
// is found again under its name.
func ExampleStore_Stream() {
	dir, err := os.MkdirTemp("", "blobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store := blob.New(dir)

	w, err := store.Stream("branch-1-turn-2-step-1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(w, "data: {\"delta\":\"Hel")
	if err := w.Close(); err != nil { // as if the process had ended here
		log.Fatal(err)
	}

	left, err := store.Streams()
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range left {
		w, err := store.Stream(name)
		if err != nil {
			log.Fatal(err)
		}
		size := w.Size()
		sealed, err := w.Seal(context.Background())
		fmt.Println(name, size, len(sealed), err)
	}
	// Output: branch-1-turn-2-step-1 19 64 <nil>
}
