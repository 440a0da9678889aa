package bedrock_test

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/bedrock"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// encode makes a message of the binary encoding.
func encode(headers, payload string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(headers)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(out, headers...)
	out = append(out, payload...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

func header(name, value string) string {
	return string([]byte{byte(len(name))}) + name + "\x07" + string([]byte{byte(len(value) >> 8), byte(len(value))}) + value
}

func event(name, payload string) []byte {
	return encode(header(":event-type", name)+header(":content-type", "application/json")+header(":message-type", "event"), payload)
}

func chunk(payload string) []byte {
	return event("chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(payload))+`","p":"abc"}`)
}

func stream(messages ...[]byte) []byte {
	var out []byte
	for _, m := range messages {
		out = append(out, m...)
	}
	return out
}

const (
	opened     = `{"type":"step-start","body":{"provider":"bedrock"}}`
	incomplete = `{"type":"step-end","body":{"finish":"incomplete"}}`
	failed     = `{"type":"step-end","body":{"finish":"error"}}`
)

var start = event("messageStart", `{"role":"assistant"}`)

func delta(payload string) []byte { return event("contentBlockDelta", payload) }

func TestDecoder(t *testing.T) {
	hi := delta(`{"contentBlockIndex":0,"delta":{"text":"hi"},"p":"ab"}`)
	hiEvents := []string{`{"type":"text-start","block":"0"}`, `{"type":"text-delta","block":"0","text":"hi"}`}
	end0 := event("contentBlockStop", `{"contentBlockIndex":0}`)
	join := func(parts ...[]string) (out []string) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	one := func(s ...string) []string { return s }
	broken := encode("", "x")
	broken[len(broken)-1]++
	for _, test := range []struct {
		name string
		in   []byte
		want []string
	}{
		{"nothing", nil, nil},
		{"a bare end", stream(start, hi), join(one(opened), hiEvents, one(incomplete))},
		{"an end within a message", append(stream(start, hi), end0[:20]...), join(one(opened), hiEvents, one(incomplete))},
		{
			"stop without metadata", stream(start, hi, end0, event("messageStop", `{"stopReason":"max_tokens"}`)),
			join(one(opened), hiEvents, one(`{"type":"text-end","block":"0"}`, `{"type":"step-end","body":{"finish":"length","stop":"max_tokens"}}`)),
		},
		{
			"usage comes after the stop", stream(start, event("messageStop", `{"stopReason":"end_turn"}`), event("metadata", `{"usage":{"inputTokens":1},"metrics":{}}`)),
			one(opened, `{"type":"step-end","body":{"finish":"complete","stop":"end_turn","usage":{"inputTokens":1}}}`),
		},
		{
			"usage before the stop", stream(start, event("metadata", `{"usage":{"inputTokens":1}}`), event("messageStop", `{"stopReason":"end_turn"}`)),
			one(opened, `{"type":"step-end","body":{"finish":"complete","stop":"end_turn","usage":{"inputTokens":1}}}`),
		},
		{
			"A15 a surrogate pair in two deltas", stream(start, delta(`{"contentBlockIndex":0,"delta":{"text":"\ud83d"}}`), delta(`{"contentBlockIndex":0,"delta":{"text":"\ude42"}}`)),
			one(opened, `{"type":"text-start","block":"0"}`, `{"type":"text-delta","block":"0","text":"🙂"}`, incomplete),
		},
		{
			"reasoning with all it can have", stream(start, delta(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"a"}}}`),
				delta(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s"}}}`), delta(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"r"}}}`), end0),
			one(opened, `{"type":"reasoning-start","block":"0"}`, `{"type":"reasoning-delta","block":"0","text":"a"}`,
				`{"type":"reasoning-end","block":"0","body":{"opaque":{"signature":"s","redactedContent":"r"},"provider":"bedrock"}}`, incomplete),
		},
		{
			"a result in two deltas that is an error", stream(start, event("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolResult":{"toolUseId":"t","status":"error","type":"x_result"}}}`),
				delta(`{"contentBlockIndex":0,"delta":{"toolResult":[{"text":"a"}]}}`), delta(`{"contentBlockIndex":0,"delta":{"toolResult":[{"text":"b"},{"json":{}}]}}`), end0),
			one(opened, `{"type":"tool-result","block":"0","call":"t","body":{"isError":true,"outcome":"error","raw":[{"text":"a"},{"text":"b"},{"json":{}}],`+
				`"opaque":{"status":"error","type":"x_result"},"executor":"provider"}}`, incomplete),
		},
		{
			"a result that did not end", stream(start, event("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolResult":{"toolUseId":"t"}}}`), delta(`{"contentBlockIndex":0,"delta":{"toolResult":[1]}}`)),
			one(opened, `{"type":"opaque","block":"0","body":{"kind":"toolResult","raw":{"start":{"toolUseId":"t"},"deltas":[[1]]},"provider":"bedrock"}}`, incomplete),
		},
		{
			"an unknown block", stream(start, event("contentBlockStart", `{"contentBlockIndex":0,"start":{"image":{"format":"png"}}}`), delta(`{"contentBlockIndex":0,"delta":{"image":{"b":"x"}}}`), end0),
			one(opened, `{"type":"opaque","block":"0","body":{"kind":"image","raw":{"start":{"image":{"format":"png"}},"deltas":[{"image":{"b":"x"}}]},"provider":"bedrock"}}`, incomplete),
		},
		{
			"a block that only deltas make known", stream(start, event("contentBlockStart", `{"contentBlockIndex":0,"start":{}}`), delta(`{"contentBlockIndex":0,"delta":{"new":1}}`), end0),
			one(opened, `{"type":"opaque","block":"0","body":{"kind":"new","raw":{"deltas":[{"new":1}]},"provider":"bedrock"}}`, incomplete),
		},
		{
			"what does not belong is passed on", stream(start, hi, delta(`{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{"}}}`), event("newEvent", `{"a":1}`)),
			join(one(opened), hiEvents, one(`{"type":"opaque","body":{"kind":"contentBlockDelta","raw":{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{"}}},"provider":"bedrock"}}`,
				`{"type":"opaque","body":{"kind":"newEvent","raw":{"a":1},"provider":"bedrock"}}`, incomplete)),
		},
		{
			"C95 late deltas are passed on", stream(start, hi, end0, hi, event("messageStop", `{"stopReason":"end_turn"}`), event("metadata", `{}`), hi),
			join(one(opened), hiEvents, one(`{"type":"text-end","block":"0"}`, `{"type":"text-delta","block":"0","text":"hi"}`,
				`{"type":"step-end","body":{"finish":"complete","stop":"end_turn"}}`, `{"type":"text-delta","block":"0","text":"hi"}`)),
		},
		{
			"C97 an exception", stream(start, hi, encode(header(":exception-type", "throttlingException")+header(":message-type", "exception"), `{"message":"slow down"}`)),
			join(one(opened), hiEvents, one(`{"type":"error","text":"slow down","body":{"code":"throttlingException","retryable":true,"raw":{"message":"slow down"}}}`, failed)),
		},
		{
			"C97 an error", stream(start, encode(header(":error-code", "500")+header(":error-message", "oh no")+header(":message-type", "error"), "")),
			one(opened, `{"type":"error","text":"oh no","body":{"code":"500"}}`, failed),
		},
		{"a payload that is no JSON", stream(start, event("contentBlockDelta", "oops")), one(opened, `{"type":"error","text":"oops","body":{"raw":"oops"}}`, failed)},
		{"a wrong checksum", stream(start, broken, hi), one(opened, `{"type":"error","text":"corrupt: an event stream message with a wrong checksum","body":{"code":"corrupt"}}`, failed)},
		{
			"a wrong checksum of the prelude", append(stream(start), "\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00"...),
			one(opened, `{"type":"error","text":"corrupt: an event stream message with a wrong prelude checksum","body":{"code":"corrupt"}}`, failed),
		},
		{"malformed headers", encode("\x05abc", ""), one(`{"type":"error","text":"corrupt: an event stream message with malformed headers","body":{"code":"corrupt"}}`)},
		{"headers of every type", stream(encode("\x01a\x00\x01b\x01\x01c\x02_\x01d\x03__\x01e\x04____\x01f\x05________\x01g\x06\x00\x01_\x01i\x08________\x01j\x090123456789abcdef"+
			header(":event-type", "messageStart"), "{}")), one(opened, incomplete)},
		{
			"JSON lines", []byte(`{"messageStart":{"role":"assistant"}}` + "\n" + `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"hi"}}}` + "\n" + `{"messageSt`),
			join(one(opened), hiEvents, one(incomplete)),
		},
		{"an error body", []byte(`{"message":"no access"}`), one(`{"type":"error","text":"no access","body":{"raw":{"message":"no access"}}}`)},
		{"a page", []byte("<h1>no</h1>\n"), one(`{"type":"error","text":"<h1>no</h1>","body":{"raw":"<h1>no</h1>"}}`)},
		{
			"a Converse body", []byte(`{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"a","signature":"s"}}},{"text":"b"},` +
				`{"toolUse":{"toolUseId":"t","name":"f","input":{"x": 1}}},{"toolUse":{"toolUseId":"u","name":"f","input":{},"type":"server_tool_use"}},` +
				`{"toolResult":{"toolUseId":"u","type":"r","content":[{"text":"c"}]}},{"image":{"format":"png"}}]}},"stopReason":"end_turn","usage":{"inputTokens":1}}`),
			one(opened, `{"type":"reasoning-start","block":"0"}`, `{"type":"reasoning-delta","block":"0","text":"a"}`,
				`{"type":"reasoning-end","block":"0","body":{"opaque":{"signature":"s"},"provider":"bedrock"}}`,
				`{"type":"text-start","block":"1"}`, `{"type":"text-delta","block":"1","text":"b"}`, `{"type":"text-end","block":"1"}`,
				`{"type":"tool-start","block":"2","call":"t","name":"f","body":{"executor":"client"}}`,
				`{"type":"tool-call","block":"2","call":"t","name":"f","text":"{\"x\": 1}","whole":true,"body":{"executor":"client"}}`,
				`{"type":"tool-start","block":"3","call":"u","name":"f","body":{"opaque":{"type":"server_tool_use"},"provider":"bedrock","executor":"provider"}}`,
				`{"type":"tool-call","block":"3","call":"u","name":"f","body":{"opaque":{"type":"server_tool_use"},"provider":"bedrock","executor":"provider"}}`,
				`{"type":"tool-result","block":"4","call":"u","body":{"outcome":"ok","raw":[{"text":"c"}],"opaque":{"type":"r"},"executor":"provider"}}`,
				`{"type":"opaque","block":"5","body":{"kind":"image","raw":{"image":{"format":"png"}},"provider":"bedrock"}}`,
				`{"type":"step-end","body":{"finish":"complete","stop":"end_turn","usage":{"inputTokens":1}}}`),
		},
		{
			"a Messages body", []byte(`{"type":"message","id":"m","model":"x","content":[],"stop_reason":"refusal"}`),
			one(`{"type":"step-start","body":{"provider":"bedrock","model":"x","response":"m"}}`, `{"type":"step-end","body":{"finish":"refusal","stop":"refusal"}}`),
		},
		{
			"Messages events", stream(chunk(`{"type":"message_start","message":{"id":"m","model":"x"}}`), chunk(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`),
				encode(header(":exception-type", "modelStreamErrorException")+header(":message-type", "exception"), `{"message":"broke"}`)),
			one(`{"type":"step-start","body":{"provider":"bedrock","model":"x","response":"m"}}`, `{"type":"text-start","block":"0"}`, `{"type":"text-delta","block":"0","text":"a"}`,
				`{"type":"error","text":"broke","body":{"code":"modelStreamErrorException","retryable":true,"raw":{"message":"broke"}}}`, failed),
		},
		{
			"both formats in one stream", stream(start, hi, chunk(`{"type":"message_start","message":{"id":"m","model":"x"}}`), start),
			join(one(opened), hiEvents, one(incomplete, `{"type":"step-start","body":{"provider":"bedrock","model":"x","response":"m"}}`, incomplete, opened, incomplete)),
		},
		{"a chunk that is no base64", stream(event("chunk", `{"bytes":"*"}`)), one(`{"type":"opaque","body":{"kind":"chunk","raw":{"bytes":"*"},"provider":"bedrock"}}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, e := range wiretest.EveryCut(t, fresh, test.in) {
				line, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(line))
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestMessageTooLarge(t *testing.T) {
	in := binary.BigEndian.AppendUint32(nil, 64<<20+1)
	in = binary.BigEndian.AppendUint32(in, 0)
	in = binary.BigEndian.AppendUint32(in, crc32.ChecksumIEEE(in))
	events := wiretest.EveryCut(t, fresh, append(stream(start), in...))
	if len(events) != 3 || !strings.Contains(events[1].Text, "67108864") || events[1].Body.(*steno.Failure).Code != "too_large" {
		t.Errorf("%v", events)
	}
}

func TestFinishReasons(t *testing.T) {
	for word, want := range map[string]steno.Finish{
		"end_turn": steno.FinishComplete, "stop_sequence": steno.FinishComplete, "tool_use": steno.FinishComplete,
		"max_tokens": steno.FinishLength, "model_context_window_exceeded": steno.FinishLength,
		"guardrail_intervened": steno.FinishRefusal, "content_filtered": steno.FinishRefusal,
		"malformed_model_output": steno.FinishError, "new_word": steno.FinishComplete, "": steno.FinishComplete,
	} {
		events := wiretest.MustDecode(t, fresh(), stream(start, event("messageStop", `{"stopReason":"`+word+`"}`)))
		if end := events[1].Body.(*steno.Step); end.Finish != want || end.Stop != word {
			t.Errorf("%s: %+v", word, end)
		}
	}
}

// TestDeltaDoesNotAllocate: each message is fed on its own, in two pieces.
func TestDeltaDoesNotAllocate(t *testing.T) {
	for name, test := range map[string]struct{ begin, deltas [][]byte }{
		"converse": {
			[][]byte{start, event("contentBlockStart", `{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}`)},
			[][]byte{
				delta(`{"contentBlockIndex":0,"delta":{"text":"Grüße\n"},"p":"abcd"}`),
				delta(`{"contentBlockIndex":1,"delta":{"reasoningContent":{"text":"hm"}},"p":"abcd"}`),
				delta(`{"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"a\":"}},"p":"abcd"}`),
			},
		},
		"invoke": {
			[][]byte{chunk(`{"type":"message_start","message":{}}`), chunk(`{"type":"content_block_start","index":0,"content_block":{"type":"text"}}`)},
			[][]byte{chunk(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`)},
		},
	} {
		var d bedrock.Decoder
		n := 0
		emit := func(e *steno.Event) { n += len(e.Text) }
		d.Decode(stream(test.begin...), emit)
		feed := func() {
			for _, m := range test.deltas {
				d.Decode(m[:30], emit)
				d.Decode(m[30:], emit)
			}
		}
		feed()
		if allocs := testing.AllocsPerRun(100, feed); allocs != 0 {
			t.Errorf("%s: %v allocations for %d messages", name, allocs, len(test.deltas))
		}
		if n == 0 {
			t.Errorf("%s: no text", name)
		}
	}
}

// FuzzDecode builds messages of its own from the input, since no random bytes
// have a right checksum, and takes the input as it is too.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("messageStart {}\ncontentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"text\":\"\\ud83d\"}}\nmetadata {\"usage\":{}}"), uint16(7))
	f.Add([]byte("contentBlockStart {\"contentBlockIndex\":0,\"start\":{\"toolResult\":{}}}\ncontentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"toolResult\":1}}\ncontentBlockStop {\"contentBlockIndex\":0}"), uint16(3))
	f.Add([]byte("contentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"reasoningContent\":{\"signature\":\"s\"}}}\nmessageStop {\"stopReason\":\"end_turn\"}\nxException {\"message\":1}"), uint16(1))
	f.Add([]byte("chunk {\"bytes\":\"e30=\"}\nmessageStart {}\nchunk {\"bytes\":\"eyJ0eXBlIjoibWVzc2FnZV9zdGFydCJ9\"}"), uint16(2))
	f.Add([]byte(`{"messageStart":{}} {"message":"x"} {"type":"message"} {"bytes":"e30="}`), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		wiretest.Fuzz(t, fresh, data, int(size)+1)
		var binary []byte
		for line := range strings.SplitSeq(string(data), "\n") {
			name, payload, _ := strings.Cut(line, " ")
			if len(name) < 256 {
				binary = append(binary, event(name, payload)...)
			}
		}
		wiretest.Fuzz(t, fresh, binary, int(size)+1)
	})
}
