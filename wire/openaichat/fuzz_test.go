package openaichat

import (
	"testing"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		deltas(`{"content":"a\ud83d"}`, `{"content":"\ude42<think>b</th"}`, `{"content":"ink>c"}`),
		deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}`) + stop + frames("[DONE]"),
		deltas(`{"reasoning":"a","reasoning_details":[{"type":"t","text":"a"}]}`, `{"annotations":[{"type":"x"}],"z":{"a":1}}`),
		frames(`{"error":{"message":"m","code":502}}`), `{"error":"m"}`, "data: {\"choices\":[{\"index\":1,\"message\":{\"content\":[{}]}}]}\r\n\r\nstray",
		`[{"choices":[{"text":"a"}],"usage":{"a":[1,2}}]`, "\xef\xbb\xbf{", "event: error\rdata: x\r\r", "data: [DONE]\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"\xff\":[1]}}],\"usage\":{\"\xfe\":1,\"\xff\":2}}\n\n",
	} {
		f.Add([]byte(seed), uint16(3), false)
		f.Add([]byte(seed), uint16(17), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint16, think bool) {
		wiretest.Fuzz(t, func() wire.Decoder { return &Decoder{InlineThink: think} }, data, int(n)+1)
	})
}
