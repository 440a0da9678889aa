package formats

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
)

// MaxGuess is how much of a recording [Auto] holds back while it cannot tell
// the format, in bytes.
const MaxGuess = 1 << 20

// Auto is a decoder that finds out the format by itself. It holds back the
// first bytes until [Guess] can tell. The zero value is ready, and after Close
// it is ready for another stream. Input it cannot tell within [MaxGuess]
// becomes one error event.
type Auto struct {
	Options Options

	name    string
	decoder wire.Decoder
	held    []byte
	spent   int // bytes read in vain
	lost    bool
}

// Format returns the name of the format, "" while it is not known. After Close
// it is that of the stream that ended.
func (a *Auto) Format() string { return a.name }

// Decode implements [wire.Decoder].
func (a *Auto) Decode(p []byte, emit func(*steno.Event)) {
	switch {
	case a.lost || len(p) == 0:
	case a.decoder != nil:
		a.decoder.Decode(p, emit)
	default:
		a.guess(p, emit)
	}
}

// guess holds back what came and tries to tell. Each try reads all that is
// held, so tries are spaced to keep the cost linear however small the pieces.
func (a *Auto) guess(p []byte, emit func(*steno.Event)) {
	if a.held == nil {
		a.name, a.spent = "", 0
	}
	a.held = append(a.held, p...)
	if a.spent > 64<<10+8*len(a.held) && len(a.held) < MaxGuess {
		return
	}
	a.spent += len(a.held)
	if !a.found(emit) && len(a.held) >= MaxGuess {
		a.fail(emit)
	}
}

func (a *Auto) found(emit func(*steno.Event)) bool {
	name, ok := Guess(a.held[:min(len(a.held), MaxGuess)])
	if !ok {
		return false
	}
	d, err := New(name, &a.Options)
	if err != nil {
		return false
	}
	a.name, a.decoder = name, d
	held := a.held
	a.held = nil
	d.Decode(held, emit)
	return true
}

func (a *Auto) fail(emit func(*steno.Event)) {
	size := min(len(a.held), MaxGuess)
	a.lost, a.held = true, nil
	emit(&steno.Event{
		Type: steno.Error,
		Text: fmt.Sprintf("the format cannot be told from the first %d bytes; name it", size),
		Body: &steno.Failure{Code: "unknown_format"},
	})
}

// Close implements [wire.Decoder].
func (a *Auto) Close(emit func(*steno.Event)) {
	if a.decoder == nil && len(a.held) > 0 && !a.found(emit) {
		a.fail(emit)
	}
	if a.decoder != nil {
		a.decoder.Close(emit)
	}
	a.decoder, a.held, a.lost = nil, nil, false
}
