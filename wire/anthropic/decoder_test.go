package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/anthropic"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// stream puts events into frames.
func stream(events ...string) []byte {
	var out strings.Builder
	for _, e := range events {
		fmt.Fprintf(&out, "data: %s\n\n", e)
	}
	return []byte(out.String())
}

const (
	messageStart = `{"type":"message_start","message":{"id":"m","model":"x","content":[]}}`
	endTurn      = `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`
	messageStop  = `{"type":"message_stop"}`
)

func start(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func delta(index int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta)
}

func stop(index int) string {
	return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index)
}

// lines decodes in every cutting and returns one JSON line an event.
func lines(t *testing.T, data []byte) []string {
	t.Helper()
	var out []string
	for _, e := range wiretest.EveryCut(t, fresh, data) {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	return out
}

const (
	opened     = `{"type":"step-start","body":{"provider":"anthropic","model":"x","response":"m"}}`
	ended      = `{"type":"step-end","body":{"finish":"complete","stop":"end_turn"}}`
	incomplete = `{"type":"step-end","body":{"finish":"incomplete"}}`
	failed     = `{"type":"step-end","body":{"finish":"error"}}`
)

func TestDecoder(t *testing.T) {
	text := `{"type":"text","text":""}`
	for _, test := range []struct {
		name string
		in   []byte
		want []string
	}{
		{"nothing", nil, nil},
		{"only blanks and comments", []byte("\n: ping\r\n\n  \n"), nil},
		{
			"A15 a surrogate pair in two deltas", stream(messageStart, start(0, text),
				delta(0, `{"type":"text_delta","text":"a\ud83d"}`), delta(0, `{"type":"text_delta","text":"\ude42"}`), stop(0)),
			[]string{
				opened, `{"type":"text-start","block":"0"}`, `{"type":"text-delta","block":"0","text":"a"}`,
				`{"type":"text-delta","block":"0","text":"🙂"}`, `{"type":"text-end","block":"0"}`, incomplete,
			},
		},
		{
			"A15 half a pair that is never completed", stream(messageStart, start(0, text),
				delta(0, `{"type":"text_delta","text":"a\ud83d"}`), stop(0)),
			[]string{
				opened, `{"type":"text-start","block":"0"}`, `{"type":"text-delta","block":"0","text":"a"}`,
				`{"type":"text-delta","block":"0","text":"` + "\uFFFD" + `"}`, `{"type":"text-end","block":"0"}`, incomplete,
			},
		},
		{
			"A6 interleaved blocks each hold back their own", stream(messageStart, start(0, text), start(1, text),
				delta(0, `{"type":"text_delta","text":"\ud83d"}`), delta(1, `{"type":"text_delta","text":"b"}`),
				delta(0, `{"type":"text_delta","text":"\ude42"}`)),
			[]string{
				opened, `{"type":"text-start","block":"0"}`, `{"type":"text-start","block":"1"}`,
				`{"type":"text-delta","block":"1","text":"b"}`, `{"type":"text-delta","block":"0","text":"🙂"}`, incomplete,
			},
		},
		{
			"text in the start", stream(messageStart, start(0, `{"type":"text","text":"a","citations":[{"type":"c","x": 1}]}`)),
			[]string{
				opened, `{"type":"text-start","block":"0"}`, `{"type":"text-delta","block":"0","text":"a"}`,
				`{"type":"source","block":"0","body":{"kind":"c","raw":{"type":"c","x":1},"provider":"anthropic","model":"x"}}`, incomplete,
			},
		},
		{
			"input in the start", stream(messageStart, start(0, `{"type":"tool_use","id":"t","name":"f","input":{"a": 1}}`), stop(0)),
			[]string{
				opened, `{"type":"tool-start","block":"0","call":"t","name":"f","body":{"executor":"client"}}`,
				`{"type":"tool-call","block":"0","call":"t","name":"f","text":"{\"a\": 1}","whole":true,"body":{"executor":"client"}}`, incomplete,
			},
		},
		{
			"deltas win over input in the start", stream(messageStart, start(0, `{"type":"tool_use","id":"t","name":"f","input":{"a": 1}}`),
				delta(0, `{"type":"input_json_delta","partial_json":"{}"}`), stop(0)),
			[]string{
				opened, `{"type":"tool-start","block":"0","call":"t","name":"f","body":{"executor":"client"}}`,
				`{"type":"tool-delta","block":"0","text":"{}"}`,
				`{"type":"tool-call","block":"0","call":"t","name":"f","body":{"executor":"client"}}`, incomplete,
			},
		},
		{
			"a result that is an error", stream(messageStart, start(0, `{"type":"web_search_tool_result","tool_use_id":"t","content":{"type":"web_search_tool_result_error","error_code":"x"}}`)),
			[]string{opened, `{"type":"tool-result","block":"0","call":"t","body":{"isError":true,"outcome":"error",` +
				`"raw":{"type":"web_search_tool_result_error","error_code":"x"},"opaque":{"type":"web_search_tool_result"},"executor":"provider"}}`, incomplete},
		},
		{
			"A6 an index used again is another block", stream(messageStart, start(0, text), stop(0), start(0, text), delta(0, `{"type":"text_delta","text":"b"}`)),
			[]string{
				opened, `{"type":"text-start","block":"0"}`, `{"type":"text-end","block":"0"}`, `{"type":"text-start","block":"0.2"}`,
				`{"type":"text-delta","block":"0.2","text":"b"}`, incomplete,
			},
		},
		{
			"C95 late deltas are passed on", stream(messageStart, start(0, text), stop(0), delta(0, `{"type":"text_delta","text":"a"}`),
				delta(7, `{"type":"thinking_delta","thinking":"b"}`), endTurn, messageStop, delta(0, `{"type":"text_delta","text":"c"}`)),
			[]string{
				opened, `{"type":"text-start","block":"0"}`, `{"type":"text-end","block":"0"}`, `{"type":"text-delta","block":"0","text":"a"}`,
				`{"type":"reasoning-delta","block":"7","text":"b"}`, ended, `{"type":"text-delta","block":"0","text":"c"}`,
			},
		},
		{
			"an unknown block is kept whole", stream(messageStart, start(0, `{"type":"new","n":1.50}`), stop(0)),
			[]string{opened, `{"type":"opaque","block":"0","body":{"kind":"new","raw":{"type":"new","n":1.50},"provider":"anthropic","model":"x"}}`, incomplete},
		},
		{
			"with its deltas, ended or not", stream(messageStart, start(0, `{"type":"new"}`), delta(0, `{"type":"text_delta","text":"a"}`), delta(0, `{"type":"n"}`)),
			[]string{opened, `{"type":"opaque","block":"0","body":{"kind":"new","raw":{"start":{"type":"new"},"deltas":[{"type":"text_delta","text":"a"},{"type":"n"}]},` +
				`"provider":"anthropic","model":"x"}}`, incomplete},
		},
		{
			"a compaction's text is joined", stream(messageStart, start(0, `{"type":"compaction","content":null,"k":1}`),
				delta(0, `{"type":"compaction_delta","content":"a\ud83d"}`), delta(0, `{"type":"compaction_delta","content":"\ude42"}`), stop(0)),
			[]string{opened, `{"type":"opaque","block":"0","body":{"kind":"compaction","raw":{"type":"compaction","k":1,"content":"a🙂"},"provider":"anthropic","model":"x"}}`, incomplete},
		},
		{
			"a compaction with more in it is kept raw", stream(messageStart, start(0, `{"type":"compaction"}`), delta(0, `{"type":"compaction_delta","content":"a","e":1}`)),
			[]string{opened, `{"type":"opaque","block":"0","body":{"kind":"compaction","raw":{"start":{"type":"compaction"},"deltas":[{"type":"compaction_delta","content":"a","e":1}]},` +
				`"provider":"anthropic","model":"x"}}`, incomplete},
		},
		{
			"an unknown event, an unknown delta", stream(messageStart, `{"type":"new_event","a":[1]}`, start(0, text), delta(0, `{"type":"new_delta"}`), delta(0, `{"type":"input_json_delta","partial_json":"{"}`)),
			[]string{
				opened, `{"type":"opaque","body":{"kind":"new_event","raw":{"type":"new_event","a":[1]},"provider":"anthropic","model":"x"}}`,
				`{"type":"text-start","block":"0"}`,
				`{"type":"opaque","body":{"kind":"new_delta","raw":{"type":"content_block_delta","index":0,"delta":{"type":"new_delta"}},"provider":"anthropic","model":"x"}}`,
				`{"type":"opaque","body":{"kind":"input_json_delta","raw":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}},"provider":"anthropic","model":"x"}}`,
				incomplete,
			},
		},
		{
			"C97 an error ends the answer, whatever follows", stream(messageStart, start(0, text), `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`, stop(0), endTurn, messageStop),
			[]string{
				opened, `{"type":"text-start","block":"0"}`,
				`{"type":"error","text":"busy","body":{"code":"overloaded_error","retryable":true,"raw":{"type":"error","error":{"type":"overloaded_error","message":"busy"}}}}`, failed,
				`{"type":"opaque","body":{"kind":"message_delta","raw":{"type":"message_delta","delta":{"stop_reason":"end_turn"}},"provider":"anthropic","model":"x"}}`,
			},
		},
		{
			"an answer that begins in the middle", stream(delta(0, `{"type":"text_delta","text":"a"}`), endTurn, messageStop),
			[]string{`{"type":"step-start","body":{"provider":"anthropic"}}`, `{"type":"text-delta","block":"0","text":"a"}`, ended},
		},
		{
			"a stop word without message_stop", stream(messageStart, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`),
			[]string{opened, `{"type":"step-end","body":{"finish":"length","stop":"max_tokens"}}`},
		},
		{"message_stop without a stop word", stream(messageStart, messageStop), []string{opened, `{"type":"step-end","body":{"finish":"complete"}}`}},
		{"cut off in a line", append(stream(messageStart), `data: {"type":"mess`...), []string{opened, incomplete}},
		{"cut off in a field's name", append(stream(messageStart), `even`...), []string{opened, incomplete}},
		{
			"no JSON", stream(messageStart, `{"type":"ping"`, messageStop),
			[]string{opened, `{"type":"error","text":"{\"type\":\"ping\"","body":{"raw":"{\"type\":\"ping\""}}`, `{"type":"step-end","body":{"finish":"complete"}}`},
		},
		{"an imitator's end mark", append(stream(messageStart, endTurn, messageStop), "data: [DONE]\n\n"...), []string{opened, ended}},
		{"the event's name stands in for its type", []byte("event: message_start\ndata: {\"message\":{\"id\":\"m\",\"model\":\"x\"}}\n\n"), []string{opened, incomplete}},
		{
			"a whole message", []byte(` {"type":"message","id":"m","model":"x","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"},` +
				`{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}`),
			[]string{
				opened, `{"type":"reasoning-start","block":"0"}`, `{"type":"reasoning-delta","block":"0","text":"t"}`,
				`{"type":"reasoning-end","block":"0","body":{"opaque":{"signature":"s"},"provider":"anthropic","model":"x"}}`,
				`{"type":"text-start","block":"1"}`, `{"type":"text-delta","block":"1","text":"a"}`, `{"type":"text-end","block":"1"}`,
				`{"type":"tool-start","block":"2","call":"t","name":"f","body":{"executor":"client"}}`, `{"type":"tool-call","block":"2","call":"t","name":"f","body":{"executor":"client"}}`,
				`{"type":"step-end","body":{"finish":"complete","stop":"end_turn","usage":{"input_tokens":1}}}`,
			},
		},
		{"a body that is neither", []byte(`{"message":"no such route"}`), []string{`{"type":"error","text":"no such route","body":{"raw":{"message":"no such route"}}}`}},
		{
			"a proxy's page", []byte("<html>\n502 Bad Gateway\n</html>\n"),
			[]string{`{"type":"error","text":"<html>\n502 Bad Gateway\n</html>","body":{"raw":"<html>\n502 Bad Gateway\n</html>"}}`},
		},
		{
			"an error with a message alone", stream(messageStart, `{"type":"error","error":"no"}`, messageStop),
			[]string{opened, `{"type":"error","text":"no","body":{"raw":{"type":"error","error":"no"}}}`, failed},
		},
		{
			"raw JSON that others would refuse", stream(messageStart, start(0, `{"type":"new","a":1,"a":"\ud83d"}`), stop(0)),
			[]string{opened, `{"type":"opaque","block":"0","body":{"kind":"new","raw":"{\"type\":\"new\",\"a\":1,\"a\":\"\\ud83d\"}","provider":"anthropic","model":"x"}}`, incomplete},
		},
		{
			"G46 null and odd usage say nothing", stream(`{"type":"message_start","message":{"id":"m","model":"x","usage":{"a":1,"b":{"c":2}}}}`,
				`{"type":"message_delta","delta":{},"usage":{"a":null,"b":{"d":3}}}`, `{"type":"message_delta","delta":{},"usage":7}`),
			[]string{opened, `{"type":"step-end","body":{"finish":"incomplete","usage":{"a":1,"b":{"d":3}}}}`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, lines(t, test.in)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestFinishReasons(t *testing.T) {
	for word, want := range map[string]steno.Finish{
		"end_turn": steno.FinishComplete, "stop_sequence": steno.FinishComplete, "tool_use": steno.FinishComplete,
		"max_tokens": steno.FinishLength, "model_context_window_exceeded": steno.FinishLength,
		"refusal": steno.FinishRefusal, "pause_turn": steno.FinishPaused, "new_word": steno.FinishComplete,
	} {
		events := wiretest.MustDecode(t, fresh(), stream(messageStart, `{"type":"message_delta","delta":{"stop_reason":"`+word+`"}}`, messageStop))
		if end := events[1].Body.(*steno.Step); end.Finish != want || end.Stop != word {
			t.Errorf("%s: %+v", word, end)
		}
	}
}

// TestDeltaDoesNotAllocate: each frame is fed on its own, in two pieces.
func TestDeltaDoesNotAllocate(t *testing.T) {
	var d anthropic.Decoder
	n := 0
	emit := func(e *steno.Event) { n += len(e.Text) }
	d.Decode(stream(messageStart, start(0, `{"type":"text","text":""}`),
		start(1, `{"type":"thinking","thinking":""}`), start(2, `{"type":"tool_use","id":"t","name":"f","input":{}}`)), emit)
	frames := [][]byte{
		stream(delta(0, `{"type":"text_delta","text":"Grüße\n"}`)),
		stream(delta(1, `{"type":"thinking_delta","thinking":"hm \u00e9"}`)),
		stream(delta(2, `{"type":"input_json_delta","partial_json":"{\"a\":"}`)),
		[]byte("event: ping\ndata: {\"type\": \"ping\"}\n\n"),
	}
	feed := func() {
		for _, f := range frames {
			d.Decode(f[:30], emit)
			d.Decode(f[30:], emit)
		}
	}
	feed()
	if allocs := testing.AllocsPerRun(100, feed); allocs != 0 {
		t.Errorf("%v allocations for %d frames", allocs, len(frames))
	}
	if n == 0 {
		t.Error("no text")
	}
}

// TestFrameTooLarge: the limit is an error that names itself and ends the answer.
func TestFrameTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("feeds more than 64 MiB")
	}
	var d anthropic.Decoder
	var got []string
	emit := func(e *steno.Event) { got = append(got, e.Type.String()+" "+e.Text) }
	d.Decode(stream(messageStart), emit)
	d.Decode([]byte("data: "), emit)
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = 'x'
	}
	for range 70 {
		d.Decode(piece, emit)
	}
	d.Decode(stream(messageStop, messageStart), emit)
	d.Close(emit)
	if len(got) != 3 || !strings.Contains(got[1], "67108864") || got[2] != "step-end " {
		t.Errorf("%q", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(stream(messageStart, start(0, `{"type":"text","text":""}`), delta(0, `{"type":"text_delta","text":"\ud83d"}`), stop(0), endTurn, messageStop), uint16(7))
	f.Add(stream(messageStart, start(0, `{"type":"thinking","signature":"a"}`), delta(0, `{"type":"signature_delta","signature":"\ud83d"}`), stop(0)), uint16(1))
	f.Add(stream(start(1, `{"type":"server_tool_use","id":"t","name":"f","input":{"a":1},"server_name":"s"}`), stop(1), start(1, `{"type":"mcp_tool_result","is_error":true}`)), uint16(3))
	f.Add(stream(start(0, `{"type":"compaction","content":"a"}`), delta(0, `{"type":"compaction_delta","content":"b"}`), `{"type":"error","error":{"message":"no"}}`, messageStart), uint16(9))
	f.Add([]byte(`{"type":"message","content":[{"type":"redacted_thinking","data":"x"},{"type":"new","a":1,"a":2}],"usage":{"a":1}}`), uint16(2))
	f.Add([]byte("<html>\r\n{\"a\":1}\r\n"), uint16(4))
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		wiretest.Fuzz(t, fresh, data, int(size)+1)
	})
}
