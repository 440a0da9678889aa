package main

import (
	"bytes"
	"unsafe"

	"github.com/stenolog/steno"
)

// chain is what a careful programmer would write by hand for the one stream of
// W6: it frames, scans and folds without a copy, knows nothing but the members
// it needs and believes all of them.
type chain struct {
	floor   floorEngine
	rest    []byte
	scratch []byte
	base    uint32 // the part at index 0 of the current answer
	parts   uint32
}

var dataField = []byte("data: ")

func (c *chain) feed(p []byte) {
	if len(c.rest) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.rest = append(c.rest, p...)
			return
		}
		c.rest = append(c.rest, p[:i]...)
		c.line(c.rest)
		c.rest = c.rest[:0]
		p = p[i+1:]
	}
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.rest = append(c.rest, p...)
			return
		}
		c.line(p[:i])
		p = p[i+1:]
	}
}

func (c *chain) line(line []byte) {
	if data, ok := bytes.CutPrefix(line, dataField); ok {
		c.event(data)
	}
}

// event takes one event, whose type comes first.
func (c *chain) event(data []byte) {
	kind, rest := quoted(data)
	switch string(kind) {
	case "content_block_delta":
		index, rest := number(rest)
		c.scratch = c.scratch[:0]
		kind, rest := quoted(rest)
		text, _ := quoted(rest)
		if bytes.IndexByte(text, '\\') >= 0 {
			c.scratch = unescape(c.scratch, text)
			text = c.scratch
		}
		e := floorEvent{op: floorDelta, kind: deltaType(kind), part: c.base + index, text: unsafe.String(unsafe.SliceData(text), len(text))}
		c.floor.apply(&e)
	case "content_block_start":
		c.parts++
		e := floorEvent{op: floorStart, kind: steno.TextStart, part: c.parts - 1}
		c.floor.apply(&e)
	case "content_block_stop":
		index, _ := number(rest)
		e := floorEvent{op: floorEnd, part: c.base + index}
		c.floor.apply(&e)
	case "message_start":
		c.base = c.parts
	}
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

// quoted returns the next string value behind a colon, without its quotes.
func quoted(data []byte) (value, rest []byte) {
	for {
		i := bytes.IndexByte(data, ':')
		if i < 0 {
			return nil, nil
		}
		data = data[i+1:]
		if len(data) > 0 && data[0] == '"' {
			break
		}
	}
	end := 1
	for data[end] != '"' {
		if data[end] == '\\' {
			end++
		}
		end++
	}
	return data[1:end], data[end+1:]
}

// number returns the next number behind a colon.
func number(data []byte) (n uint32, rest []byte) {
	i := bytes.IndexByte(data, ':') + 1
	for ; i < len(data) && data[i] >= '0' && data[i] <= '9'; i++ {
		n = n*10 + uint32(data[i]-'0')
	}
	return n, data[i:]
}

// unescape does the one escape that the stream of W6 has.
func unescape(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		}
		dst = append(dst, text[i])
	}
	return dst
}
