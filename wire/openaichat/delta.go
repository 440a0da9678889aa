package openaichat

import (
	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

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
	d.acts(c, &m)
	c.audio.add(m.audio)
	c.extras.sources("", m.annotations)
	c.extras.add(d.extra)
	if c.open == kindNone && len(c.details.list) == 0 {
		d.flushExtras(c) // nothing is there that they could interrupt
	}
}

// acts takes the calls and the images of a delta.
func (d *Decoder) acts(c *choice, m *delta) {
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
	d.send(steno.Event{
		Type: steno.Opaque, Choice: c.index,
		Body: &steno.Block{Kind: "image", Raw: raw.Value(data), Provider: Format, Model: d.model},
	})
}
