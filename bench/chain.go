package main

import (
	"bytes"
	"unsafe"

	"github.com/stenolog/steno"
)

// chain is what a careful programmer would write by hand for the one stream of
// W6: it frames the events, walks the members it needs in whatever order they
// come, and folds, all without a copy. It knows one provider, checks nothing,
// keeps nothing, and believes every index.
type chain struct {
	floor floorEngine
	rest  []byte // the beginning of a line
	data  []byte // of the event being read
	text  []byte // unescaped
	base  uint32 // the part at index 0 of the current answer
	parts uint32
}

func (c *chain) feed(p []byte) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.rest = append(c.rest, p...)
			return
		}
		line := p[:i]
		if len(c.rest) > 0 {
			c.rest = append(c.rest, line...)
			line = c.rest
		}
		c.line(line)
		c.rest = c.rest[:0]
		p = p[i+1:]
	}
}

func (c *chain) line(line []byte) {
	if len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	switch {
	case len(line) == 0:
		if len(c.data) > 0 {
			c.event(c.data)
			c.data = c.data[:0]
		}
	case line[0] == 'd' && bytes.HasPrefix(line, dataField):
		c.data = append(c.data, line[len(dataField):]...)
	}
}

var dataField = []byte("data: ")

// members are what the chain needs of an event and of the delta in it.
type members struct {
	kind, deltaKind, text []byte
	index                 uint32
}

func (c *chain) event(data []byte) {
	var m members
	m.walk(data, 0)
	switch string(m.kind) {
	case "content_block_delta":
		e := floorEvent{op: floorDelta, kind: deltaType(m.deltaKind), part: c.base + m.index, text: c.unescaped(m.text)}
		c.floor.apply(&e)
	case "content_block_start":
		c.parts++
		e := floorEvent{op: floorStart, kind: steno.TextStart, part: c.parts - 1}
		c.floor.apply(&e)
	case "content_block_stop":
		e := floorEvent{op: floorEnd, part: c.base + m.index}
		c.floor.apply(&e)
	case "message_start":
		c.base = c.parts
	}
}

// walk reads the members of the object at i and returns where it ends.
func (m *members) walk(data []byte, i int) int {
	nested := i > 0
	for i++; data[i] != '}'; {
		if data[i] == ',' {
			i++
		}
		end := stringEnd(data, i)
		name := data[i+1 : end-1]
		i = end + 1
		switch data[i] {
		case '"':
			end = stringEnd(data, i)
			m.word(nested, name, data[i+1:end-1])
			i = end
		case '{':
			i = m.walk(data, i)
		default:
			i = m.other(name, data, i)
		}
	}
	return i + 1
}

func (m *members) word(nested bool, name, value []byte) {
	switch string(name) {
	case "type":
		if nested {
			m.deltaKind = value
		} else {
			m.kind = value
		}
	case "text", "thinking", "partial_json":
		m.text = value
	}
}

// other reads a number, a literal or an array without strings.
func (m *members) other(name, data []byte, i int) int {
	n := uint32(0)
	for ; data[i] != ',' && data[i] != '}'; i++ {
		n = n*10 + uint32(data[i]-'0')
	}
	if string(name) == "index" {
		m.index = n
	}
	return i
}

func stringEnd(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func deltaType(kind []byte) steno.Type {
	switch string(kind) {
	case "text_delta":
		return steno.TextDelta
	case "thinking_delta":
		return steno.ReasoningDelta
	}
	return steno.ToolDelta
}

// unescaped does the one escape that the stream of W6 has.
func (c *chain) unescaped(text []byte) string {
	if bytes.IndexByte(text, '\\') >= 0 {
		c.text = c.text[:0]
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			}
			c.text = append(c.text, text[i])
		}
		text = c.text
	}
	return unsafe.String(unsafe.SliceData(text), len(text))
}
