// Package wire says what a provider format is: a pure state machine that turns
// the bytes of recorded answers into source events.
//
// There is one package below it per format. A decoder never reads a socket, a
// clock or a file, and never fails: what it cannot decode it reports as an
// error event, and what it does not know it passes on as an opaque part.
//
// # What a decoder emits
//
//   - step-start for each answer ([steno.Step] with provider, model and the
//     answer's own id), before anything of it.
//   - text-start, -delta, -end and reasoning-start, -delta, -end with the
//     provider's block name where the format has blocks ("" where it has
//     none). Starts and ends are given only where the format has them. An end
//     with an authoritative whole that differs from the deltas has Whole set
//     (semantics A7); one with provider data has a [steno.Seal].
//   - tool-start (call id, name, executor), tool-delta (raw argument bytes),
//     tool-call (sealed: Text is the whole raw arguments if they differ from
//     the deltas joined, with Whole set). Where the format has no block end
//     every call is sealed when the answer ends, save the last when it ended
//     by length, error or a bare end of input.
//   - tool-result with executor provider and the raw result.
//   - source, file, opaque with the provider's block, raw and unchanged.
//   - error with message, status, code and the provider's body.
//   - step-end ([steno.Step] with finish, the provider's stop word, and usage
//     merged field by field, later numbers replacing earlier ones). Every
//     step-start is followed by exactly one; an answer that just stops is
//     incomplete.
//   - what a provider still sends after the end, if at all, outside of any
//     step: the normaliser refuses it with a reason (semantics C95).
//
// The end of a stream ends the step, never the turn. Event text is always
// valid UTF-8: a character or surrogate pair cut across two deltas is held
// back until it is whole (semantics A15).
package wire

import "github.com/stenolog/steno"

// MaxFrame is the largest frame a decoder takes, in bytes. A larger one ends
// the answer with an error event that names the limit and has the code
// [CodeTooLarge]; nothing after it is decoded.
const MaxFrame = 64 << 20

// CodeTooLarge is the code of the error event for a frame above [MaxFrame].
const CodeTooLarge = "too_large"

// A Decoder turns bytes into source events. The zero value of each format's
// decoder is ready to use; a decoder is used for one stream and by one
// goroutine at a time.
//
// How the bytes are cut never changes the events: the events of any cutting
// are the same, in number and content.
type Decoder interface {
	// Decode takes the next bytes and passes every event they complete to
	// emit. The event and its strings are borrowed: they are valid only until
	// emit returns. Bodies may be kept. Decode keeps no reference to p. The
	// cost is linear in len(p), amortised.
	Decode(p []byte, emit func(*steno.Event))

	// Close says that the input has ended and emits what that ends.
	Close(emit func(*steno.Event))
}
