package openaichat

import (
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/scan"
)

// calls are the tool calls of one choice.
type calls struct {
	order []*call
	// byKey finds the call a fragment goes on with: by its index, or by -1-n
	// for the n-th of those without index in its delta.
	byKey map[int64]*call
	// byID finds it for a fragment with an id and no index: the newest of that id.
	byID map[string]*call
	// pending is the newest call while it has no name yet.
	pending *call
}

// call is one tool call in the making.
type call struct {
	block, id, name string
	started         bool
	carry           scan.Carry
	held            []byte // arguments that came before the name
	opaque          grown  // provider data that must come back with the call
}

// legacyKey is the key of the one call that the deprecated function_call makes.
const legacyKey = math.MinInt64

// fragment is what one element of tool_calls holds, aliasing the frame.
type fragment struct {
	index, id, name, arguments []byte
}

// toolCall takes the element at position pos of a delta's tool_calls.
func (d *Decoder) toolCall(c *choice, data []byte, pos int64) {
	if !scan.IsObject(data) {
		return
	}
	var f fragment
	d.callExtra = d.callExtra[:0]
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "index":
			f.index = value
		case "id":
			f.id = value
		case "function", "custom":
			d.function(&f, value)
		case "type":
		default:
			if holds(value) || scan.IsString(value) {
				d.callExtra = append(d.callExtra, member{name, value})
			}
		}
		return true
	})
	d.fragment(c, d.find(c, &f, pos), &f)
}

// function reads what is called and with what.
func (d *Decoder) function(f *fragment, data []byte) {
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "name":
			f.name = value
		case "arguments", "input":
			f.arguments = value
		default:
			if holds(value) || scan.IsString(value) {
				d.callExtra = append(d.callExtra, member{name, value})
			}
		}
		return true
	})
}

func (d *Decoder) functionCall(c *choice, data []byte) {
	var f fragment
	d.callExtra = d.callExtra[:0]
	d.function(&f, data)
	k := c.calls.byKey[legacyKey]
	if k == nil {
		k = d.newCall(c, legacyKey)
	}
	d.fragment(c, k, &f)
}

// find returns the call a fragment belongs to. Missing, empty and null ids and
// names mean absent; a new id on a used index is a new call (semantics A12).
func (d *Decoder) find(c *choice, f *fragment, pos int64) *call {
	cs := &c.calls
	hasID := scan.IsString(f.id) && len(f.id) > len(`""`)
	index, indexed := scan.Int(f.index)
	if indexed && index >= 0 {
		k := cs.byKey[index]
		if k == nil || hasID && k.id != "" && !reads(f.id, k.id) {
			k = d.newCall(c, index)
		}
		return k
	}
	key := -1 - pos
	if hasID {
		if k := cs.newest(f.id); k != nil {
			return k
		}
		return d.newCall(c, key)
	}
	name := scan.String(f.name)
	switch k := cs.byKey[key]; {
	case k != nil && (name == "" || k.name == "" || k.name == name):
		return k
	case k == nil && name == "" && len(cs.order) > 0:
		return cs.order[len(cs.order)-1]
	}
	return d.newCall(c, key)
}

func (d *Decoder) newCall(c *choice, key int64) *call {
	cs := &c.calls
	k := &call{block: "call:" + strconv.Itoa(len(cs.order))}
	cs.order = append(cs.order, k)
	if cs.byKey == nil {
		cs.byKey = make(map[int64]*call)
	}
	cs.byKey[key] = k
	return k
}

// identify gives a call its id, if there is one.
func (cs *calls) identify(k *call, id string) {
	if id == "" {
		return
	}
	k.id = id
	if cs.byID == nil {
		cs.byID = make(map[string]*call)
	}
	cs.byID[id] = k
}

// newest returns the newest call of an id, or nil.
func (cs *calls) newest(id []byte) *call {
	if k := cs.byID[string(id[1:len(id)-1])]; k != nil {
		return k
	}
	return cs.byID[scan.String(id)]
}

// reads reports whether a string value reads text. Some servers repeat the id
// with every fragment, so it does not allocate where it is written the same.
func reads(value []byte, text string) bool {
	return string(value[1:len(value)-1]) == text || scan.String(value) == text
}

// fragment adds what came to its call.
func (d *Decoder) fragment(c *choice, k *call, f *fragment) {
	for _, m := range d.callExtra {
		k.opaque.addMember(m.name, m.value)
	}
	if c.field != fieldNone || c.open != kindCall {
		d.leave(c, kindCall)
	}
	if k.id == "" {
		c.calls.identify(k, scan.String(f.id))
	}
	if k.name == "" {
		k.name = scan.String(f.name)
	}
	switch {
	case scan.IsString(f.arguments):
		d.buf = scan.AppendString(d.buf[:0], f.arguments, &k.carry)
	case !scan.IsNull(f.arguments):
		// An object instead of its text: its bytes are the arguments.
		d.buf = scan.AppendText(d.buf[:0], f.arguments, &k.carry)
	default:
		d.buf = d.buf[:0]
	}
	if k.started {
		d.argue(c, k, d.buf)
		return
	}
	if c.calls.pending != k {
		d.startPending(c)
		c.calls.pending = k
	}
	k.held = append(k.held, d.buf...)
	if k.name != "" {
		d.startPending(c)
	}
}

// startPending starts the call that waits for its name. It waits no longer
// than until something else comes, for it has its place in the answer.
func (d *Decoder) startPending(c *choice) {
	k := c.calls.pending
	if k == nil {
		return
	}
	c.calls.pending = nil
	k.started = true
	d.send(steno.Event{
		Type: steno.ToolStart, Choice: c.index,
		Block: k.block, Call: k.id, Name: k.name, Body: d.callSeal(k),
	})
	d.argue(c, k, k.held)
	k.held = nil
}

// argue emits a piece of a call's arguments.
func (d *Decoder) argue(c *choice, k *call, args []byte) {
	if len(args) == 0 {
		return
	}
	d.ev = steno.Event{
		Type: steno.ToolDelta, Choice: c.index, Block: k.block, Call: k.id,
		Text: unsafe.String(unsafe.SliceData(args), len(args)),
	}
	d.emit(&d.ev)
}

// callSeal returns the provider's data of a call, or nil if there is none.
func (d *Decoder) callSeal(k *call) steno.Body {
	if len(k.opaque.fields) == 0 {
		return nil
	}
	return &steno.Seal{Opaque: k.opaque.append(nil), Provider: Format, Model: d.model}
}

// sealCalls seals the calls of an answer that has ended: all of them, save
// that of an answer that was cut off the last one may not be whole.
func (d *Decoder) sealCalls(c *choice, finish steno.Finish) {
	order := c.calls.order
	for i, k := range order {
		if k.carry.Pending() {
			var room [utf8.UTFMax]byte
			d.argue(c, k, k.carry.Flush(room[:0]))
		}
		if i == len(order)-1 && cutsOff(finish) {
			return
		}
		c.giveDetails(k)
		d.send(steno.Event{
			Type: steno.ToolCall, Choice: c.index,
			Block: k.block, Call: k.id, Name: k.name, Body: d.callSeal(k),
		})
	}
}

func cutsOff(f steno.Finish) bool {
	return f == steno.FinishLength || f == steno.FinishError || f == steno.FinishIncomplete
}
