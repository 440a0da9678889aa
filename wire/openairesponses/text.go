package openairesponses

import (
	"strconv"
	"unsafe"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// textPart is one content part of a message.
type textPart struct {
	growing
	block       string
	whole       []byte // the text of the done event, unescaped
	hasWhole    bool
	annotations int
	foreign     bool // no text of ours; kept raw
	kept        bool // a foreign part was passed on
}

// text returns the part an event belongs to and begins it if it is new.
func (d *Decoder) text(m *message, refusal bool) *textPart {
	it := d.item(m.output, messageItem)
	if it == nil {
		return nil
	}
	if p := it.at[m.content]; p != nil {
		return p
	}
	p := d.newText(it, m.content, refusal)
	d.send(steno.Event{Type: steno.TextStart, Block: p.block})
	return p
}

func (d *Decoder) newText(it *item, content int64, refusal bool) *textPart {
	p := &textPart{block: it.block + "." + strconv.FormatInt(content, 10)}
	if it.at == nil {
		it.at = make(map[int64]*textPart)
	}
	it.at[content] = p
	it.texts = append(it.texts, p)
	d.answer.refused = d.answer.refused || refusal
	return p
}

func (d *Decoder) textDelta(m *message, refusal bool) {
	p := d.text(m, refusal)
	if p == nil {
		return
	}
	d.grow(steno.TextDelta, p.block, p.add(m.delta))
}

// grow passes a delta on. The text is borrowed: it aliases the decoder's own.
func (d *Decoder) grow(t steno.Type, block string, text []byte) {
	if len(text) == 0 {
		return
	}
	d.send(steno.Event{Type: t, Block: block, Text: unsafe.String(&text[0], len(text))})
}

// partAdded begins a content part, empty as it may stay.
func (d *Decoder) partAdded(m *message) {
	if it := d.answer.items[m.output]; it != nil && it.kind != messageItem {
		return // the content of a reasoning item comes in deltas of its own
	}
	switch kind := scan.String(scan.Member(m.part, "type")); kind {
	case "output_text", "text":
		if p := d.text(m, false); p != nil {
			d.grow(steno.TextDelta, p.block, p.add(scan.Member(m.part, "text")))
		}
	case "refusal":
		if p := d.text(m, true); p != nil {
			d.grow(steno.TextDelta, p.block, p.add(scan.Member(m.part, "refusal")))
		}
	case "reasoning_text":
	default:
		if it := d.item(m.output, messageItem); it != nil && it.at[m.content] == nil {
			d.newText(it, m.content, false).foreign = true
		}
	}
}

func (d *Decoder) textDone(m *message) {
	if p := d.text(m, string(m.kind) == "response.refusal.done"); p != nil && scan.IsString(m.whole) {
		d.said(p, m.whole)
	}
}

// said takes the whole text of a part. Where nothing was streamed of it, it is
// the one delta. An empty one says nothing: it takes no streamed text away.
func (d *Decoder) said(p *textPart, value []byte) {
	if len(value) <= len(`""`) {
		return
	}
	if len(p.text) == 0 {
		d.grow(steno.TextDelta, p.block, p.add(value))
	}
	p.whole, p.hasWhole = scan.AppendString(p.whole[:0], value, nil), true
}

// partDone takes a content part as it stands in the end.
func (d *Decoder) partDone(m *message) {
	if it := d.answer.items[m.output]; it != nil && it.kind != messageItem {
		return
	}
	d.settle(m, m.part)
}

// settle compares what was streamed of a part with the part itself.
func (d *Decoder) settle(m *message, part []byte) {
	var text []byte
	refusal := false
	switch scan.String(scan.Member(part, "type")) {
	case "output_text", "text":
		text = scan.Member(part, "text")
	case "refusal":
		text, refusal = scan.Member(part, "refusal"), true
	case "reasoning_text":
		return
	default:
		d.settleForeign(m, part)
		return
	}
	p := d.text(m, refusal)
	if p == nil {
		return
	}
	if !p.hasWhole && scan.IsString(text) {
		d.said(p, text)
	}
	n := 0
	scan.Array(scan.Member(part, "annotations"), func(value []byte) bool {
		if n++; n > p.annotations {
			p.annotations = n
			d.source(p, value)
		}
		return true
	})
}

func (d *Decoder) settleForeign(m *message, part []byte) {
	it := d.item(m.output, messageItem)
	if it == nil {
		return
	}
	p := it.at[m.content]
	if p == nil {
		p = d.newText(it, m.content, false)
		p.foreign = true
	}
	if p.kept {
		return
	}
	p.kept = true
	d.send(steno.Event{Type: steno.Opaque, Block: p.block, Body: &steno.Block{
		Kind: scan.String(scan.Member(part, "type")), Raw: raw.Value(part), Provider: Format, Model: d.answer.model,
	}})
}

func (d *Decoder) annotated(m *message) {
	if p := d.text(m, false); p != nil && len(m.annotation) > 0 {
		p.annotations++
		d.source(p, m.annotation)
	}
}

func (d *Decoder) source(p *textPart, annotation []byte) {
	d.send(steno.Event{Type: steno.Source, Block: p.block, Body: &steno.Block{
		Kind: scan.String(scan.Member(annotation, "type")), Raw: raw.Value(annotation),
		Provider: Format, Model: d.answer.model,
	}})
}

// sealMessage ends the texts of a message. Content that was never streamed is
// taken from the item itself.
func (d *Decoder) sealMessage(it *item, done []byte) {
	content := int64(0)
	scan.Array(scan.Member(done, "content"), func(part []byte) bool {
		d.settle(&message{output: it.output, content: content}, part)
		content++
		return true
	})
	seal := d.opaque(done, nil, "type", "status", "role", "content")
	for _, p := range it.texts {
		if p.foreign {
			continue
		}
		d.grow(steno.TextDelta, p.block, p.rest())
		e := steno.Event{Type: steno.TextEnd, Block: p.block}
		if p.hasWhole && string(p.whole) != string(p.text) {
			e.Whole, e.Text = true, string(p.whole)
		}
		if seal != nil {
			e.Body = seal
		}
		d.send(e)
	}
}
