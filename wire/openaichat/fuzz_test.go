package openaichat

import (
	"testing"

	"github.com/stenolog/steno/wire/internal/wiretest"
)

// FuzzDecode holds whatever comes to the laws of a decoder: no panic, valid
// UTF-8, one end for each start, events that can be written, and the same
// events however the bytes are cut.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		deltas(`{"content":"a\ud83d"}`, `{"content":"\ude42<think>b</th"}`, `{"content":"ink>c"}`),
		deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}`) + stop + frames("[DONE]"),
		deltas(`{"reasoning":"a","reasoning_details":[{"type":"t","text":"a"}]}`, `{"annotations":[{"type":"x"}],"z":{"a":1}}`),
		frames(`{"error":{"message":"m","code":502}}`), `{"error":"m"}`, "data: {\"choices\":[{\"index\":1,\"message\":{\"content\":[{}]}}]}\r\n\r\nstray",
		`[{"choices":[{"text":"a"}],"usage":{"a":[1,2}}]`, "\xef\xbb\xbf{", "event: error\rdata: x\r\r", "data: [DONE]\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"\xff\":[1]}}],\"usage\":{\"\xfe\":1,\"\xff\":2}}\n\n",
	} {
		f.Add([]byte(seed), uint16(3), uint16(40), false)
		f.Add([]byte(seed), uint16(17), uint16(18), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, i, j uint16, think bool) {
		want, err := wiretest.Decode(&Decoder{InlineThink: think}, data)
		if err == nil {
			err = wiretest.Writable(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, b := int(i)%(len(data)+1), int(j)%(len(data)+1)
		got, err := wiretest.Decode(&Decoder{InlineThink: think}, data, min(a, b), max(a, b))
		if err != nil {
			t.Fatal(err)
		}
		if diff := wiretest.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
