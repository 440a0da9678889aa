// Package anthropic decodes answers in the Anthropic Messages format: the
// event stream, a whole message as one JSON body, and an error body.
//
// What the format leaves open is settled so:
//
//   - A block is named by its index in decimal. If an answer uses an index
//     again, the name of the second block ends in ".2", and so on, so that a
//     name is unique within an answer.
//   - The opaque data of a reasoning block is {"signature": …}, or the whole
//     redacted_thinking block. That of a call and of a provider's result holds
//     all members of the block that have no place in the event; a client's
//     plain tool_use has none.
//   - A block of a kind not known here is an opaque event with the block's
//     name. Its raw value is the block; the text of a compaction's deltas is
//     joined into it. Where other deltas came for it, the raw value is
//     {"start": block, "deltas": [delta, …]}.
//   - An event or delta not known here is an opaque event without a block
//     name that holds the whole event: it is no part of the message and is
//     never sent back.
//   - An error outside of an answer, such as an error body, stands alone:
//     there is no step around it.
package anthropic

import (
	"bytes"
	"errors"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/scan"
)

// Format is the name of the format.
const Format = "anthropic-messages"

var _ wire.Decoder = (*Decoder)(nil)

// Decoder decodes one answer, or several in one stream. The zero value is
// ready. Decoding a delta allocates nothing.
type Decoder struct {
	frames  frame.Reader
	machine Machine
	emit    func(*steno.Event)
	take    func(frame.Frame)
}

// Decode implements [wire.Decoder].
func (d *Decoder) Decode(p []byte, emit func(*steno.Event)) {
	d.emit = emit
	d.check(d.frames.Feed(p, d.taker()))
}

// Close implements [wire.Decoder].
func (d *Decoder) Close(emit func(*steno.Event)) {
	d.emit = emit
	d.check(d.frames.Close(d.taker()))
	d.machine.Close(emit)
}

func (d *Decoder) check(err error) {
	if errors.Is(err, steno.ErrTooLarge) {
		d.machine.Abort(err.Error(), d.emit)
	}
}

// taker returns the function that takes frames. It is made once, so that
// feeding allocates nothing.
func (d *Decoder) taker() func(frame.Frame) {
	if d.take == nil {
		d.take = func(f frame.Frame) {
			if f.Cut && (!f.Bare || isFieldBegin(f.Data)) && !scan.Object(f.Data, ignore) {
				return // cut off, which is no error: the answer is incomplete
			}
			if !d.machine.Event(f.Name, f.Data, d.emit) && len(bytes.TrimSpace(f.Data)) > 0 {
				d.machine.Reject(f.Data, d.emit)
			}
		}
	}
	return d.take
}

// isFieldBegin reports whether a line that the end of the input cut off may be
// the beginning of a field of an event stream.
func isFieldBegin(line []byte) bool {
	for _, field := range []string{"data", "event", "id", "retry"} {
		if strings.HasPrefix(field, string(line)) {
			return true
		}
	}
	return false
}

func ignore(_, _ []byte) bool { return true }
