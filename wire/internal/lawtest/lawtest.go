// Package lawtest holds the events of a decoder to the laws of package wire,
// for formats that give several choices at once and for long streams: it
// compares cuttings without writing the events down.
package lawtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/answer"
)

// Shared returns a path below the shared test data, or skips the test where
// they are not. They stand beside the module's root, or where STENO_SHARED says.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		_, here, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(here), "..", "..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared test data are not here: %v", err)
	}
	return path
}

// Read returns the content of a file.
func Read(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// SHA256 returns the hash of s in hexadecimal.
func SHA256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Decode feeds data in the pieces that end at the given places and at its end.
// It returns the events and the first law of [wire.Decoder] they break.
func Decode(d wire.Decoder, data []byte, cuts ...int) (events []*steno.Event, err error) {
	open := map[uint32]bool{}
	emit := func(e *steno.Event) {
		events = append(events, e.Clone())
		if err == nil {
			err = law(e, open)
		}
	}
	from := 0
	piece := make([]byte, 0, len(data))
	for _, to := range append(cuts, len(data)) {
		piece = append(piece[:0], data[from:to]...)
		d.Decode(piece, emit)
		for i := range piece {
			piece[i] = 0xAA // so that a piece that was kept shows
		}
		from = to
	}
	d.Close(emit)
	for choice := range open {
		err = errors.Join(err, fmt.Errorf("choice %d: a step without end", choice))
	}
	return events, err
}

// law checks what holds for every event: it is valid UTF-8, no delta is empty,
// and all but errors stand in a step.
func law(e *steno.Event, open map[uint32]bool) error {
	for _, s := range []string{e.Text, e.Call, e.Name, e.Block} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%s: not UTF-8: %q", e.Type, s)
		}
	}
	if e.Type.IsDelta() && e.Text == "" {
		return fmt.Errorf("%s: empty", e.Type)
	}
	switch in := open[e.Choice]; {
	case e.Type == steno.StepStart && in:
		return fmt.Errorf("choice %d: a step within a step", e.Choice)
	case e.Type == steno.StepStart:
		open[e.Choice] = true
	case e.Type == steno.Error:
	case !in:
		return fmt.Errorf("choice %d: %s outside of a step", e.Choice, e.Type)
	case e.Type == steno.StepEnd:
		delete(open, e.Choice)
	}
	return nil
}

// Writable reports whether every event can be written as JSON.
func Writable(events []*steno.Event) error {
	for i, e := range events {
		if _, err := json.Marshal(e); err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
	}
	return nil
}

// Lines returns the events as one JSON object a line.
func Lines(events []*steno.Event) string {
	var b strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			line = []byte("!" + err.Error())
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// Diff says where two lists of events differ first, or returns "".
func Diff(want, got []*steno.Event) string {
	for i := range min(len(want), len(got)) {
		if !reflect.DeepEqual(want[i], got[i]) {
			return fmt.Sprintf("event %d\nwant %sgot  %s", i, Lines(want[i:i+1]), Lines(got[i:i+1]))
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d events, want %d", len(got), len(want))
	}
	return ""
}

// EveryCut decodes data whole and in many cuttings, wants the same events from
// all (semantics C92), and returns them: each byte for what is at most 64 KiB,
// split in two at every place for what is at most 16 KiB, else at random places.
func EveryCut(t *testing.T, fresh func() wire.Decoder, data []byte) []*steno.Event {
	t.Helper()
	want, err := Decode(fresh(), data)
	if err == nil {
		err = Writable(want)
	}
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, cuts ...int) {
		t.Helper()
		got, err := Decode(fresh(), data, cuts...)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if diff := Diff(want, got); diff != "" {
			t.Fatalf("%s: other events: %s", what, diff)
		}
	}
	if len(data) <= 64<<10 {
		each := make([]int, len(data))
		for i := range each {
			each[i] = i
		}
		same("each byte", each...)
	}
	if len(data) <= 16<<10 && !testing.Short() {
		for i := range data {
			same(fmt.Sprintf("split at %d", i), i)
		}
		return want
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(data))))
	for range 5 {
		var cuts []int
		for at := rng.IntN(400); at < len(data); at += 1 + rng.IntN(1+rng.IntN(4000)) {
			cuts = append(cuts, at)
		}
		same("random cuts", cuts...)
	}
	return want
}

// Document collects events into whole answers.
func Document(format string, events []*steno.Event) *answer.Document {
	var c answer.Collector
	for _, e := range events {
		c.Add(e)
	}
	return c.Document(format)
}
