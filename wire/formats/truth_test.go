package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/formats"
)

// maxEach is the largest stream that is fed a byte at a time.
const maxEach = 64 << 10

// decode feeds a recording in pieces as cut says and returns its events as
// JSON lines and what they are together.
func decode(t *testing.T, format string, data []byte, cut func(rest int) int) ([]string, *answer.Document) {
	t.Helper()
	d, err := formats.New(format)
	if err != nil {
		t.Fatal(err)
	}
	var c answer.Collector
	var events []string
	emit := func(e *steno.Event) {
		c.Add(e)
		events = append(events, line(t, e))
	}
	for len(data) > 0 {
		n := cut(len(data))
		piece := bytes.Clone(data[:n])
		d.Decode(piece, emit)
		clear(piece) // a decoder keeps nothing of what it is fed
		data = data[n:]
	}
	d.Close(emit)
	return events, c.Document(format)
}

// line writes an event so that two can be compared, and checks what must be
// true of each: valid text and bodies that can be written.
func line(t *testing.T, e *steno.Event) string {
	t.Helper()
	for _, s := range []string{e.Text, e.Block, e.Call, e.Name} {
		if !utf8.ValidString(s) {
			t.Fatalf("%v: %q is not valid UTF-8", e.Type, s)
		}
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		t.Fatalf("%v: body cannot be written: %v", e.Type, err)
	}
	return fmt.Sprintf("%v %d %q %q %q %q %t %s", e.Type, e.Choice, e.Block, e.Call, e.Name, e.Text, e.Whole, body)
}

func whole(rest int) int { return rest }
func each(int) int       { return 1 }

func random(seed uint64) func(int) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(rest int) int { return 1 + r.IntN(min(rest, 2000)) }
}

// TestLossless decodes every recording there is and holds it to the truth that
// was made of it independently.
func TestLossless(t *testing.T) {
	dir := shared(t, "streams")
	truth := readTruth(t, dir)
	known := formats.Names()
	for _, name := range slices.Sorted(keys(truth)) {
		format, _, _ := strings.Cut(name, "/")
		if !slices.Contains(known, format) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			events, doc := decode(t, format, data, whole)
			compare(t, doc, truth[name])
			balanced(t, events)
			cuts := map[string]func(int) int{"random": random(1)}
			if len(data) <= maxEach {
				cuts["each byte"] = each
			}
			for how, cut := range cuts {
				got, _ := decode(t, format, data, cut)
				if diff := cmp.Diff(events, got); diff != "" {
					t.Errorf("cut %s: %s", how, diff)
				}
			}
		})
	}
}

// balanced checks that each step-start has one step-end.
func balanced(t *testing.T, events []string) {
	t.Helper()
	open := map[string]int{}
	for _, e := range events {
		f := strings.Fields(e)
		switch f[0] {
		case "step-start":
			if open[f[1]]++; open[f[1]] != 1 {
				t.Errorf("choice %s: step-start within a step", f[1])
			}
		case "step-end":
			if open[f[1]]--; open[f[1]] != 0 {
				t.Errorf("choice %s: step-end without a start", f[1])
			}
		}
	}
	for choice, n := range open {
		if n != 0 {
			t.Errorf("choice %s: %d steps did not end", choice, n)
		}
	}
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
