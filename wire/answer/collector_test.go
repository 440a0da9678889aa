package answer_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
)

// document feeds source events, one a line, and returns the document as JSON.
func document(t *testing.T, lines string) string {
	t.Helper()
	var c answer.Collector
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		var e steno.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		c.Add(&e)
	}
	return string(c.Document("x").AppendJSON(nil))
}

func TestCollector(t *testing.T) {
	tests := []struct{ name, events, parts string }{
		{
			"A2 unnamed deltas of one kind join", `
{"type":"text-delta","text":"he"}
{"type":"text-delta","text":"llo"}`,
			`{"kind":"text","text":"hello"}`,
		},
		{
			"A2 another kind closes an unnamed part", `
{"type":"text-delta","text":"a"}
{"type":"reasoning-delta","text":"b"}
{"type":"text-delta","text":"c"}`,
			`{"kind":"text","text":"a"},{"kind":"thinking","text":"b"},{"kind":"text","text":"c"}`,
		},
		{
			"A5 an empty delta opens and splits nothing", `
{"type":"text-delta","text":"a"}
{"type":"reasoning-delta","text":""}
{"type":"text-delta","text":"b"}`,
			`{"kind":"text","text":"ab"}`,
		},
		{
			"A5 an empty block with opaque data is kept", `
{"type":"reasoning-start","block":"0"}
{"type":"reasoning-end","block":"0","body":{"opaque":{"signature":"s"}}}
{"type":"text-delta","text":"a"}`,
			`{"kind":"thinking","text":"","opaque":{"signature":"s"}},{"kind":"text","text":"a"}`,
		},
		{
			"A6 named blocks interleave without closing each other", `
{"type":"text-start","block":"0"}
{"type":"text-start","block":"1"}
{"type":"text-delta","block":"0","text":"a"}
{"type":"text-delta","block":"1","text":"b"}
{"type":"text-delta","block":"0","text":"c"}`,
			`{"kind":"text","text":"ac"},{"kind":"text","text":"b"}`,
		},
		{
			"A6 the parts of one block are joined over an error", `
{"type":"text-delta","block":"0","text":"a"}
{"type":"error","text":"oops"}
{"type":"text-delta","block":"0","text":"b"}`,
			`{"kind":"text","text":"ab"}`,
		},
		{
			"A6 a start after the end is another part", `
{"type":"text-delta","block":"0","text":"a"}
{"type":"text-end","block":"0"}
{"type":"text-start","block":"0"}
{"type":"text-delta","block":"0","text":"b"}`,
			`{"kind":"text","text":"a"},{"kind":"text","text":"b"}`,
		},
		{
			"A6 unnamed ends divide", `
{"type":"text-delta","text":"a"}
{"type":"text-end"}
{"type":"text-delta","text":"b"}`,
			`{"kind":"text","text":"a"},{"kind":"text","text":"b"}`,
		},
		{
			"A7 the whole of an end holds", `
{"type":"text-delta","block":"0","text":"ab"}
{"type":"text-end","block":"0","text":"abc","whole":true}`,
			`{"kind":"text","text":"abc"}`,
		},
		{
			"A7 an empty whole holds", `
{"type":"text-delta","block":"0","text":"ab"}
{"type":"text-end","block":"0","whole":true}`,
			`{"kind":"text","text":""}`,
		},
		{
			"C95 a delta after the end is refused", `
{"type":"text-delta","block":"0","text":"ab"}
{"type":"text-end","block":"0"}
{"type":"text-delta","block":"0","text":"c"}`,
			`{"kind":"text","text":"ab"}`,
		},
		{
			"C94 interleaved calls keep apart, empty ids blank nothing", `
{"type":"tool-start","block":"0","call":"a","name":"f"}
{"type":"tool-delta","block":"0","text":"{\"x\""}
{"type":"tool-start","block":"1","call":"b","name":"g"}
{"type":"tool-delta","block":"0","call":"","name":"","text":":1}"}
{"type":"tool-delta","block":"1","text":"{}"}
{"type":"tool-call","block":"0"}
{"type":"tool-call","block":"1"}`,
			`{"kind":"tool-call","id":"a","name":"f","arguments":"{\"x\":1}","executor":"client"},` +
				`{"kind":"tool-call","id":"b","name":"g","arguments":"{}","executor":"client"}`,
		},
		{
			"A12 a new id on a used index is a new call", `
{"type":"tool-start","block":"0","call":"a","name":"f"}
{"type":"tool-start","block":"0","call":"b","name":"f"}
{"type":"tool-delta","block":"0","text":"{}"}`,
			`{"kind":"tool-call","id":"a","name":"f","arguments":"","executor":"client"},` +
				`{"kind":"tool-call","id":"b","name":"f","arguments":"{}","executor":"client"}`,
		},
		{
			"A11 an id may repeat", `
{"type":"tool-start","call":"a","name":"f"}
{"type":"tool-call","call":"a","text":"1","whole":true}
{"type":"tool-start","call":"a","name":"g"}
{"type":"tool-call","call":"a","text":"2","whole":true}`,
			`{"kind":"tool-call","id":"a","name":"f","arguments":"1","executor":"client"},` +
				`{"kind":"tool-call","id":"a","name":"g","arguments":"2","executor":"client"}`,
		},
		{
			"a provider's call and its result are two parts", `
{"type":"tool-start","block":"0","call":"a","name":"search","body":{"executor":"provider"}}
{"type":"tool-call","block":"0","text":"{}","whole":true,"body":{"executor":"provider","opaque":{"s":1}}}
{"type":"tool-result","call":"a","body":{"raw":{"hits":[]},"executor":"provider"}}`,
			`{"kind":"tool-call","id":"a","name":"search","arguments":"{}","executor":"provider","opaque":{"s":1}},` +
				`{"kind":"tool-result","id":"a","raw":{"hits":[]}}`,
		},
		{
			"a source does not interrupt the text it is about", `
{"type":"text-delta","text":"a"}
{"type":"source","body":{"kind":"url_citation","raw":{"url":"u"}}}
{"type":"text-delta","text":"b"}`,
			`{"kind":"text","text":"ab"},{"kind":"source","type":"url_citation","raw":{"url":"u"}}`,
		},
		{
			"an unknown block stands raw", `
{"type":"opaque","body":{"kind":"new_thing","raw":{"n": 10000000000000000000001}}}`,
			`{"kind":"opaque","type":"new_thing","raw":{"n":10000000000000000000001}}`,
		},
		{
			"a file stands with its content", `
{"type":"file","body":{"kind":"inlineData","media":"image/png","data":"AAEC"}}`,
			`{"kind":"file","type":"inlineData","media":"image/png","data":"AAEC"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got struct {
				Answers []struct {
					Parts []any `json:"parts"`
				} `json:"answers"`
			}
			if err := json.Unmarshal([]byte(document(t, tt.events)), &got); err != nil {
				t.Fatal(err)
			}
			var want []any
			if err := json.Unmarshal([]byte("["+tt.parts+"]"), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Answers[0].Parts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocument(t *testing.T) {
	tests := []struct{ name, events, want string }{
		{
			"an ended answer", `
{"type":"step-start"}
{"type":"text-delta","text":"a"}
{"type":"step-end","body":{"finish":"complete","stop":"end_turn","usage":{"in":1}}}`,
			`{"format":"x","answers":[{"parts":[{"kind":"text","text":"a"}],"finish":"complete","stop":"end_turn","usage":{"in":1}}],"errors":[]}`,
		},
		{
			"one that just stops", `
{"type":"step-start"}`,
			`{"format":"x","answers":[{"parts":[],"finish":"incomplete","stop":null,"usage":null}],"errors":[]}`,
		},
		{
			"errors stand in errors only", `
{"type":"error","text":"no","body":{"status":529,"code":"overloaded_error"}}
{"type":"error","text":"why"}`,
			`{"format":"x","answers":[],"errors":[{"message":"no","status":529,"code":"overloaded_error"},{"message":"why","status":null,"code":null}]}`,
		},
		{
			"A17 each choice is an answer", `
{"type":"step-start"}
{"type":"step-start","choice":1}
{"type":"text-delta","text":"a"}
{"type":"text-delta","choice":1,"text":"b"}
{"type":"text-delta","text":"c"}
{"type":"step-end","choice":1,"body":{"finish":"length"}}
{"type":"step-end","body":{"finish":"complete"}}`,
			`{"format":"x","answers":[{"parts":[{"kind":"text","text":"ac"}],"finish":"complete","stop":null,"usage":null},` +
				`{"parts":[{"kind":"text","text":"b"}],"finish":"length","stop":null,"usage":null}],"errors":[]}`,
		},
		{
			"two answers in one stream", `
{"type":"step-start"}
{"type":"text-delta","block":"0","text":"a"}
{"type":"step-end","body":{"finish":"paused"}}
{"type":"step-start"}
{"type":"text-delta","block":"0","text":"b"}
{"type":"step-end","body":{"finish":"complete"}}`,
			`{"format":"x","answers":[{"parts":[{"kind":"text","text":"a"}],"finish":"paused","stop":null,"usage":null},` +
				`{"parts":[{"kind":"text","text":"b"}],"finish":"complete","stop":null,"usage":null}],"errors":[]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := document(t, tt.events); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestAppendJSONKeepsRaw checks that raw values stand as they are, white space,
// escapes and long numbers included, and that the whole is still JSON.
func TestAppendJSONKeepsRaw(t *testing.T) {
	raw := `{"b": "\u003c\/", "n": 1.0e2 ,"a":12345678901234567890}`
	d := &answer.Document{Answers: []answer.Answer{{
		Parts: []answer.Part{{Kind: answer.Opaque, Type: "x", Raw: jsontext.Value(raw)}},
		Usage: jsontext.Value(`{ "in": 1 }`),
	}}}
	want := `{"format":"","answers":[{"parts":[{"kind":"opaque","type":"x","raw":` + raw +
		`}],"finish":"","stop":null,"usage":{ "in": 1 }}],"errors":[]}`
	if got := string(d.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}

// TestBorrowed checks that the collector keeps no string of an event: a
// decoder uses its buffers again.
func TestBorrowed(t *testing.T) {
	buf := []byte("abcd")
	borrow := func(i int) string { return unsafe.String(&buf[i], 1) }
	var c answer.Collector
	c.Add(&steno.Event{Type: steno.ToolStart, Block: borrow(0), Call: borrow(1), Name: borrow(2)})
	c.Add(&steno.Event{Type: steno.ToolDelta, Block: borrow(0), Text: borrow(3)})
	copy(buf, "zzzz")
	c.Add(&steno.Event{Type: steno.Error, Text: borrow(0)})
	copy(buf, "yyyy")
	d := c.Document("")
	want := answer.Part{Kind: answer.ToolCall, ID: "b", Name: "c", Arguments: "d", Executor: steno.ExecutorClient}
	if diff := cmp.Diff(want, d.Answers[0].Parts[0]); diff != "" {
		t.Error(diff)
	}
	if got := d.Errors[0].Message; got != "z" {
		t.Errorf("error message %q", got)
	}
}
