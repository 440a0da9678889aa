// Package bedrock decodes answers of Amazon Bedrock: those of ConverseStream,
// and Anthropic Messages events in InvokeModelWithResponseStream, both in the
// binary event stream encoding.
//
// The same events as JSON objects, one {"eventName": …} each, are decoded too,
// and so are whole answers and error bodies. Checksums are checked; a message
// that fails its check ends the answer with an error, because where the next
// one begins is not known any more.
//
// The conventions are those of package anthropic. A text or reasoning block,
// whose start the format leaves out, starts with its first delta. The opaque
// data of reasoning is {"signature": …}, {"redactedContent": …} or both.
package bedrock

import (
	"bytes"
	"encoding/base64"
	"errors"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/anthropic"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// The names of the formats. One decoder reads both: the messages say which
// they are.
const (
	FormatConverse = "bedrock-converse"
	FormatInvoke   = "bedrock-invoke-anthropic"
)

const provider = "bedrock"

var _ wire.Decoder = (*Decoder)(nil)

// Decoder decodes one answer, or several in one stream. The zero value is
// ready. Decoding a delta allocates nothing.
type Decoder struct {
	mode     mode
	messages reader
	frames   frame.Reader
	converse converse
	invoke   anthropic.Machine
	invoking bool   // the answer being read is one of invoke's
	buf      []byte // a chunk's payload, decoded

	emit        func(*steno.Event)
	takeMessage func(*message)
	takeFrame   func(frame.Frame)
}

type mode uint8

const (
	undecided mode = iota
	binaryMode
	textMode
	ended // by an error; the rest is dropped
)

// Decode implements [wire.Decoder].
func (d *Decoder) Decode(p []byte, emit func(*steno.Event)) {
	d.begin(emit)
	if d.mode == undecided && len(p) > 0 {
		// A message begins with its length: for one that is small enough the
		// first byte is at most 4, and no text begins like that.
		d.mode = textMode
		if p[0] <= wire.MaxFrame>>24 {
			d.mode = binaryMode
		}
	}
	switch d.mode {
	case binaryMode:
		d.check(d.messages.feed(p, d.takeMessage))
	case textMode:
		d.check(d.frames.Feed(p, d.takeFrame))
	}
}

// Close implements [wire.Decoder].
func (d *Decoder) Close(emit func(*steno.Event)) {
	d.begin(emit)
	if d.mode == textMode {
		d.check(d.frames.Close(d.takeFrame))
	}
	d.invoke.Close(emit)
	d.converse.close()
}

// begin makes the functions that take messages once, so that feeding
// allocates nothing.
func (d *Decoder) begin(emit func(*steno.Event)) {
	d.emit = emit
	d.converse.emit = emit
	if d.takeMessage == nil {
		d.invoke.Provider = provider
		d.takeMessage = d.message
		d.takeFrame = d.frame
	}
}

// check ends the answer that is open, in either form, by an error.
func (d *Decoder) check(err error) {
	if err == nil {
		return
	}
	code := "corrupt"
	if errors.Is(err, steno.ErrTooLarge) {
		code = wire.CodeTooLarge
	}
	d.mode = ended
	d.converse.report(err.Error(), &steno.Failure{Code: code})
	d.invoke.Fail(d.emit)
}

func (d *Decoder) message(m *message) {
	if string(m.kind) == "error" {
		d.fail(string(bytes.ToValidUTF8(m.text, replacement)), &steno.Failure{Code: text(m.name), Raw: raw.Value(m.payload)})
		return
	}
	d.event(m.name, m.payload)
}

var replacement = []byte("\uFFFD")

func text(p []byte) string { return string(bytes.ToValidUTF8(p, replacement)) }

// event takes an event by its name.
func (d *Decoder) event(name, payload []byte) {
	if d.invoking && isConverse(name) {
		d.invoking = false
		d.invoke.Close(d.emit)
	}
	switch {
	case string(name) == "chunk" && d.chunk(payload):
	case bytes.HasSuffix(name, []byte("xception")):
		d.exception(name, payload)
	case !d.converse.event(name, payload):
		message, f, ok := frame.Failure(payload)
		if !ok {
			message, f = frame.TextFailure(payload)
		}
		d.converse.report(message, f)
	}
}

// chunk takes an event of another format in base64.
func (d *Decoder) chunk(payload []byte) bool {
	encoded := scan.Member(payload, "bytes")
	if !scan.IsString(encoded) {
		return false
	}
	d.buf = scan.AppendString(d.buf[:0], encoded, nil)
	n, err := base64.StdEncoding.Decode(d.buf, d.buf)
	if err != nil {
		return false
	}
	d.invokeEvent(d.buf[:n])
	return true
}

func (d *Decoder) invokeEvent(data []byte) {
	if !d.invoking {
		d.invoking = true
		d.converse.end()
	}
	if !d.invoke.Event(nil, data, d.emit) {
		d.invoke.Reject(data, d.emit)
	}
}

func (d *Decoder) exception(name, payload []byte) {
	message, f, ok := frame.Failure(payload)
	if !ok {
		message, f = frame.TextFailure(payload)
	}
	f.Code, f.Raw = text(name), raw.Value(payload)
	switch f.Code {
	case "throttlingException", "serviceUnavailableException", "internalServerException",
		"modelTimeoutException", "modelNotReadyException", "modelStreamErrorException":
		f.Retryable = true
	}
	d.fail(message, f)
}

// fail reports an error of the provider, which ends the answer.
func (d *Decoder) fail(message string, f *steno.Failure) {
	d.converse.report(message, f)
	d.invoke.Fail(d.emit)
}

// frame takes an event in its JSON form, {"eventName": payload}.
func (d *Decoder) frame(f frame.Frame) {
	var first, value []byte
	members := 0
	whole := scan.Object(f.Data, func(name, v []byte) bool {
		if members == 0 {
			first, value = name, v
		}
		members++
		return true
	})
	switch {
	case !whole && f.Cut && len(f.Data) > 0 && f.Data[0] == '{' && d.converse.begun:
		// Cut off, which is no error: the answer is incomplete.
	case members == 1 && scan.IsObject(value) && string(first) != "error":
		d.event(first, value)
	case d.chunk(f.Data):
	case whole && scan.IsObject(scan.Member(f.Data, "output")):
		d.converse.whole(f.Data)
	case whole && scan.IsString(scan.Member(f.Data, "type")):
		d.invokeEvent(f.Data)
	default:
		message, failure, ok := frame.Failure(f.Data)
		if !ok {
			message, failure = frame.TextFailure(f.Data)
		}
		d.fail(message, failure)
	}
}
