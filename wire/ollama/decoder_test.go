package ollama

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func fresh() wire.Decoder { return new(Decoder) }

// truth is what truth.json says of a file.
type truth struct {
	Messages []struct {
		Model        string         `json:"model"`
		Parts        []truthPart    `json:"parts"`
		FinishReason string         `json:"finish_reason"`
		Usage        map[string]any `json:"usage"`
		Complete     bool           `json:"complete"`
	} `json:"messages"`
}

type truthPart struct {
	Type       string `json:"type"`
	ID         string `json:"id"`
	Name       string `json:"name"`
	SHA256     string `json:"sha256"`
	ArgsSHA256 string `json:"args_raw_sha256"`
}

func TestStreams(t *testing.T) {
	wiretest.Streams(t, Format+"/", func(t *testing.T, data []byte, want truth) {
		events := wiretest.EveryCut(t, fresh, data)
		checkTruth(t, wiretest.Document(Format, events), want)
		if got := events[0].Body.(*steno.Step).Model; got != want.Messages[0].Model {
			t.Errorf("model %q", got)
		}
	})
}

func checkTruth(t *testing.T, doc *answer.Document, want truth) {
	t.Helper()
	if len(doc.Answers) != 1 || len(doc.Errors) != 0 {
		t.Fatalf("got %+v", doc)
	}
	got, w := doc.Answers[0], want.Messages[0]
	var parts []truthPart
	for _, p := range got.Parts {
		switch p.Kind {
		case answer.Text:
			parts = append(parts, truthPart{Type: "text", SHA256: wiretest.SHA256(p.Text)})
		case answer.Thinking:
			parts = append(parts, truthPart{Type: "reasoning", SHA256: wiretest.SHA256(p.Text)})
		case answer.ToolCall:
			parts = append(parts, truthPart{Type: "tool_call", ID: p.ID, Name: p.Name, ArgsSHA256: wiretest.SHA256(p.Arguments)})
		}
	}
	if diff := cmp.Diff(w.Parts, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	var usage map[string]any
	if err := json.Unmarshal(got.Usage, &usage); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.Usage, usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if got.Stop != w.FinishReason || (got.Finish == steno.FinishComplete) != w.Complete {
		t.Errorf("finish %s, stop %q", got.Finish, got.Stop)
	}
}

func TestDecode(t *testing.T) {
	const start = `{"type":"step-start","body":{"provider":"ollama","model":"m"}}` + "\n"
	const end = `{"type":"step-end","body":{"provider":"ollama","model":"m","finish":"complete","stop":"stop"}}` + "\n"
	const done = `{"model":"m","done":true,"done_reason":"stop"}` + "\n"
	const incomplete = `{"type":"step-end","body":{"provider":"ollama","model":"m","finish":"incomplete"}}` + "\n"
	chat := func(messages ...string) string {
		return `{"model":"m","message":` + strings.Join(messages, `,"done":false}`+"\n"+`{"model":"m","message":`) + `,"done":false}` + "\n"
	}
	text := func(s string) string { return `{"type":"text-delta","text":"` + s + `"}` + "\n" }
	tests := []struct{ name, in, want string }{
		{"A5 empty strings open nothing", chat(`{"content":""}`, `{"content":"a","thinking":""}`, `{"content":"b"}`) + done, start + text("a") + text("b") + end},
		{"A15 a surrogate pair cut between lines", chat(`{"content":"a\ud83d"}`, `{"content":"\ude42"}`) + done, start + text("a") + text("🙂") + end},
		{"A15 half a character at the end", chat(`{"content":"\ud83d"}`) + done, start + text("\uFFFD") + end},
		{
			"reasoning, text, calls", chat(`{"tool_calls":[{"function":{"name":"f","arguments":{"a": 1}}},{"id":"x","function":{"name":"g"},"sig":"s"}],"content":"t","thinking":"r"}`) + done,
			start + `{"type":"reasoning-delta","text":"r"}` + "\n" + text("t") +
				`{"type":"tool-start","block":"call:0","name":"f"}` + "\n" +
				`{"type":"tool-delta","block":"call:0","name":"f","text":"{\"a\": 1}"}` + "\n" +
				`{"type":"tool-call","block":"call:0","name":"f"}` + "\n" +
				`{"type":"tool-start","block":"call:1","call":"x","name":"g"}` + "\n" +
				`{"type":"tool-call","block":"call:1","call":"x","name":"g","body":{"opaque":{"sig":"s"},"provider":"ollama","model":"m"}}` + "\n" + end,
		},
		{
			"length", `{"model":"m","response":"a","done":true,"done_reason":"length","eval_count":3,"context":[1]}`,
			start + text("a") + `{"type":"opaque","body":{"kind":"context","raw":[1],"provider":"ollama","model":"m"}}` + "\n" +
				`{"type":"step-end","body":{"provider":"ollama","model":"m","finish":"length","stop":"length","usage":{"eval_count":3}}}` + "\n",
		},
		{"no done", chat(`{"content":"a"}`), start + text("a") + incomplete},
		{"cut in a line", chat(`{"content":"a"}`) + `{"model":"m","mess`, start + text("a") + incomplete},
		{
			"an error line", chat(`{"content":"a"}`) + `{"error":"gone"}` + "\n",
			start + text("a") + `{"type":"error","text":"gone","body":{"raw":{"error":"gone"}}}` + "\n" +
				`{"type":"step-end","body":{"provider":"ollama","model":"m","finish":"error"}}` + "\n",
		},
		{"an error body", `{"error":"model 'x' not found"}`, `{"type":"error","text":"model 'x' not found","body":{"raw":{"error":"model 'x' not found"}}}` + "\n"},
		{"a body over several lines", "{\n\"model\":\"m\",\n\"message\":{\n\"content\":\"a\"},\n\"done\":true,\"done_reason\":\"stop\"\n}", start + text("a") + end},
		{
			"nonsense", chat(`{"content":"a"}`) + "nonsense\n" + chat(`{"content":"b"}`) + done,
			start + text("a") + `{"type":"error","text":"the answer holds something that is not in the format ollama","body":{"raw":"nonsense"}}` + "\n" + text("b") + end,
		},
		{"two answers", chat(`{"content":"a"}`) + done + chat(`{"content":"b"}`) + done, start + text("a") + end + start + text("b") + end},
		{"nothing", "\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := wiretest.Lines(wiretest.EveryCut(t, fresh, []byte(tt.in)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeltasDoNotAllocate(t *testing.T) {
	for _, line := range []string{
		`{"model":"m","created_at":"2024","message":{"role":"assistant","content":"some words"},"done":false}`,
		`{"model":"m","created_at":"2024","response":"","thinking":"some \u00e9","done":false}`,
	} {
		d := new(Decoder)
		events := 0
		emit := func(*steno.Event) { events++ }
		in := []byte(strings.Repeat(line+"\n", 100))
		d.Decode(in, emit)
		if n := testing.AllocsPerRun(20, func() { d.Decode(in, emit) }); n > 0 {
			t.Errorf("%v allocations for 100 of %s", n, line)
		}
		if events < 100 {
			t.Errorf("only %d events", events)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","message":{"content":"a\ud83d"},"done":false}` + "\n" + `{"done":true,"done_reason":"stop","a_count":1,"a_count":2}`,
		`{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":"` + "\xff" + `"}},"x":{"y":1}}],"images":["z"]}}`,
		`{"error":"x"}`, "{\n\"response\":\"a\"\n}", "nonsense\n{}", `{"response":"a","` + "\xff" + `":[1]}`,
	} {
		f.Add([]byte(seed), uint16(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		wiretest.Fuzz(t, fresh, data, int(n)+1)
	})
}
