package openairesponses

import (
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/scan"
)

func (d *Decoder) argumentsDelta(m *message) {
	it := d.item(m.output, callItem)
	if it == nil {
		return
	}
	d.grow(steno.ToolDelta, it.block, it.arguments.add(m.delta))
}

func (d *Decoder) argumentsDone(m *message) {
	if it := d.item(m.output, callItem); it != nil && scan.IsString(m.whole) {
		it.whole = scan.String(m.whole)
	}
}

// sealCall ends a call. One that the answer was cut off in gets no end.
func (d *Decoder) sealCall(it *item, as []byte, done bool) {
	d.grow(steno.ToolDelta, it.block, it.arguments.rest())
	end := it.readCall(as, done)
	if end.cut {
		if rest, ok := strings.CutPrefix(end.arguments, string(it.arguments.text)); ok {
			d.grow(steno.ToolDelta, it.block, []byte(rest))
		}
		return
	}
	drop := []string{"status", "call_id", "name", "arguments", "input", "type"}
	if end.custom {
		drop = drop[:len(drop)-1]
	}
	seal := d.opaque(as, nil, drop...)
	if seal == nil {
		seal = &steno.Seal{}
	}
	seal.Executor, seal.Freeform = steno.ExecutorClient, end.custom
	e := steno.Event{Type: steno.ToolCall, Block: it.block, Call: it.call, Name: it.name, Body: seal}
	if len(it.arguments.text) == 0 {
		d.grow(steno.ToolDelta, it.block, []byte(end.arguments))
	} else if end.arguments != string(it.arguments.text) {
		e.Whole, e.Text = true, end.arguments
	}
	d.send(e)
}

// callEnd is what a call's item says of it in the end.
type callEnd struct {
	arguments string
	custom    bool // a custom_tool_call
	cut       bool // the answer was cut off in it
}

// readCall reads the item of a call as it stood last. The arguments of an item
// that is done hold, else those of the done event, else what was streamed, else
// what an item that was only added began with. The id and name of the start
// hold (semantics A12).
func (it *item) readCall(as []byte, done bool) callEnd {
	end := callEnd{arguments: string(it.arguments.text)}
	if it.whole != "" {
		end.arguments = it.whole
	}
	scan.Object(as, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			end.custom = scan.String(value) == "custom_tool_call"
		case "status":
			end.cut = done && scan.String(value) == "incomplete"
		case "call_id":
			if it.call == "" {
				it.call = scan.String(value)
			}
		case "name":
			if it.name == "" {
				it.name = scan.String(value)
			}
		case "arguments", "input":
			if text := scan.String(value); text != "" && (done || end.arguments == "") {
				end.arguments = text
			}
		}
		return true
	})
	return end
}
