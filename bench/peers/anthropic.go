package main

import (
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"
)

const messageStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":1}}}`

// anthropicPeers accumulate events that were decoded before (W2), and decode
// them first (W3).
func anthropicPeers() []peer {
	wide, more := decoded(finished(1000)), decoded(growing(1000, 10_000))
	mixed := mixedTurn()
	return []peer{
		{"anthropic-sdk-go W2", 10_000, func() func() {
			m := newMessage(wide)
			return func() {
				for i := range more {
					must(m.Accumulate(more[i]))
				}
			}
		}},
		{"anthropic-sdk-go decode and accumulate W3", 21_000, func() func() {
			m := newMessage(nil)
			return func() {
				for i := range mixed {
					var e anthropic.MessageStreamEventUnion
					must(json.Unmarshal(mixed[i], &e))
					must(m.Accumulate(e))
				}
			}
		}},
	}
}

func newMessage(before []anthropic.MessageStreamEventUnion) *anthropic.Message {
	m := &anthropic.Message{}
	for _, e := range append(decoded([][]byte{[]byte(messageStart)}), before...) {
		must(m.Accumulate(e))
	}
	return m
}

func decoded(stream [][]byte) []anthropic.MessageStreamEventUnion {
	out := make([]anthropic.MessageStreamEventUnion, len(stream))
	for i := range stream {
		must(json.Unmarshal(stream[i], &out[i]))
	}
	return out
}

func blockStart(i int, block string) []byte {
	return fmt.Appendf(nil, `{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func blockDelta(i int, kind, field, text string) []byte {
	return fmt.Appendf(nil, `{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%q}}`, i, kind, field, text)
}

func blockStop(i int) []byte {
	return fmt.Appendf(nil, `{"type":"content_block_stop","index":%d}`, i)
}

// kinds are the blocks that take turns in a finished message.
var kinds = []struct{ start, delta, field string }{
	{`{"type":"text","text":""}`, "text_delta", "text"},
	{`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking"},
	{`{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}`, "input_json_delta", "partial_json"},
}

func finished(m int) (out [][]byte) {
	for i := range m {
		k, text := kinds[i%3], prose
		if i%3 == 2 {
			text = arguments
		}
		out = append(out, blockStart(i, k.start), blockDelta(i, k.delta, k.field, text), blockStop(i))
	}
	return out
}

func growing(m, n int) [][]byte { return run(nil, m, 0, n) }

func run(out [][]byte, index, kind, n int) [][]byte {
	k := kinds[kind]
	out = append(out, blockStart(index, k.start))
	for i := range n {
		out = append(out, blockDelta(index, k.delta, k.field, deltas[i&255]))
	}
	return append(out, blockStop(index))
}

func mixedTurn() (out [][]byte) {
	p := 0
	for range 20 {
		out = run(out, p, 1, 300)
		out = run(out, p+1, 0, 100)
		p += 2
		for t := range 3 {
			out = append(out, blockStart(p+t, kinds[2].start))
		}
		for i := range 50 {
			for t := range 3 {
				out = append(out, blockDelta(p+t, kinds[2].delta, kinds[2].field, arguments[i*4:i*4+4]))
			}
		}
		for t := range 3 {
			out = append(out, blockStop(p+t))
		}
		out = run(out, p+3, 0, 500)
		p += 4
	}
	return out
}
