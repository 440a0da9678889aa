package openaichat

import (
	"strings"
	"testing"

	"github.com/stenolog/steno"
)

// TestDeltasDoNotAllocate holds deltas of every kind to their price: nothing
// is allocated for one more of them.
func TestDeltasDoNotAllocate(t *testing.T) {
	tests := map[string]string{
		"text":              `{"content":"some words and an \u00e9"}`,
		"reasoning_content": `{"reasoning_content":"some words","content":null}`,
		"reasoning":         `{"role":"assistant","content":"","reasoning":"some words","channel":"analysis"}`,
		"arguments":         `{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}`,
		"without index":     `{"tool_calls":[{"function":{"arguments":"{\"a\":"}}]}`,
		"id and name again": `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]}`,
		"id and no index":   `{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":"}}]}`,
		"content items":     `{"content":[{"type":"text","text":"some words"}]}`,
		"half a character":  `{"content":"\ud83d"}`,
	}
	for name, delta := range tests {
		t.Run(name, func(t *testing.T) {
			const n = 100
			d := new(Decoder)
			events := 0
			emit := func(*steno.Event) { events++ }
			d.Decode([]byte(deltas(`{"content":"a"}`)), emit)
			if strings.Contains(delta, "tool_calls") {
				d.Decode([]byte(deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}`)), emit)
			}
			chunk := `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"fp",` +
				`"choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":null}],"usage":null}`
			in := []byte(strings.Repeat(frames(chunk), n))
			got := testing.AllocsPerRun(20, func() { d.Decode(in, emit) })
			if got > 0 {
				t.Errorf("%v allocations for %d deltas", got, n)
			}
			if events < n {
				t.Errorf("only %d events", events)
			}
		})
	}
}

// TestReasoningDetailsGrow holds details, which repeat the reasoning they come
// with, to an amortised price.
func TestReasoningDetailsGrow(t *testing.T) {
	d := new(Decoder)
	emit := func(*steno.Event) {}
	in := []byte(strings.Repeat(deltas(`{"reasoning":"word ","reasoning_details":[{"type":"reasoning.text","text":"word ","format":"f","index":0}]}`), 100))
	d.Decode(in, emit)
	if got := testing.AllocsPerRun(50, func() { d.Decode(in, emit) }); got > 2 {
		t.Errorf("%v allocations for 100 deltas", got)
	}
}

func BenchmarkDecode(b *testing.B) {
	in := []byte(strings.Repeat(deltas(`{"content":"some words"}`), 1000))
	emit := func(*steno.Event) {}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		d := new(Decoder)
		d.Decode(in, emit)
		d.Close(emit)
	}
}
