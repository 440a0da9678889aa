package bedrock

import (
	"bytes"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// whole takes the body of an answer that was not streamed:
// {"output": {"message": {"content": […]}}, "stopReason": …, "usage": …}.
func (c *converse) whole(body []byte) {
	c.end()
	c.begin()
	index := int64(0)
	scan.Array(scan.Member(body, "output", "message", "content"), func(content []byte) bool {
		c.wholeBlock(index, content)
		index++
		return c.open
	})
	if c.open {
		c.messageStop(scan.Member(body, "stopReason"))
		c.metadata(scan.Member(body, "usage"))
	}
}

func (c *converse) wholeBlock(index int64, content []byte) {
	b := c.add(index)
	name, value := first(content)
	switch string(name) {
	case "text":
		c.is(b, textual)
		c.grow(steno.TextDelta, b, value)
	case "reasoningContent":
		c.is(b, thinking)
		if inner := scan.Member(value, "reasoningText"); inner != nil {
			value = inner
		}
		c.reasoning(b, value)
	case "toolUse":
		c.startTool(b, value)
		if input := scan.Member(value, "input"); !scan.IsNull(input) && string(input) != "{}" {
			b.input = bytes.Clone(input)
		}
	case "toolResult":
		b.kind = result
		b.call = scan.String(scan.Member(value, "toolUseId"))
		b.start = raw.Without(value, "content")
		if content := scan.Member(value, "content"); content != nil {
			c.keep(b, content)
		}
	default:
		b.kind, b.word = other, text(name)
		b.start = bytes.Clone(content)
	}
	c.stopBlock(b)
}
