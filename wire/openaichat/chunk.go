package openaichat

import (
	"bytes"
	"math"
	"slices"

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
	well, any := true, false
	complete := scan.Array(data, func(v []byte) bool {
		any = true
		well = d.object(v, isError) && well
		return true
	})
	return complete && any && well
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
	if isError {
		d.providerError(&c, data)
	}
	return true
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

// choiceChunk takes one element of choices.
func (d *Decoder) choiceChunk(data []byte) {
	var index, delta, message, text, finish []byte
	d.extra = d.extra[:0]
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "index":
			index = value
		case "delta":
			delta = value
		case "message":
			message = value
		case "text":
			text = value
		case "finish_reason":
			finish = value
		case "logprobs", "content_filter_results", "content_filter_result",
			"content_filter_offsets", "token_ids", "prompt_token_ids":
		default:
			if holds(value) {
				d.extra = append(d.extra, member{name, value})
			}
		}
		return true
	})
	n, _ := scan.Int(index)
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
	case holds(delta):
		d.delta(c, delta)
		c.spoke = c.spoke || c.open != kindNone
	case c.spoke:
		// A message beside empty deltas repeats what they said.
	case holds(message):
		d.whole = d.bare
		d.delta(c, message)
	case scan.IsString(text):
		d.speak(c, fieldContent, text) // the older completions format
	}
	if s := scan.String(finish); s != "" {
		c.stop = s
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
		d.send(steno.Event{Type: steno.StepStart, Choice: index,
			Body: &steno.Step{Provider: Format, Model: d.model, Response: d.id}})
	}
	d.last = c
	return c
}

// delta is what a delta or a message holds, aliasing the frame.
type delta struct {
	reasoningContent, reasoning, details, content, refusal []byte
	toolCalls, functionCall, images, audio, annotations    []byte
}

// delta takes the delta, or the whole message, of a choice. Within one the
// order is fixed, whatever the order of the members.
func (d *Decoder) delta(c *choice, data []byte) {
	var m delta
	d.extra = d.extra[:0]
	scan.Object(data, func(name, value []byte) bool {
		d.deltaMember(&m, name, value)
		return true
	})
	if len(m.reasoningContent) > len(`""`) && scan.IsString(m.reasoningContent) {
		d.speak(c, fieldReasoning, m.reasoningContent)
	} else {
		d.speak(c, fieldReasoning, m.reasoning)
	}
	scan.Array(m.details, func(v []byte) bool {
		if scan.IsObject(v) {
			d.key = c.details.add(v, d.key)
		} else {
			d.extra = append(d.extra, member{[]byte("reasoning_details"), v})
		}
		return true
	})
	d.content(c, m.content)
	d.speak(c, fieldRefusal, m.refusal)
	pos := int64(0)
	scan.Array(m.toolCalls, func(v []byte) bool {
		d.toolCall(c, v, pos)
		pos++
		return true
	})
	if scan.IsObject(m.functionCall) {
		d.functionCall(c, m.functionCall)
	}
	scan.Array(m.images, func(v []byte) bool {
		d.image(c, v)
		return true
	})
	c.audio.add(m.audio)
	c.extras.sources("", m.annotations)
	c.extras.add(d.extra)
	if c.open == kindNone && len(c.details.list) == 0 {
		d.flushExtras(c) // nothing is there that they could interrupt
	}
}

func (d *Decoder) deltaMember(m *delta, name, value []byte) {
	switch string(name) {
	case "content":
		m.content = value
	case "reasoning_content":
		m.reasoningContent = value
	case "reasoning":
		if holds(value) {
			d.extra = append(d.extra, member{name, value})
		}
		m.reasoning = value
	case "reasoning_details":
		m.details = value
	case "refusal":
		m.refusal = value
	case "tool_calls":
		m.toolCalls = value
	case "function_call":
		m.functionCall = value
	case "images":
		m.images = value
	case "audio":
		m.audio = value
	case "annotations":
		m.annotations = value
	case "role", "name", "channel", "id", "type", "tool_call_id":
	default:
		if holds(value) || scan.IsString(value) && len(value) > len(`""`) {
			d.extra = append(d.extra, member{name, value})
		}
	}
}

// content takes the content of a delta: a string, or a list of typed items.
func (d *Decoder) content(c *choice, data []byte) {
	if scan.IsString(data) {
		d.speak(c, fieldContent, data)
		return
	}
	item := func(v []byte) bool {
		d.contentItem(c, v)
		return true
	}
	if scan.IsObject(data) {
		item(data)
		return
	}
	scan.Array(data, item)
}

func (d *Decoder) contentItem(c *choice, data []byte) {
	if scan.IsString(data) {
		d.speak(c, fieldContent, data)
		return
	}
	kind := scan.Member(data, "type")
	switch string(kind) {
	case `"text"`:
		d.speak(c, fieldContent, scan.Member(data, "text"))
	case `"thinking"`:
		thinking := scan.Member(data, "thinking")
		if scan.IsString(thinking) {
			d.speak(c, fieldReasoning, thinking)
			return
		}
		scan.Array(thinking, func(v []byte) bool {
			if s := scan.Member(v, "text"); scan.IsString(s) {
				d.speak(c, fieldReasoning, s)
			} else {
				c.extras.add([]member{{[]byte("thinking"), v}})
			}
			return true
		})
	default:
		name := []byte("content")
		if s := scan.String(kind); s != "" {
			name = []byte(s)
		}
		c.extras.add([]member{{name, data}})
	}
}

// image passes on a generated image where it came. It is a part of its own.
func (d *Decoder) image(c *choice, data []byte) {
	d.leave(c, kindOther)
	d.send(steno.Event{Type: steno.Opaque, Choice: c.index,
		Body: &steno.Block{Kind: "image", Raw: raw.Value(data), Provider: Format, Model: d.model}})
}

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
	d.send(steno.Event{Type: steno.StepEnd, Choice: c.index, Body: &steno.Step{
		Provider: Format, Model: d.model, Response: d.id,
		Finish: finish, Stop: c.stop, Usage: d.usage.value(),
	}})
}
