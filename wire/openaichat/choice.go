package openaichat

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// refusalBlock is the block of a refusal, so that it is never joined with the
// text beside it.
const refusalBlock = "refusal"

// choice is one of the alternative answers of a response.
type choice struct {
	index uint32
	spoke bool // a delta said something
	stop  string

	field field      // the field the last delta of text came in
	carry scan.Carry // the cut character at its end
	think think
	open  kind // the part that takes the next delta of its kind

	refused bool
	details details
	// loose are details that came without reasoning. They may be a call's.
	loose  []*grown
	audio  grown
	extras extras
	calls  calls
}

// field is a growing string of the format.
type field uint8

const (
	fieldNone field = iota
	fieldReasoning
	fieldContent
	fieldRefusal
)

// kind is a kind of part.
type kind uint8

const (
	kindNone kind = iota
	kindReasoning
	kindText
	kindRefusal
	kindCall
	kindOther
)

// speak takes the next string of a field. Empty strings open nothing (semantics
// A5), and neither does what is no string.
func (d *Decoder) speak(c *choice, f field, value []byte) {
	if !scan.IsString(value) || len(value) <= len(`""`) {
		return
	}
	if c.field != f {
		d.leaveField(c)
		c.field = f
	}
	d.buf = scan.AppendString(d.buf[:0], value, &c.carry)
	d.hear(c, f, d.buf)
}

// hear gives decoded text to the part it belongs to.
func (d *Decoder) hear(c *choice, f field, text []byte) {
	switch f {
	case fieldReasoning:
		d.say(c, kindReasoning, text)
	case fieldRefusal:
		d.say(c, kindRefusal, text)
	case fieldContent:
		if d.InlineThink {
			d.splitThink(c, text)
			return
		}
		d.say(c, kindText, text)
	}
}

// say emits a delta, after closing what another kind closes.
func (d *Decoder) say(c *choice, k kind, text []byte) {
	if len(text) == 0 {
		return
	}
	if c.open != k {
		d.closePart(c, k)
	}
	d.ev = steno.Event{Type: steno.TextDelta, Choice: c.index, Text: unsafe.String(unsafe.SliceData(text), len(text))}
	switch k {
	case kindReasoning:
		d.ev.Type = steno.ReasoningDelta
	case kindRefusal:
		c.refused = true
		d.ev.Block = refusalBlock
	}
	d.emit(&d.ev)
}

// leaveField flushes what is held back for a field that takes no more for now.
func (d *Decoder) leaveField(c *choice) {
	f := c.field
	c.field = fieldNone
	if c.carry.Pending() {
		var room [utf8.UTFMax]byte
		d.hear(c, f, c.carry.Flush(room[:0]))
	}
	if f == fieldContent {
		d.flushThink(c)
	}
}

// leave closes what is open and opens a part of kind next.
func (d *Decoder) leave(c *choice, next kind) {
	d.leaveField(c)
	d.closePart(c, next)
}

// closePart gives out what waited for the end of the open part: an end with
// the provider's data for reasoning, and what may not interrupt a text.
func (d *Decoder) closePart(c *choice, next kind) {
	open := c.open
	c.open = next
	if open == kindNone && next == kindReasoning {
		return // details may come before the text they are about
	}
	if open == kindCall {
		d.startPending(c)
	}
	if len(c.details.list) > 0 {
		d.sealDetails(c, open == kindReasoning)
	}
	d.flushExtras(c)
}

// sealDetails passes on the reasoning details gathered so far with the
// reasoning they came with, or keeps them until it is known whose they are.
func (d *Decoder) sealDetails(c *choice, reasoning bool) {
	list := c.details.list
	c.details = details{}
	if !reasoning {
		c.loose = append(c.loose, list...)
		return
	}
	d.send(steno.Event{
		Type: steno.ReasoningEnd, Choice: c.index,
		Body: &steno.Seal{Opaque: detailsObject(list), Provider: Format, Model: d.model},
	})
}

// giveDetails moves the loose details that name a call to it.
func (c *choice) giveDetails(k *call) {
	var own, others []*grown
	for _, g := range c.loose {
		if k.id != "" && scan.String(g.field("id")) == k.id {
			own = append(own, g)
		} else {
			others = append(others, g)
		}
	}
	if len(own) > 0 {
		c.loose = others
		k.opaque.addMember([]byte("reasoning_details"), detailsArray(nil, own))
	}
}

// flushDetails makes a part of the details that are nobody's.
func (d *Decoder) flushDetails(c *choice) {
	if len(c.loose) > 0 {
		d.opaque(c.index, "reasoning_details", detailsObject(c.loose))
		c.loose = nil
	}
}

func (d *Decoder) flushExtras(c *choice) {
	if len(c.audio.fields) > 0 {
		d.opaque(c.index, "audio", c.audio.append(nil))
		c.audio = grown{}
	}
	d.emitExtras(c.index, &c.extras)
}

func (d *Decoder) emitExtras(choice uint32, x *extras) {
	items := x.items
	*x = extras{}
	for i := range items {
		item := &items[i]
		if !item.source {
			d.opaque(choice, item.name, raw.Value(item.raw))
			continue
		}
		scan.Array(item.raw, func(v []byte) bool {
			kind := item.name
			if s := scan.String(scan.Member(v, "type")); s != "" {
				kind = s
			}
			d.send(steno.Event{
				Type: steno.Source, Choice: choice,
				Body: &steno.Block{Kind: kind, Raw: raw.Value(v), Provider: Format, Model: d.model},
			})
			return true
		})
	}
}

// opaque passes on what has no place of its own. The kind may be a member's
// name as it stood on the wire.
func (d *Decoder) opaque(choice uint32, kind string, value jsontext.Value) {
	d.send(steno.Event{
		Type: steno.Opaque, Choice: choice,
		Body: &steno.Block{Kind: strings.ToValidUTF8(kind, "\uFFFD"), Raw: value, Provider: Format, Model: d.model},
	})
}
