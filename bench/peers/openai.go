package main

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
)

const (
	chunkHead = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":`
	chunkTail = `,"logprobs":null,"finish_reason":null}]}`
)

// openaiPeers add decoded chunks. A completion has one text, so the parts of W2
// are tool calls.
func openaiPeers() []peer {
	var before, more []openai.ChatCompletionChunk
	for i := range 1000 {
		before = append(before, chunk(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":"read_file","arguments":%q}}]}`, i, i, arguments))
	}
	for i := range 10_000 {
		more = append(more, chunk(`{"content":%q}`, deltas[i&255]))
	}
	return []peer{{"openai-go W2", 10_000, func() func() {
		a := &openai.ChatCompletionAccumulator{}
		add(a, before)
		return func() { add(a, more) }
	}}}
}

func chunk(format string, args ...any) (c openai.ChatCompletionChunk) {
	must(json.Unmarshal([]byte(chunkHead+fmt.Sprintf(format, args...)+chunkTail), &c))
	return c
}

func add(a *openai.ChatCompletionAccumulator, chunks []openai.ChatCompletionChunk) {
	for _, c := range chunks {
		if !a.AddChunk(c) {
			panic("a chunk was refused")
		}
	}
}
