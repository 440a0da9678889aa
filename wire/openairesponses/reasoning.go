package openairesponses

import (
	"strconv"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

func (d *Decoder) reasoningDelta(m *message, content bool) {
	it := d.item(m.output, reasoningItem)
	if it == nil {
		return
	}
	g := &it.summary
	if content {
		g = &it.content
	} else if len(it.content.text) > 0 {
		it.mixed = true
	}
	d.grow(steno.ReasoningDelta, it.block, g.add(m.delta))
}

// sealReasoning ends a reasoning item. Summaries and content that stand in the
// item hold over what was streamed of them; where the item has none, what was
// streamed holds.
func (d *Decoder) sealReasoning(it *item, done []byte) {
	d.grow(steno.ReasoningDelta, it.block, it.summary.rest())
	d.grow(steno.ReasoningDelta, it.block, it.content.rest())
	summary, summaries := texts(scan.Member(done, "summary"))
	content, contents := texts(scan.Member(done, "content"))
	if len(summary) == 0 {
		summary = it.summary.text
	}
	if len(content) == 0 {
		content = it.content.text
	}
	lengths := func(obj []byte) []byte {
		if len(summaries) > 1 || len(contents) > 0 {
			obj = appendLengths(obj, "summaryLengths", summaries)
			obj = appendLengths(obj, "contentLengths", contents)
		}
		return obj
	}
	e := steno.Event{Type: steno.ReasoningEnd, Block: it.block}
	if seal := d.opaque(done, lengths, "type", "status", "summary", "content"); seal != nil {
		e.Body = seal
	}
	whole := string(summary) + string(content)
	if len(it.summary.text)+len(it.content.text) == 0 {
		d.grow(steno.ReasoningDelta, it.block, []byte(whole))
	} else if it.mixed || whole != string(it.summary.text)+string(it.content.text) {
		e.Whole, e.Text = true, whole
	}
	d.send(e)
}

// texts joins the texts of a list of parts and gives the length of each.
func texts(list []byte) (joined []byte, lengths []int) {
	scan.Array(list, func(part []byte) bool {
		n := len(joined)
		joined = scan.AppendString(joined, scan.Member(part, "text"), nil)
		lengths = append(lengths, len(joined)-n)
		return true
	})
	return joined, lengths
}

func appendLengths(obj []byte, name string, lengths []int) []byte {
	if len(lengths) == 0 {
		return obj
	}
	list := []byte{'['}
	for i, n := range lengths {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, int64(n), 10)
	}
	return raw.Member(obj, name, append(list, ']'))
}
