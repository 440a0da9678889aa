package openairesponses

import (
	"strings"
	"testing"

	"github.com/stenolog/steno"
)

// TestDeltasDoNotAllocate holds deltas of every kind to their price, amortised
// over the growth of what is kept to be compared with the done item.
func TestDeltasDoNotAllocate(t *testing.T) {
	tests := map[string]string{
		"text":      `response.output_text.delta "item_id":"msg_1","output_index":0,"content_index":0,"delta":"some words, \u00e9","logprobs":[],"obfuscation":"xyz"`,
		"refusal":   `response.refusal.delta "item_id":"msg_1","output_index":1,"content_index":0,"delta":"some words"`,
		"summary":   `response.reasoning_summary_text.delta "item_id":"rs_1","output_index":2,"summary_index":0,"delta":"some words"`,
		"reasoning": `response.reasoning_text.delta "item_id":"rs_1","output_index":3,"content_index":0,"delta":"some words"`,
		"arguments": `response.function_call_arguments.delta "item_id":"fc_1","output_index":4,"delta":"{\"a\":"`,
	}
	for name, delta := range tests {
		t.Run(name, func(t *testing.T) {
			const n = 1000
			d := new(Decoder)
			events := 0
			emit := func(*steno.Event) { events++ }
			in := []byte(stream(strings.Split(strings.Repeat(delta+"\x00", n), "\x00")[:n]...))
			d.Decode(in, emit)
			if got := testing.AllocsPerRun(20, func() { d.Decode(in, emit) }); got > 2 {
				t.Errorf("%v allocations for %d deltas", got, n)
			}
			if events < 22*n {
				t.Errorf("only %d events", events)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	delta := `response.output_text.delta "item_id":"msg_1","output_index":0,"content_index":0,"delta":"some words"`
	in := []byte(stream(strings.Split(strings.Repeat(delta+"\x00", 1000), "\x00")[:1000]...))
	emit := func(*steno.Event) {}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		d := new(Decoder)
		d.Decode(in, emit)
		d.Close(emit)
	}
}
