// Package wiretest is what the tests of decoders share: it holds the events of
// a decoder to the laws of package wire, in every cutting of its input, and
// puts them together so that they can be compared with recorded truth.
package wiretest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

// Decode feeds data in the pieces that end at the given places and at its end.
// It returns the events and the first law of [wire.Decoder] they break.
func Decode(d wire.Decoder, data []byte, cuts ...int) (events []*steno.Event, err error) {
	open := map[uint32]bool{}
	_, late := d.(lateDecoder)
	emit := func(e *steno.Event) {
		events = append(events, e.Clone())
		if err == nil {
			err = law(e, open, late)
		}
	}
	pieces(d, data, cuts, emit)
	for choice := range open {
		err = errors.Join(err, fmt.Errorf("choice %d: a step without end", choice))
	}
	return events, err
}

// pieces feeds data to d in the pieces that end at the given places and at its
// end, each of which is gone when d has read it.
func pieces(d wire.Decoder, data []byte, cuts []int, emit func(*steno.Event)) {
	from := 0
	piece := make([]byte, 0, len(data))
	feed := func(to int) {
		piece = append(piece[:0], data[from:to]...)
		d.Decode(piece, emit)
		for i := range piece {
			piece[i] = 0xAA // so that a piece that was kept shows
		}
		from = to
	}
	for _, to := range cuts {
		feed(to)
	}
	feed(len(data))
	d.Close(emit)
}

// Late excuses a decoder from the law that everything but errors stands in a
// step: it passes on what comes after the end, for the normaliser to refuse
// with a reason (semantics C95).
func Late(d wire.Decoder) wire.Decoder { return lateDecoder{d} }

type lateDecoder struct{ wire.Decoder }

// law checks what holds for every event: it is valid UTF-8, no delta is empty,
// and all but errors stand in a step.
func law(e *steno.Event, open map[uint32]bool, late bool) error {
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
	case !in && (!late || e.Type == steno.StepEnd):
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

// MustDecode is Decode for input that has to obey the laws, and whose events
// have to be writable.
func MustDecode(t testing.TB, d wire.Decoder, data []byte, cuts ...int) []*steno.Event {
	t.Helper()
	events, err := Decode(d, data, cuts...)
	if err == nil {
		err = Writable(events)
	}
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// EveryCut decodes data whole and in many cuttings, wants the same events from
// all (semantics C92), and returns them: each byte for what is at most 64 KiB,
// split in two at every place for what is at most 16 KiB, else at random places.
func EveryCut(t *testing.T, fresh func() wire.Decoder, data []byte) []*steno.Event {
	t.Helper()
	want := MustDecode(t, fresh(), data)
	sum := fingerprint(fresh(), data)
	same := func(what string, cuts ...int) {
		t.Helper()
		if fingerprint(fresh(), data, cuts...) != sum {
			t.Fatalf("%s: other events: %s", what, Diff(want, MustDecode(t, fresh(), data, cuts...)))
		}
	}
	if len(data) <= 64<<10 {
		same("each byte", every(data, 1)...)
	}
	if len(data) <= 16<<10 && !testing.Short() {
		for i := range data {
			same(fmt.Sprintf("split at %d", i), i)
		}
		return want
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(data))))
	for range 8 {
		var cuts []int
		for at := rng.IntN(400); at < len(data); at += 1 + rng.IntN(1+rng.IntN(4000)) {
			cuts = append(cuts, at)
		}
		same("random cuts", cuts...)
	}
	return want
}

// Seeds adds the streams in testdata to the corpus of a fuzz target.
func Seeds(f *testing.F) {
	f.Helper()
	for _, path := range streams(f) {
		f.Add(Read(f, path), uint16(400))
	}
}

// Fuzz holds the events of hostile data to the laws (no panic, valid UTF-8, one
// end for each start, events that can be written) and to those of three
// cuttings: each byte, pieces of n bytes, and split in two after n.
func Fuzz(t *testing.T, fresh func() wire.Decoder, data []byte, n int) {
	t.Helper()
	want := MustDecode(t, fresh(), data)
	for _, cuts := range [][]int{every(data, 1), every(data, n), {n % (len(data) + 1)}} {
		if diff := Diff(want, MustDecode(t, fresh(), data, cuts...)); diff != "" {
			t.Fatalf("cut at %v: other events: %s", cuts[:min(len(cuts), 2)], diff)
		}
	}
}

// every returns the places that cut data into pieces of n bytes.
func every(data []byte, n int) []int {
	var cuts []int
	for at := n; at < len(data); at += n {
		cuts = append(cuts, at)
	}
	return cuts
}
