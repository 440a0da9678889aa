package store

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/library"
	"github.com/stenolog/steno/transcript"
)

// everything is a conversation with every kind of chunk, system chunks inside of
// messages and between them.
const everything = `{"type":"notice","text":"before"}
{"type":"user-message","message":"u","text":"question"}
{"type":"turn-start"}
{"type":"step-start","provider":"p","model":"m"}
{"type":"reasoning-delta","block":"0","text":"hm"}
{"type":"config-reload","text":"inside of a block"}
{"type":"reasoning-delta","block":"0","text":", well"}
{"type":"reasoning-end","block":"0","opaque":{"signature":"s","n":1.50}}
{"type":"text-delta","block":"1","text":"a\u0000\u2028\ud83d\ude42"}
{"type":"tool-call","block":"2","call":"x","name":"f","arguments":"{ \"a\" : 1.0 }"}
{"type":"notice","text":"between two calls"}
{"type":"tool-call","block":"3","call":"x","name":"f","arguments":"broken"}
{"type":"step-end","finish":"complete"}
{"type":"tool-output","call":"x","text":"out"}
{"type":"tool-result","call":"x","result":"r"}
{"type":"user-message","message":"v","text":"queued","queued":true}
{"type":"step-finish"}
{"type":"error","message":"overloaded","statusCode":529}
{"type":"attempt-failed"}
{"type":"opaque","kind":"web","raw":{"deep":[1,2.50,"\u00e9"]}}
{"type":"cancelled","text":"stopped"}
{"type":"done"}
{"type":"model-changed","text":"after"}
`

// TestA21EveryChunkSurvivesTheStore records that conversation, closes the store
// and opens it again: the messages are the same, chunk by chunk, in place.
func TestA21EveryChunkSurvivesTheStore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := create(t, s, "")
	c, err := s.acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var memory transcript.Transcript
	var source []*steno.Event
	if err := transcript.ReadSource(strings.NewReader(everything), func(e *steno.Event) {
		source = append(source, e.Clone())
		memory.Append(*e)
	}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.recorder.Record(t.Context(), source...), c.recorder.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	c.release()
	written := func(messages any) string {
		b, err := json.Marshal(messages)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := written(memory.Report().Messages)
	for i := range 2 {
		f, err := s.Messages(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(f.Messages); got != want {
			t.Errorf("opening %d:\ngot  %s\nwant %s", i, got, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
	}
}

// TestC81DeleteRemovesAll checks that nothing of a deleted conversation is left,
// in the journals or in the library, and that its neighbour is untouched.
func TestC81DeleteRemovesAll(t *testing.T) {
	s := open(t, t.TempDir())
	id, other := create(t, s, "goes"), create(t, s, "stays")
	say(t, s, id, "gone")
	say(t, s, other, "here")
	kept := texts(t, s, other)
	if err := s.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Messages(t.Context(), id); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("its messages: %v", err)
	}
	if _, err := s.journal.Head(t.Context(), id); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("its journal: %v", err)
	}
	for info, err := range s.journal.List(t.Context()) {
		if err != nil || info.Branch != other {
			t.Errorf("the journals: %+v, %v", info, err)
		}
	}
	for name, ask := range map[string]func() error{
		"entry":      func() error { _, err := s.library.Get(t.Context(), id); return err },
		"checkpoint": func() error { _, err := s.library.Latest(t.Context(), id); return err },
	} {
		if err := ask(); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("its %s: %v", name, err)
		}
	}
	var entries []library.Entry
	entries, err := s.library.List(t.Context())
	if err != nil || len(entries) != 1 || entries[0].ID != other || texts(t, s, other) != kept {
		t.Errorf("left: %+v, %v", entries, err)
	}
}
