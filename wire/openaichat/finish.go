package openaichat

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// interrupt closes what is open in every choice, for something that is no part
// of any.
func (d *Decoder) interrupt() {
	for _, c := range d.order {
		d.leave(c, kindNone)
	}
}

// end ends the answer and makes the decoder ready for another. done says that
// the provider said so.
func (d *Decoder) end(done bool) {
	if len(d.order) == 0 && (d.id != "" || len(d.usage) > 0 || d.extras.any()) {
		d.choice(0)
	}
	for i, c := range slices.All(d.order) {
		d.leave(c, kindNone)
		if i == 0 {
			d.emitExtras(c.index, &d.extras)
		}
		d.endChoice(c, done)
	}
	d.response = response{}
}

func (d *Decoder) endChoice(c *choice, done bool) {
	finish := finishOf(c.stop, done)
	switch {
	case d.failed:
		finish = steno.FinishError
	case c.refused && finish == steno.FinishComplete:
		finish = steno.FinishRefusal
	}
	d.sealCalls(c, finish)
	d.flushDetails(c)
	d.send(steno.Event{Type: steno.StepEnd, Choice: c.index, Body: &steno.Step{
		Provider: Format, Model: d.model, Response: d.id,
		Finish: finish, Stop: c.stop, Usage: d.usage.value(),
	}})
}

// finishOf translates the provider's word for why an answer ended. Without
// one it is complete if the provider said that it was done, else it just
// stopped. A word we do not know is an end all the same.
func finishOf(stop string, done bool) steno.Finish {
	switch strings.ToLower(stop) {
	case "":
		if !done {
			return steno.FinishIncomplete
		}
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return steno.FinishLength
	case "content_filter", "refusal", "safety", "sensitive", "prohibited_content", "recitation", "blocklist":
		return steno.FinishRefusal
	case "error", "network_error", "malformed_function_call":
		return steno.FinishError
	case "abort", "cancelled", "insufficient_system_resource", "incomplete":
		return steno.FinishIncomplete
	case "pause_turn":
		return steno.FinishPaused
	}
	return steno.FinishComplete
}

// usage is the provider's numbers, merged field by field: a later one replaces
// an earlier.
type usage []member

func (u *usage) merge(object []byte) {
	if !scan.IsObject(object) {
		return
	}
	scan.Object(object, func(name, value []byte) bool {
		if !scan.IsNull(value) {
			u.set(name, value)
		}
		return true
	})
}

// maxUsage bounds how many numbers are kept: there are about ten, and they
// are searched one by one.
const maxUsage = 256

func (u *usage) set(name, value []byte) {
	name = validName(name)
	for i := range *u {
		if f := &(*u)[i]; bytes.Equal(f.name, name) {
			f.value = append(f.value[:0], value...)
			return
		}
	}
	if len(*u) < maxUsage {
		*u = append(*u, member{bytes.Clone(name), bytes.Clone(value)})
	}
}

// value returns the numbers as one object, or nil if there are none.
func (u *usage) value() jsontext.Value {
	if len(*u) == 0 {
		return nil
	}
	v := []byte{'{'}
	for _, f := range *u {
		v = raw.Member(v, string(f.name), f.value)
	}
	return append(v, '}')
}
