package openaichat

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// brief writes events for the eye: what is set of each, bodies as JSON. The
// provider, which is always the same, is left out.
func brief(events []*steno.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Type.String())
		for _, f := range []struct{ name, value string }{
			{"choice", strings.TrimPrefix(fmt.Sprint(e.Choice), "0")},
			{"block", e.Block},
			{"call", e.Call},
			{"name", e.Name},
		} {
			if f.value != "" {
				fmt.Fprintf(&b, " %s=%s", f.name, f.value)
			}
		}
		if e.Text != "" {
			fmt.Fprintf(&b, " %q", e.Text)
		}
		if e.Body != nil {
			body, _ := json.Marshal(e.Body)
			s := strings.Replace(string(body), `"provider":"openai-chat"`, "", 1)
			s = strings.NewReplacer("{,", "{", ",,", ",", ",}", "}").Replace(s)
			if s != "{}" {
				b.WriteByte(' ')
				b.WriteString(s)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// frames makes an event stream of chunks; "[DONE]" may be one of them.
func frames(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n"
}

// deltas makes an event stream of the deltas of one choice, without an end.
func deltas(ds ...string) string {
	for i, d := range ds {
		ds[i] = `{"choices":[{"index":0,"delta":` + d + `}]}`
	}
	return frames(ds...)
}

const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

func TestDecode(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{
			"A5 empty strings and nulls open nothing",
			deltas(`{"content":"","reasoning":"","refusal":null,"tool_calls":null}`, `{"content":"a"}`, `{"reasoning_content":""}`, `{"content":"b"}`) + stop,
			`text-delta "a"
text-delta "b"
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"A15 a surrogate pair cut between deltas", deltas(`{"content":"x\ud83d"}`, `{"content":"\ude42y"}`) + stop,
			`text-delta "x"
text-delta "🙂y"
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"A15 half a character before another kind",
			deltas(`{"content":"x\ud83d"}`, `{"reasoning":"r"}`, `{"content":"y"}`) + stop,
			"text-delta \"x\"\ntext-delta \"\uFFFD\"\nreasoning-delta \"r\"\ntext-delta \"y\"\nstep-end {\"finish\":\"complete\",\"stop\":\"stop\"}",
		},
		{
			"one chunk with everything goes in a fixed order",
			deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}],"refusal":"no","content":"t","reasoning":"r"}`) + stop,
			`reasoning-delta "r"
text-delta "t"
text-delta block=refusal "no"
tool-start block=call:0 call=c name=f
tool-delta block=call:0 call=c "{}"
tool-call block=call:0 call=c name=f
step-end {"finish":"refusal","stop":"stop"}`,
		},
		{
			"A12 the name comes after the arguments",
			deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"{\"a\""}}]}`, `{"tool_calls":[{"index":0,"function":{"name":"f","arguments":":1}"}}]}`) + stop,
			`tool-start block=call:0 call=c name=f
tool-delta block=call:0 call=c "{\"a\":1}"
tool-call block=call:0 call=c name=f
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"A12 a call that gets no name keeps its place",
			deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"{}"}}]}`, `{"content":"t"}`, `{"tool_calls":[{"index":0,"function":{"name":"f"}}]}`) + stop,
			`tool-start block=call:0 call=c
tool-delta block=call:0 call=c "{}"
text-delta "t"
tool-call block=call:0 call=c name=f
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"A12 calls without index and id go by place, the rest goes on",
			deltas(`{"tool_calls":[{"function":{"name":"f","arguments":"1"}},{"function":{"name":"g","arguments":"2"}}]}`,
				`{"tool_calls":[{"function":{"arguments":"3"}}]}`, `{"tool_calls":[{"function":{"name":"h","arguments":"4"}}]}`) + stop,
			`tool-start block=call:0 name=f
