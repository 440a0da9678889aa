package openaichat

import (
	"bytes"
	"math"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// chunk is one frame: the members we know of it, aliasing the frame.
type chunk struct {
	id, model, choices, usage, groq, failure []byte
	citations, results                       []byte
}

// value takes one JSON value: a chunk, an error, or an array of them, as some
// servers wrap their errors. It reports whether that is what it was; nothing
// of an object that is not well formed is used. In a frame of an error event
// the whole may be the error, whatever it is.
func (d *Decoder) value(data []byte, isError bool) bool {
	if !scan.IsArray(data) {
		return d.object(data, isError)
	}
	well, some := true, false
	complete := scan.Array(data, func(v []byte) bool {
		some = true
		well = d.object(v, isError) && well
		return true
	})
	return complete && some && well
}

func (d *Decoder) object(data []byte, isError bool) bool {
	var c chunk
	d.extra = d.extra[:0]
	if !scan.IsObject(data) || !scan.Object(data, func(name, value []byte) bool {
		d.chunkMember(&c, name, value)
		return true
	}) {
		if isError {
			d.framed = true
			d.fail(string(bytes.ToValidUTF8(data, []byte("\uFFFD"))), &steno.Failure{Raw: raw.Value(data)})
		}
		return isError
	}
	if c.failure == nil {
		c.failure = scan.Member(c.groq, "error")
	}
	// A body that is no answer is an error, in whatever form.
	isError = isError || holdsError(&c, data) || d.bare && !d.framed && c.choices == nil && c.usage == nil
	d.framed = true
	if d.whole && c.choices != nil {
		d.end(true) // another body
	}
	switch {
	case isError:
	case c.known():
		d.extras.latest(d.extra)
	default:
		d.keepFrame(data)
	}
	d.chunk(&c)
	if isError {
		d.providerError(&c, data)
	}
	return true
}

// chunk takes what a frame says of the response and of its choices.
func (d *Decoder) chunk(c *chunk) {
	if d.id == "" {
		d.id = scan.String(c.id)
	}
	if d.model == "" {
		d.model = scan.String(c.model)
	}
	d.usage.merge(c.usage)
	d.usage.merge(scan.Member(c.groq, "usage"))
	scan.Array(c.choices, func(v []byte) bool {
		d.choiceChunk(v)
		return true
	})
	d.extras.sources("citation", c.citations)
	d.extras.sources("search_result", c.results)
}

// known reports whether the frame is a chunk of the format at all.
func (c *chunk) known() bool {
	return c.id != nil || c.choices != nil || c.usage != nil || c.groq != nil
}

// keepFrame keeps a frame that is no chunk and no error, for the end of the
// answer.
func (d *Decoder) keepFrame(data []byte) {
	kind := scan.String(scan.Member(data, "type"))
	if kind == "" {
		kind = "frame"
	}
	if holds(data) && kind != "ping" {
		d.extras.put(kind, data, false)
	}
}

func (d *Decoder) chunkMember(c *chunk, name, value []byte) {
	switch string(name) {
	case "id":
		c.id = value
	case "model":
		c.model = value
	case "choices":
		c.choices = value
	case "usage":
		c.usage = value
	case "x_groq":
		c.groq = value
	case "error":
		c.failure = value
	case "citations":
		c.citations = value
	case "search_results":
		c.results = value
	case "prompt_filter_results", "time_info", "timings", "usage_breakdown":
		// Measurements: they say nothing that the answer holds.
	default:
		if holds(value) {
			d.extra = append(d.extra, member{name, value})
		}
	}
}

// holds reports whether value is an object or array with something in it.
func holds(value []byte) bool {
	return (scan.IsObject(value) || scan.IsArray(value)) && len(bytes.TrimSpace(value[1:len(value)-1])) > 0
}

// choicePiece is what one element of choices holds, aliasing the frame.
type choicePiece struct {
	index, delta, message, text, finish []byte
}

// choiceChunk takes one element of choices.
func (d *Decoder) choiceChunk(data []byte) {
	var p choicePiece
	d.extra = d.extra[:0]
	scan.Object(data, func(name, value []byte) bool {
		d.choiceMember(&p, name, value)
		return true
	})
	n, _ := scan.Int(p.index)
	if n < 0 || n > math.MaxUint32 {
		n = 0
	}
	c := d.choice(uint32(n))
	if c == nil {
		d.undecoded(data)
		return
	}
	c.extras.add(d.extra)
	switch {
	case holds(p.delta):
		d.delta(c, p.delta)
		c.spoke = c.spoke || c.open != kindNone
	case c.spoke:
		// A message beside empty deltas repeats what they said.
	case holds(p.message):
		d.whole = d.bare
		d.delta(c, p.message)
	case scan.IsString(p.text):
		d.speak(c, fieldContent, p.text) // the older completions format
	}
	if s := scan.String(p.finish); s != "" {
		c.stop = s
	}
}

func (d *Decoder) choiceMember(p *choicePiece, name, value []byte) {
	switch string(name) {
	case "index":
		p.index = value
	case "delta":
		p.delta = value
	case "message":
		p.message = value
	case "text":
		p.text = value
	case "finish_reason":
		p.finish = value
	case "logprobs", "content_filter_results", "content_filter_result",
		"content_filter_offsets", "token_ids", "prompt_token_ids":
		// Measurements.
	default:
		if holds(value) {
			d.extra = append(d.extra, member{name, value})
		}
	}
}

// maxChoices bounds how many choices a response has. Servers give at most 128.
const maxChoices = 1024

// choice returns the state of a choice; the first mention of one starts its
// answer. It is nil for one too many.
func (d *Decoder) choice(index uint32) *choice {
	if d.last != nil && d.last.index == index {
		return d.last
	}
	c := d.choices[index]
	if c == nil {
		if len(d.order) == maxChoices {
			return nil
		}
		c = &choice{index: index}
		if d.choices == nil {
			d.choices = make(map[uint32]*choice)
		}
		d.choices[index] = c
		d.order = append(d.order, c)
		d.send(steno.Event{
			Type: steno.StepStart, Choice: index,
			Body: &steno.Step{Provider: Format, Model: d.model, Response: d.id},
		})
	}
	d.last = c
	return c
}
