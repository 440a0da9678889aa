package ollama

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/frame"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

func (d *Decoder) providerError(data []byte) {
	message, f, ok := frame.Failure(data)
	if !ok {
		message, f = frame.TextFailure(data)
	}
	d.fail(message, f)
}

func (d *Decoder) fail(message string, f *steno.Failure) {
	d.close()
	d.failed = d.open
	d.send(steno.Event{Type: steno.Error, Text: message, Body: f})
}

// end ends the answer. last is the line that says done, and holds the numbers.
func (d *Decoder) end(reason string, done bool, last []byte) {
	if d.open {
		d.close()
		d.send(steno.Event{Type: steno.StepEnd, Body: &steno.Step{
			Provider: Format, Model: d.model,
			Finish: finishOf(reason, done, d.failed), Stop: reason, Usage: usageOf(last),
		}})
	}
	d.response = response{}
}

func finishOf(reason string, done, failed bool) steno.Finish {
	switch {
	case failed:
		return steno.FinishError
	case !done:
		return steno.FinishIncomplete
	case reason == "length":
		return steno.FinishLength
	}
	return steno.FinishComplete
}

// usageOf returns the counts and durations (in nanoseconds) of the last line.
func usageOf(last []byte) jsontext.Value {
	v := []byte{'{'}
	scan.Object(last, func(name, value []byte) bool {
		if _, ok := scan.Int(value); ok && (bytes.HasSuffix(name, []byte("_count")) || bytes.HasSuffix(name, []byte("_duration"))) {
			v = raw.Member(v, string(name), value)
		}
		return true
	})
	if len(v) == 1 {
		return nil
	}
	return raw.Object(append(v, '}'))
}
