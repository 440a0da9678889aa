// Package wiretest holds what the tests of decoders share: it feeds a decoder
// in every cutting, holds its events to the contract of package wire, and
// collects them into answers that can be compared with recorded truth.
package wiretest

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

// Shared returns a path in the shared test data, which stands beside the
// module or where STENO_SHARED says. It skips the test if that is not there.
func Shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		root = "../shared"
		for range 6 {
			if _, err := os.Stat(root); err == nil {
				break
			}
			root = filepath.Join("..", root)
		}
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared test data is not here: %v", err)
	}
	return path
}

// Read returns a file of the shared test data.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Decode feeds data in pieces and returns copies of the events. It fails the
// test where they break the contract of package wire.
func Decode(t testing.TB, d wire.Decoder, pieces ...[]byte) []*steno.Event {
	t.Helper()
	var out []*steno.Event
	open := false
	emit := func(e *steno.Event) {
		switch {
		case e.Type == steno.StepStart && open:
			t.Fatal("a step starts in a step")
		case e.Type == steno.StepEnd && !open:
			t.Fatal("a step ends that has not started")
		}
		open = e.Type == steno.StepStart || open && e.Type != steno.StepEnd
		for _, s := range []string{e.Block, e.Call, e.Name, e.Text} {
			if !utf8.ValidString(s) {
				t.Fatalf("%s: %q is not valid UTF-8", e.Type, s)
			}
		}
		if _, err := json.Marshal(e); err != nil {
			t.Fatalf("an event cannot be written: %v", err)
		}
		out = append(out, e.Clone())
	}
	for _, p := range pieces {
		p = bytes.Clone(p)
		d.Decode(p, emit)
		clear(p) // whatever the decoder kept of p is now wrong
	}
	d.Close(emit)
	if open {
		t.Fatal("a step without an end")
	}
	return out
}

// Bytewise returns data in pieces of one byte.
func Bytewise(data []byte) [][]byte {
	out := make([][]byte, len(data))
	for i := range data {
		out[i] = data[i : i+1]
	}
	return out
}

// Chunks returns data in pieces of n bytes.
func Chunks(data []byte, n int) [][]byte {
	var out [][]byte
	for len(data) > n {
		out, data = append(out, data[:n]), data[n:]
	}
	return append(out, data)
}

// Cut decodes data whole and in many cuttings, wants the same events of all
// (semantics C92), and returns them.
func Cut(t *testing.T, fresh func() wire.Decoder, data []byte) []*steno.Event {
	t.Helper()
	want := Decode(t, fresh(), data)
	print := fingerprint(fresh(), data)
	same := func(how string, pieces ...[]byte) {
		t.Helper()
		if fingerprint(fresh(), pieces...) != print {
			t.Fatalf("%s: -whole +cut\n%s", how, cmp.Diff(want, Decode(t, fresh(), pieces...)))
		}
	}
	if len(data) <= 64<<10 {
		same("byte by byte", Bytewise(data)...)
	}
	if len(data) <= 16<<10 && !testing.Short() {
		for i := range data {
			same("in two", data[:i], data[i:])
		}
		return want
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(data))))
	for range 8 {
		var pieces [][]byte
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(1+rng.IntN(4000)))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		same("random pieces", pieces...)
	}
	return want
}

// Fuzz holds the events of hostile data to the contract, and to those of two
// cuttings: byte by byte, and in pieces of n bytes.
func Fuzz(t *testing.T, fresh func() wire.Decoder, data []byte, n int) {
	t.Helper()
	want := Decode(t, fresh(), data)
	print := fingerprint(fresh(), data)
	for _, pieces := range [][][]byte{Bytewise(data), Chunks(data, n)} {
		if fingerprint(fresh(), pieces...) != print {
			t.Fatalf("%d pieces: -whole +cut\n%s", len(pieces), cmp.Diff(want, Decode(t, fresh(), pieces...)))
		}
	}
}

var seed = maphash.MakeSeed()

// fingerprint decodes and returns a hash of the events: thousands of cuttings
// are compared, and comparing the events themselves takes minutes.
func fingerprint(d wire.Decoder, pieces ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	text := func(parts ...string) {
		for _, s := range parts {
			maphash.WriteComparable(&h, len(s))
			h.WriteString(s)
		}
	}
	emit := func(e *steno.Event) {
		maphash.WriteComparable(&h, [2]bool{e.Whole, e.Body == nil})
		h.WriteByte(byte(e.Type))
		text(e.Block, e.Call, e.Name, e.Text)
		switch b := e.Body.(type) {
		case nil:
		case *steno.Step:
			text(b.Provider, b.Model, b.Response, string(b.Finish), b.Stop, string(b.Usage))
		case *steno.Failure:
			text(b.Code, string(b.Raw))
			maphash.WriteComparable(&h, b.Retryable)
		case *steno.Seal:
			text(string(b.Opaque), b.Provider, b.Model, string(b.Executor))
		case *steno.Result:
			text(string(b.Raw), string(b.Opaque), string(b.Outcome), string(b.Executor))
		case *steno.Block:
			text(b.Kind, string(b.Raw), b.Provider, b.Model)
		default:
			panic(fmt.Sprintf("no fingerprint of a %T", b))
		}
	}
	scratch := make([]byte, 0, 64)
	for _, p := range pieces {
		scratch = append(scratch[:0], p...)
		d.Decode(scratch, emit)
		clear(scratch) // whatever the decoder kept of p is now wrong
	}
	d.Close(emit)
	return h.Sum64()
}
