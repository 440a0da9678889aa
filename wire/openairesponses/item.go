package openairesponses

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

type itemKind uint8

const (
	messageItem itemKind = iota
	reasoningItem
	callItem
	opaqueItem
)

func kindOf(wire string) itemKind {
	switch wire {
	case "message":
		return messageItem
	case "reasoning":
		return reasoningItem
	case "function_call", "custom_tool_call":
		return callItem
	}
	return opaqueItem
}

// item is the state of one output item.
type item struct {
	kind   itemKind
	output int64
	block  string // name of the block, or of the text blocks before the dot
	sealed bool
	last   []byte // the item as it stood last, for what is sealed without a done
	id     string // the item's id when it was sealed

	texts []*textPart         // message, in order of appearance
	at    map[int64]*textPart // message, by content index

	summary, content growing // reasoning
	mixed            bool    // a summary came after content: joined they differ

	call      string  // id of the call
	name      string  // name of the tool
	arguments growing // call
	whole     string  // call: the arguments a done event gave

	wire string         // opaque: the provider's word for the item
	raw  jsontext.Value // opaque: the item, once it is done
}

// growing is a text that comes in deltas.
type growing struct {
	text  []byte
	carry scan.Carry
}

// add appends a delta and returns the text it completes, which aliases the
// text so far and stays valid until the next call.
func (g *growing) add(delta []byte) []byte {
	n := len(g.text)
	g.text = scan.AppendString(g.text, delta, &g.carry)
	return g.text[n:]
}

// rest returns what stands for a character that will not be completed.
func (g *growing) rest() []byte {
	n := len(g.text)
	g.text = g.carry.Flush(g.text)
	return g.text[n:]
}

// item returns the item of an index, or begins one of the kind that the event
// implies, where no item was named or one of another kind. It returns nil after
// the end of the answer.
func (d *Decoder) item(output int64, implied itemKind) *item {
	if d.answer.over {
		return nil
	}
	if it := d.answer.items[output]; it != nil && it.kind == implied {
		return it
	}
	return d.newItem(output, implied, nil)
}

func (d *Decoder) newItem(output int64, kind itemKind, as []byte) *item {
	d.start()
	it := &item{kind: kind, output: output, block: strconv.FormatInt(output, 10)}
	if old := d.answer.items[output]; old != nil {
		// Some proxies give every item the same index.
		it.block += "#" + strconv.Itoa(len(d.answer.order))
	}
	d.answer.items[output] = it
	d.answer.order = append(d.answer.order, it)
	it.last = bytes.Clone(as)
	switch kind {
	case reasoningItem:
		d.send(steno.Event{Type: steno.ReasoningStart, Block: it.block})
	case callItem:
		it.call = scan.String(scan.Member(as, "call_id"))
		it.name = scan.String(scan.Member(as, "name"))
		d.send(steno.Event{Type: steno.ToolStart, Block: it.block, Call: it.call, Name: it.name, Body: clientSeal})
	case opaqueItem:
		it.wire = scan.String(scan.Member(as, "type"))
		d.answer.waiting = append(d.answer.waiting, it)
	}
	return it
}

var clientSeal = &steno.Seal{Executor: steno.ExecutorClient}

// itemAdded begins an item. A message shows only when its text begins.
func (d *Decoder) itemAdded(m *message) {
	if d.answer.over || !scan.IsObject(m.item) {
		return
	}
	d.newItem(m.output, kindOf(scan.String(scan.Member(m.item, "type"))), m.item)
}

// itemDone ends an item with what is said of it last and with authority.
func (d *Decoder) itemDone(m *message) {
	if d.answer.over || !scan.IsObject(m.item) {
		return
	}
	kind := kindOf(scan.String(scan.Member(m.item, "type")))
	id := scan.String(scan.Member(m.item, "id"))
	it := d.answer.items[m.output]
	switch {
	case it == nil || it.kind != kind || it.sealed && it.id != id:
		it = d.newItem(m.output, kind, m.item)
	case it.sealed:
		return // said twice
	}
	it.id = id
	d.seal(it, m.item)
}

// seal ends an item; done is the item as it stood then, or nil where the
// answer ended without saying so.
func (d *Decoder) seal(it *item, done []byte) {
	if it.sealed {
		return
	}
	as := done
	if done == nil {
		as = it.last
	}
	switch it.kind {
	case messageItem:
		d.sealMessage(it, as)
	case reasoningItem:
		d.sealReasoning(it, as)
	case callItem:
		d.sealCall(it, as, done != nil)
	case opaqueItem:
		it.raw = raw.Value(as)
		d.drain()
	}
	it.sealed = true
	it.last = nil
}

// drain passes on the opaque items that are done, in order of appearance: one
// that is done early waits for those before it.
func (d *Decoder) drain() {
	w := d.answer.waiting
	for len(w) > 0 && w[0].raw != nil {
		d.sendOpaque(w[0])
		w = w[1:]
	}
	d.answer.waiting = w
}

func (d *Decoder) sendOpaque(it *item) {
	whole := it.raw
	if whole == nil {
		whole = raw.Value(it.last)
	}
	d.send(steno.Event{Type: steno.Opaque, Block: it.block, Body: &steno.Block{
		Kind: it.wire, Raw: whole, Provider: Format, Model: d.answer.model,
	}})
}

// opaque makes the data that has to come back with an item: the item without
// what stands elsewhere (drop) and without nulls. It returns nil where nothing
// is left.
func (d *Decoder) opaque(done []byte, extra func([]byte) []byte, drop ...string) *steno.Seal {
	obj := []byte{'{'}
	scan.Object(done, func(name, value []byte) bool {
		if scan.IsNull(value) || slices.Contains(drop, string(name)) {
			return true
		}
		obj = raw.Member(obj, string(name), value)
		return true
	})
	if extra != nil {
		obj = extra(obj)
	}
	if len(obj) == 1 {
		return nil
	}
	obj = append(obj, '}')
	kept := jsontext.Value(obj)
	if !kept.IsValid() {
		kept = append(raw.Member([]byte{'{'}, "item", done), '}')
	}
	return &steno.Seal{Opaque: kept, Provider: Format, Model: d.answer.model}
}