tool-delta block=call:0 "1"
tool-start block=call:1 name=g
tool-delta block=call:1 "2"
tool-delta block=call:0 "3"
tool-start block=call:2 name=h
tool-delta block=call:2 "4"
tool-call block=call:0 name=f
tool-call block=call:1 name=g
tool-call block=call:2 name=h
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"A12 a fragment without index goes by its id",
			deltas(`{"tool_calls":[{"index":3,"id":"c","function":{"name":"f","arguments":"1"}},{"index":4,"id":"d","function":{"name":"f"}}]}`, `{"tool_calls":[{"id":"c","function":{"arguments":"2"}}]}`) + stop,
			`tool-start block=call:0 call=c name=f
tool-delta block=call:0 call=c "1"
tool-start block=call:1 call=d name=f
tool-delta block=call:0 call=c "2"
tool-call block=call:0 call=c name=f
tool-call block=call:1 call=d name=f
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"A13 arguments that are no text are their bytes",
			deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":{"a": 1.0}}}]}`) + stop,
			`tool-start block=call:0 call=c name=f
tool-delta block=call:0 call=c "{\"a\": 1.0}"
tool-call block=call:0 call=c name=f
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"provider data of a call", deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]}`),
			`tool-start block=call:0 call=c name=f {"opaque":{"extra_content":{"google":{"thought_signature":"s"}}}}
tool-delta block=call:0 call=c "{}"
step-end {"finish":"incomplete"}`,
		},
		{
			"the deprecated function_call", deltas(`{"function_call":{"name":"f","arguments":""}}`, `{"function_call":{"arguments":"{}"}}`) +
				`data: {"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}` + "\n\n",
			`tool-start block=call:0 name=f
tool-delta block=call:0 "{}"
tool-call block=call:0 name=f
step-end {"finish":"complete","stop":"function_call"}`,
		},
		{
			"reasoning details end the reasoning they came with",
			deltas(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.text","signature":"s","text":null,"index":0}]}`, `{"content":"t"}`,
				`{"reasoning_details":[{"type":"reasoning.encrypted","data":"d","index":1}]}`) + stop,
			`reasoning-delta "a"
reasoning-end {"opaque":{"reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"signature":"s"}]}}
text-delta "t"
opaque {"kind":"reasoning_details","raw":{"reasoning_details":[{"type":"reasoning.encrypted","data":"d","index":1}]}}
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"reasoning details before their text",
			deltas(`{"reasoning_details":[{"type":"reasoning.text","id":"1"}]}`, `{"reasoning":"a"}`, `{"reasoning_details":[{"type":"reasoning.text","id":"2"}]}`) + stop,
			`reasoning-delta "a"
reasoning-end {"opaque":{"reasoning_details":[{"type":"reasoning.text","id":"1"},{"type":"reasoning.text","id":"2"}]}}
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"what comes beside a text does not cut it",
			deltas(`{"content":"a","annotations":[{"type":"url_citation"}],"steps":[1]}`, `{"content":"b","thought":"x"}`, `{"thought":"y"}`, `{"reasoning":"r"}`) + stop,
			`text-delta "a"
text-delta "b"
source {"kind":"url_citation","raw":{"type":"url_citation"}}
opaque {"kind":"steps","raw":[1]}
opaque {"kind":"thought","raw":"xy"}
reasoning-delta "r"
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"images and sound", deltas(`{"content":"a"}`, `{"images":[{"type":"image_url"}]}`, `{"content":"b","audio":{"id":"1","transcript":"x"}}`, `{"audio":{"transcript":"y"}}`) + stop,
			`text-delta "a"
opaque {"kind":"image","raw":{"type":"image_url"}}
text-delta "b"
opaque {"kind":"audio","raw":{"id":"1","transcript":"xy"}}
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"content as items", deltas(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"r"}]},{"type":"thinking","thinking":"s"},{"type":"text","text":"t"},{"type":"reference","reference_ids":[1]}]}`) + stop,
			`reasoning-delta "r"
