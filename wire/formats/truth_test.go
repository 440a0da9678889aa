package formats_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// cuttings are the places where a recording is cut: at every byte for one of
// up to 64 KiB, and at random.
func cuttings(size int) map[string][]int {
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	var random []int
	for at := rng.IntN(400); at < size; at += 1 + rng.IntN(1+rng.IntN(2000)) {
		random = append(random, at)
	}
	all := map[string][]int{"random": random}
	if size <= 64<<10 {
		each := make([]int, size)
		for i := range each {
			each[i] = i
		}
		all["each byte"] = each
	}
	return all
}

// decode feeds a recording whole and in every cutting, and wants the same
// events of each.
func decode(t *testing.T, fresh func() wire.Decoder, data []byte) []*steno.Event {
	t.Helper()
	events, err := wiretest.Decode(fresh(), data)
	if err == nil {
		err = wiretest.Writable(events)
	}
	if err != nil {
		t.Error(err)
	}
	for how, cuts := range cuttings(len(data)) {
		got, err := wiretest.Decode(fresh(), data, cuts...)
		if err != nil {
			t.Errorf("cut at %s: %v", how, err)
		}
		if diff := wiretest.Diff(events, got); diff != "" {
			t.Errorf("cut at %s: %s", how, diff)
		}
	}
	return events
}

func decoder(t *testing.T, format string, opts *formats.Options) func() wire.Decoder {
	t.Helper()
	if _, err := formats.New(format, opts); err != nil {
		t.Fatal(err)
	}
	return func() wire.Decoder {
		d, _ := formats.New(format, opts)
		return d
	}
}

// TestLossless decodes every recording there is and holds it to the truth that
// was made of it independently.
func TestLossless(t *testing.T) {
	dir := wiretest.Shared(t, "streams")
	truth := readTruth(t, dir)
	known := formats.Names()
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		format, _, _ := strings.Cut(name, "/")
		if !slices.Contains(known, format) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := wiretest.Read(t, dir, name)
			events := decode(t, decoder(t, format, nil), data)
			compare(t, format, wiretest.Document(format, events), truth[name])
		})
	}
}
