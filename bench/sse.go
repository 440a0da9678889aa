package main

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/sse"
	"github.com/stenolog/steno/wire/anthropic"
)

// segment is how many bytes a read gives: a TCP segment's.
const segment = 1448

// bytesToSlot is W6: the turn of W3 as a provider's bytes. The chain beside it
// does the same by hand for this one stream.
func bytesToSlot(n int) []line {
	stream := answers()
	r := interleave(n, []variant{
		{name: "chain", deltas: mixedDeltas, setup: func() func() {
			var c chain
			c.floor.told = func(f floorChange) { last(f.text) }
			return func() { inSegments(stream, c.feed) }
		}},
		{name: "frames", deltas: mixedDeltas, setup: func() func() {
			var reader sse.Reader
			take := func(e sse.Event) { seen += len(e.Data) }
			return func() {
				inSegments(stream, func(p []byte) {
					if err := reader.Feed(p, take); err != nil {
						panic(err)
					}
				})
			}
		}},
		{name: "decoder", deltas: mixedDeltas, setup: func() func() {
			var d anthropic.Decoder
			take := func(e *steno.Event) { seen += len(e.Text) }
			return func() { inSegments(stream, func(p []byte) { d.Decode(p, take) }) }
		}},
		wireVariant("ours", stream),
	})
	part := func(work, name string) line {
		return line{work: work, ours: duration(r.ns(name)), base: duration(r.ns("chain")), ratio: fmt.Sprintf("%.2f chains", r.ratio(name, "chain"))}
	}
	return []line{
		r.compare("W6 bytes to slot", "ours", "chain", "chains", 4),
		part("W6 of it: framing", "frames"), part("W6 of it: framing and decoding", "decoder"),
		count("W6 allocations a delta", r.allocs("ours"), "", 0.25),
	}
}

// wireVariant is the whole way, from a provider's bytes to a reader.
func wireVariant(name string, stream []byte) variant {
	return variant{name: name, deltas: mixedDeltas, setup: func() func() {
		var d anthropic.Decoder
		p := newPath()
		p.read()
		take := func(e *steno.Event) { p.norm.Normalise(e, p.take) }
		return func() { inSegments(stream, func(b []byte) { d.Decode(b, take) }) }
	}}
}

func inSegments(stream []byte, feed func([]byte)) {
	for len(stream) > 0 {
		n := min(segment, len(stream))
		feed(stream[:n])
		stream = stream[n:]
	}
}

// answers is W3 as its provider would send it: two answers a round. What the
// tools gave is no part of it.
func answers() []byte {
	var b []byte
	index := make(map[string]int)
	for _, e := range mixed() {
		i := index[e.Block]
		switch e.Type {
		case steno.StepStart:
			clear(index)
			b = frame(b, "message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":25,"output_tokens":1}}`)
		case steno.TextStart:
			index[e.Block] = len(index)
			b = blockStart(b, index[e.Block], `{"type":"text","text":""}`)
		case steno.ReasoningStart:
			index[e.Block] = len(index)
			b = blockStart(b, index[e.Block], `{"type":"thinking","thinking":"","signature":""}`)
		case steno.ToolStart:
			index[e.Block] = len(index)
			b = blockStart(b, index[e.Block], `{"type":"tool_use","id":"`+e.Call+`","name":"`+e.Name+`","input":{}}`)
		case steno.TextDelta:
			b = blockDelta(b, i, "text_delta", "text", e.Text)
		case steno.ReasoningDelta:
			b = blockDelta(b, i, "thinking_delta", "thinking", e.Text)
		case steno.ToolDelta:
			b = blockDelta(b, i, "input_json_delta", "partial_json", e.Text)
		case steno.TextEnd, steno.ReasoningEnd, steno.ToolCall:
			b = frame(b, "content_block_stop", `"index":`+strconv.Itoa(i))
		case steno.StepEnd:
			b = frame(b, "message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":500}`)
			b = frame(b, "message_stop", "")
		}
	}
	return b
}

func blockStart(b []byte, index int, block string) []byte {
	return frame(b, "content_block_start", `"index":`+strconv.Itoa(index)+`,"content_block":`+block)
}

func blockDelta(b []byte, index int, kind, field, text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic(err)
	}
	return frame(b, "content_block_delta", `"index":`+strconv.Itoa(index)+`,"delta":{"type":"`+kind+`","`+field+`":`+string(quoted)+`}`)
}

func frame(b []byte, kind, members string) []byte {
	b = append(b, "event: "+kind+"\ndata: {\"type\":\""+kind+"\""...)
	if members != "" {
		b = append(b, ',')
		b = append(b, members...)
	}
	return append(b, "}\n\n"...)
}
