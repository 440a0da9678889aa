package recorder_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/recorder"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/wire/anthropic"
)

// exampleStore opens a store in a directory that is gone when the example ends.
func exampleStore(ctx context.Context) (store *sqlite.Store, remove func()) {
	dir, err := os.MkdirTemp("", "steno-example")
	if err != nil {
		log.Fatal(err)
	}
	store, err = sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return store, func() {
		if err := store.Close(); err != nil {
			log.Print(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Print(err)
		}
	}
}

// show prints the messages folded so far.
func show(l *transcript.Live) {
	for _, m := range transcript.MessagesOf(l.Snapshot()) {
		for _, p := range m.Parts {
			fmt.Printf("%s: %s\n", m.Role, p.Text)
		}
	}
}

// Events go in loose. When Sync has returned they are balanced, addressed,
// durable and folded.
func ExampleRecorder() {
	ctx := context.Background()
	store, remove := exampleStore(ctx)
	defer remove()
	rec, err := recorder.Open(ctx, "conversation", recorder.Options{Journal: store})
	if err != nil {
		log.Fatal(err)
	}
	err = rec.Record(ctx,
		&steno.Event{Type: steno.UserMessage, Text: "Are you there?"},
		&steno.Event{Type: steno.TextDelta, Text: "I "},
		&steno.Event{Type: steno.TextDelta, Text: "am."},
		&steno.Event{Type: steno.Done},
	)
	if err != nil {
		log.Fatal(err)
	}
	if err := rec.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	if err := rec.Read(ctx, show); err != nil {
		log.Fatal(err)
	}
	if err := rec.Close(ctx); err != nil {
		log.Fatal(err)
	}
	for e, err := range store.Read(ctx, "conversation", 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Seq, e.Type)
	}
	// Output:
	// user: Are you there?
	// assistant: I am.
	// 1 user-message
	// 2 turn-start
	// 3 step-start
	// 4 text-start
	// 5 text-delta
	// 6 text-delta
	// 7 text-end
	// 8 step-end
	// 9 turn-end
}

// The bytes of a provider's answer are recorded as they come, cut anywhere.
func ExampleRecorder_Answer() {
	ctx := context.Background()
	store, remove := exampleStore(ctx)
	defer remove()
	rec, err := recorder.Open(ctx, "conversation", recorder.Options{Journal: store})
	if err != nil {
		log.Fatal(err)
	}
	answer := rec.Answer(ctx, new(anthropic.Decoder))
	for _, piece := range strings.SplitAfter(`event: message_start
data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","model":"m","content":[]}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Good morning."}}

`, "n") {
		if _, err := answer.Write([]byte(piece)); err != nil {
			log.Fatal(err)
		}
	}
	if err := answer.Close(); err != nil { // the connection broke
		log.Fatal(err)
	}
	if err := rec.Read(ctx, show); err != nil {
		log.Fatal(err)
	}
	if err := rec.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: assistant: Good morning.
}