reasoning-delta "s"
text-delta "t"
opaque {"kind":"reference","raw":{"type":"reference","reference_ids":[1]}}
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"usage merges field by field",
			frames(`{"id":"r","model":"m","choices":[{"delta":{"content":"a"}}],"usage":{"a":1,"b":1,"c":null}}`,
				`{"choices":[],"usage":{"b":2,"d":{"e":1}}}`, `{"choices":[],"x_groq":{"usage":{"f":0.5}}}`, "[DONE]"),
			`text-delta "a"
step-end {"model":"m","response":"r","finish":"complete","usage":{"a":1,"b":2,"d":{"e":1},"f":0.5}}`,
		},
		{
			"an error in the stream ends the answer by error",
			deltas(`{"content":"a"}`) + "event: error\ndata: {\"error\":{\"message\":\"no\",\"type\":\"bad\",\"code\":null,\"status_code\":400}}\n\n",
			`text-delta "a"
error "no" {"status":400,"code":"bad","raw":{"error":{"message":"no","type":"bad","code":null,"status_code":400}}}
step-end {"finish":"error"}`,
		},
		{
			"the last call of a cut answer is not sealed",
			deltas(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"d","function":{"name":"g","arguments":"{\ud83d"}}]}`),
			"tool-start block=call:0 call=c name=f\ntool-delta block=call:0 call=c \"{}\"\n" +
				"tool-start block=call:1 call=d name=g\ntool-delta block=call:1 call=d \"{\"\n" +
				"tool-call block=call:0 call=c name=f\ntool-delta block=call:1 call=d \"\uFFFD\"\nstep-end {\"finish\":\"incomplete\"}",
		},
		{
			"what is no chunk is an error, and the answer goes on", deltas(`{"content":"a"}`) + "data: {nonsense\n\n" + stop,
			`text-delta "a"
