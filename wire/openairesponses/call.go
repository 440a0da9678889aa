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

// sealCall ends a call. The arguments of the done item hold, else those of the
// done event, else what was streamed, else what an item that was only added
// began with. A call that the answer was cut off in gets no end.
func (d *Decoder) sealCall(it *item, as []byte, done bool) {
	d.grow(steno.ToolDelta, it.block, it.arguments.rest())
	arguments := string(it.arguments.text)
	if it.whole != "" {
		arguments = it.whole
	}
	custom, cut := false, false
	scan.Object(as, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			custom = scan.String(value) == "custom_tool_call"
		case "status":
			cut = done && scan.String(value) == "incomplete"
		case "call_id":
			if it.call == "" {
				it.call = scan.String(value)
			}
		case "name":
			if it.name == "" {
				it.name = scan.String(value)
			}
		case "arguments", "input":
			if text := scan.String(value); text != "" && (done || arguments == "") {
				arguments = text
			}
		}
		return true
	})
	if cut {
		if rest, ok := strings.CutPrefix(arguments, string(it.arguments.text)); ok {
			d.grow(steno.ToolDelta, it.block, []byte(rest))
		}
		return
	}
	drop := []string{"status", "call_id", "name", "arguments", "input", "type"}
	if custom {
		drop = drop[:len(drop)-1]
	}
	seal := d.opaque(as, nil, drop...)
	if seal == nil {
		seal = &steno.Seal{}
	}
	seal.Executor = steno.Client
	e := steno.Event{Type: steno.ToolCall, Block: it.block, Call: it.call, Name: it.name, Body: seal}
	if len(it.arguments.text) == 0 {
		d.grow(steno.ToolDelta, it.block, []byte(arguments))
	} else if arguments != string(it.arguments.text) {
		e.Whole, e.Text = true, arguments
	}
	d.send(e)
}
