package wiretest

import (
	"fmt"
	"hash/maphash"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

var seed = maphash.MakeSeed()

// fingerprint decodes data in pieces and returns a hash of the events:
// thousands of cuttings are compared, and comparing the events themselves takes
// minutes.
func fingerprint(d wire.Decoder, data []byte, cuts ...int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	pieces(d, data, cuts, func(e *steno.Event) {
		maphash.WriteComparable(&h, [2]bool{e.Whole, e.Body == nil})
		maphash.WriteComparable(&h, [2]uint32{uint32(e.Type), e.Choice})
		texts(&h, e.Message, e.Block, e.Call, e.Name, e.Text)
		hashBody(&h, e.Body)
	})
	return h.Sum64()
}

// hashBody adds every field that a decoder fills.
func hashBody(h *maphash.Hash, body steno.Body) {
	switch b := body.(type) {
	case nil:
	case *steno.Step:
		texts(h, b.Provider, b.Model, b.Response, string(b.Finish), b.Stop, string(b.Usage))
	case *steno.Failure:
		texts(h, b.Code, string(b.Raw))
		maphash.WriteComparable(h, [2]int64{int64(b.Status), b.RetryIn})
		maphash.WriteComparable(h, b.Retryable)
	case *steno.Seal:
		texts(h, string(b.Opaque), b.Provider, b.Model, string(b.Executor))
	case *steno.Result:
		texts(h, string(b.Raw), string(b.Opaque), string(b.Outcome), string(b.Executor))
		maphash.WriteComparable(h, b.IsError)
		for _, p := range b.Parts {
			texts(h, p.Kind, p.Text, p.Media, p.Name, string(p.Data))
		}
	case *steno.Block:
		texts(h, b.Kind, string(b.Raw), b.Media, string(b.Data), b.Provider, b.Model)
	default:
		panic(fmt.Sprintf("no fingerprint of a %T", b))
	}
}

func texts(h *maphash.Hash, parts ...string) {
	for _, s := range parts {
		maphash.WriteComparable(h, len(s))
		h.WriteString(s)
	}
}