error "the answer holds something that is not in the format openai-chat" {"raw":"{nonsense"}
step-end {"finish":"complete","stop":"stop"}`,
		},
		{
			"a frame cut by the end is no error", deltas(`{"content":"a"}`) + `data: {"choices":[{"index":0,"del`,
			"text-delta \"a\"\nstep-end {\"finish\":\"incomplete\"}",
		},
		{
			"two answers in one stream", deltas(`{"content":"a"}`) + frames("[DONE]") + deltas(`{"content":"b"}`) + frames("[DONE]"),
			"text-delta \"a\"\nstep-end {\"finish\":\"complete\"}\nstep-start\ntext-delta \"b\"\nstep-end {\"finish\":\"complete\"}",
		},
		{
			"an error body inside the stream", deltas(`{"content":"a"}`) + "{\n\"error\": {\n\"message\": \"gone\"\n}\n}\n",
			"text-delta \"a\"\nerror \"gone\" {\"raw\":{\"error\":{\"message\":\"gone\"}}}\nstep-end {\"finish\":\"error\"}",
		},
		{
			"a body", `{"id":"r","model":"m","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"r","content":"t","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"d","type":"custom","custom":{"name":"g","input":"free"}}]},"finish_reason":"tool_calls"}],"usage":{"n":1}}`,
			`reasoning-delta "r"
text-delta "t"
tool-start block=call:0 call=c name=f
tool-delta block=call:0 call=c "{}"
tool-start block=call:1 call=d name=g
tool-delta block=call:1 call=d "free"
tool-call block=call:0 call=c name=f
tool-call block=call:1 call=d name=g
step-end {"model":"m","response":"r","finish":"complete","stop":"tool_calls","usage":{"n":1}}`,
		},
		{
			"chunks as lines of JSON", `{"choices":[{"delta":{"content":"a"}}]}` + "\n" + `{"choices":[{"delta":{"content":"b"},"finish_reason":"length"}]}` + "\n",
			"text-delta \"a\"\ntext-delta \"b\"\nstep-end {\"finish\":\"length\",\"stop\":\"length\"}",
		},
		{
			"an error beside the choices", deltas(`{"content":"a"}`) + frames(`{"id":"r","choices":[],"x_groq":{"error":"over capacity"}}`),
			"text-delta \"a\"\nerror \"over capacity\" {\"raw\":{\"id\":\"r\",\"choices\":[],\"x_groq\":{\"error\":\"over capacity\"}}}\nstep-end {\"response\":\"r\",\"finish\":\"error\"}",
		},
		{
			"a frame of another kind", deltas(`{"content":"a"}`) + frames(`{"type":"note","text":"x"}`, `{"type":"ping"}`) + deltas(`{"content":"b"}`) + stop,
			"text-delta \"a\"\ntext-delta \"b\"\nopaque {\"kind\":\"note\",\"raw\":{\"type\":\"note\",\"text\":\"x\"}}\nstep-end {\"finish\":\"complete\",\"stop\":\"stop\"}",
		},
		{
			"a message after an empty delta, and one that repeats", deltas(`{"role":"assistant"}`) +
				frames(`{"choices":[{"delta":{},"message":{"content":["a"]}}]}`) + deltas(`{"content":"b"}`) + frames(`{"choices":[{"message":{"content":"ab"},"finish_reason":"stop"}]}`),
			"text-delta \"a\"\ntext-delta \"b\"\nstep-end {\"finish\":\"complete\",\"stop\":\"stop\"}",
		},
		{
			"two bodies", `{"choices":[{"message":{"content":"a"}}]}` + "\n" + `{"choices":[{"message":{"content":"b"}}]}`,
			"text-delta \"a\"\nstep-end {\"finish\":\"complete\"}\nstep-start\ntext-delta \"b\"\nstep-end {\"finish\":\"complete\"}",
		},
		{
			"a body cut by the end", `{"choices":[{"message":{"content":"a`,
			`error "the answer holds something that is not in the format openai-chat" {"raw":"{\"choices\":[{\"message\":{\"content\":\"a"}`,
		},
		{
			"a page instead of an answer", "<html>\n<b>502 Bad Gateway</b>\n</html>\n",
			`error "the answer holds something that is not in the format openai-chat" {"raw":"<html>\n<b>502 Bad Gateway</b>\n</html>"}`,
		},
		{"nothing", "", ""},
		{"only comments", ": keep-alive\n\n", ""},
		{
			"usage alone is an answer without parts", frames(`{"id":"r","choices":[],"usage":{"n":1}}`, "[DONE]"),
			`step-end {"response":"r","finish":"complete","usage":{"n":1}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := wiretest.EveryCut(t, func() wire.Decoder { return new(Decoder) }, []byte(tt.in))
			got := brief(events)
			if first, rest, _ := strings.Cut(got, "\n"); strings.HasPrefix(first, "step-start") {
				got = rest // the same for all
			}
			if diff := cmp.Diff(strings.Trim(tt.want, "\n"), strings.Trim(got, "\n")); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTooLarge feeds a frame above the limit: the answer ends by an error that
// names it, and nothing that follows is decoded.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 64 MiB")
	}
	d := new(Decoder)
	var events []*steno.Event
	emit := func(e *steno.Event) { events = append(events, e.Clone()) }
	d.Decode([]byte(deltas(`{"content":"a"}`)+"data: "), emit)
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range wire.MaxFrame>>20 + 1 {
		d.Decode(piece, emit)
	}
	d.Decode([]byte("\n\n"+deltas(`{"content":"b"}`)), emit)
	d.Close(emit)
	got := brief(events)
	want := "step-start\ntext-delta \"a\"\nerror \"too large: a frame of more than 67108864 bytes\" {\"code\":\"too_large\"}\nstep-end {\"finish\":\"error\"}\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestChoices(t *testing.T) {
	in := frames(`{"id":"r","choices":[{"index":1,"delta":{"content":"b"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{},"finish_reason":"length"}]}`, "[DONE]")
	want := `step-start choice=1 {"response":"r"}
text-delta choice=1 "b"
step-start {"response":"r"}
text-delta "a"
step-end choice=1 {"response":"r","finish":"length","stop":"length"}
step-end {"response":"r","finish":"complete"}
`
	if diff := cmp.Diff(want, brief(wiretest.EveryCut(t, fresh, []byte(in)))); diff != "" {
		t.Error(diff)
	}
}

func TestTooManyChoices(t *testing.T) {
	var b strings.Builder
	for i := range maxChoices + 2 {
		fmt.Fprintf(&b, `,{"index":%d,"delta":{"content":"a"}}`, i)
	}
	events, err := wiretest.Decode(new(Decoder), []byte(frames(`{"choices":[`+b.String()[1:]+`]}`)))
	if err != nil {
		t.Fatal(err)
	}
	if doc := wiretest.Document(Format, events); len(doc.Answers) != maxChoices || len(doc.Errors) != 2 {
		t.Errorf("%d answers, %d errors", len(doc.Answers), len(doc.Errors))
	}
}

func TestFinish(t *testing.T) {
	tests := map[string]steno.Finish{
		"stop": steno.FinishComplete, "tool_calls": steno.FinishComplete, "function_call": steno.FinishComplete,
		"end_turn": steno.FinishComplete, "eos": steno.FinishComplete, "something_new": steno.FinishComplete,
		"length": steno.FinishLength, "max_tokens": steno.FinishLength, "model_length": steno.FinishLength, "MAX_TOKENS": steno.FinishLength,
		"content_filter": steno.FinishRefusal, "error": steno.FinishError, "network_error": steno.FinishError,
		"abort": steno.FinishIncomplete, "pause_turn": steno.FinishPaused,
	}
	for stop, want := range tests {
		if got := finishOf(stop, false); got != want {
			t.Errorf("%s: %s, want %s", stop, got, want)
		}
	}
	if got := finishOf("", true); got != steno.FinishComplete {
		t.Errorf("[DONE] alone: %s", got)
	}
	if got := finishOf("", false); got != steno.FinishIncomplete {
		t.Errorf("bare end: %s", got)
	}
}

func TestInlineThink(t *testing.T) {
	tests := []struct{ name, want string }{
		{"<think>a</think>b", "reasoning-delta \"a\"\ntext-delta \"b\"\n"},
		{"a<think>b", "text-delta \"a\"\nreasoning-delta \"b\"\n"},
		{"x</think>y", "text-delta \"x</think>y\"\n"},
		{"<think></think>b", "text-delta \"b\"\n"},
		{"a<thin", "text-delta \"a\"\ntext-delta \"<thin\"\n"},
		{"<<think>a<</think>", "text-delta \"<\"\nreasoning-delta \"a<\"\n"},
		{"<think>a</think><think>b</think>", "reasoning-delta \"a\"\nreasoning-delta \"b\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, _ := json.Marshal(map[string]string{"content": tt.name})
			events, err := wiretest.Decode(&Decoder{InlineThink: true}, []byte(deltas(string(in))))
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(events[1 : len(events)-1]); got != tt.want {
				t.Errorf("got %swant %s", got, tt.want)
			}
			// Cut between any two characters, the same text is on the same side.
			for i := range tt.name {
				a, _ := json.Marshal(map[string]string{"content": tt.name[:i]})
				b, _ := json.Marshal(map[string]string{"content": tt.name[i:]})
				cut, err := wiretest.Decode(&Decoder{InlineThink: true}, []byte(deltas(string(a), string(b))))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(wiretest.Document(Format, events), wiretest.Document(Format, cut)); diff != "" {
					t.Errorf("cut at %d: %s", i, diff)
				}
			}
		})
	}
}

func TestHTTPErrors(t *testing.T) {
	tests := []struct {
		in, message string
		status      int
		code        string
	}{
		{`{"error":{"message":"m","type":"invalid_request_error","param":"p","code":"too_long"}}`, "m", 0, "too_long"},
		{`{"error":{"message":"m","type":"invalid_request_error","code":null}}`, "m", 0, "invalid_request_error"},
		{`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`, "m", 429, "RESOURCE_EXHAUSTED"},
		{`[{"error":{"code":503,"message":"m"}}]`, "m", 503, "503"},
		{`{"error":{"code":"429","message":"m"}}`, "m", 429, "429"},
		{`{"error":"m"}`, "m", 0, ""},
		{`{"code":"perm","error":"m"}`, "m", 0, "perm"},
		{`{"detail":"m"}`, "m", 0, ""},
		{`{"detail":[{"msg":"m"}]}`, `[{"msg":"m"}]`, 0, ""},
		{`{"object":"error","message":"m","type":"t","code":1800}`, "m", 0, "t"},
		{`{"message":"m"}`, "m", 0, ""},
		{`{"odd":1}`, `{"odd":1}`, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			doc := wiretest.Document(Format, wiretest.EveryCut(t, fresh, []byte(tt.in)))
			if len(doc.Answers) != 0 || len(doc.Errors) != 1 {
				t.Fatalf("got %+v", doc)
			}
			if e := doc.Errors[0]; e.Message != tt.message || e.Status != tt.status || e.Code != tt.code {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestRecordedErrors checks the bodies that servers of this and other formats
// answer with: behind a gateway any of them may come.
func TestRecordedErrors(t *testing.T) {
	wiretest.Streams(t, "http-errors/", func(t *testing.T, body []byte, want truth) {
		doc := wiretest.Document(Format, wiretest.EveryCut(t, fresh, body))
		if len(doc.Answers) != 0 {
			t.Errorf("answers: %+v", doc.Answers)
		}
		checkErrors(t, doc, want)
	})
}
