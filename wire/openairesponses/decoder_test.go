package openairesponses

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// stream frames events, each given as the rest of its type and its members.
func stream(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		name, members, _ := strings.Cut(e, " ")
		if members != "" {
			members = "," + members
		}
		fmt.Fprintf(&b, "data: {\"type\":\"%s\"%s}\n\n", name, members)
	}
	return b.String()
}

const (
	created   = `response.created "response":{"id":"r","model":"m","status":"in_progress"}`
	completed = `response.completed "response":{"id":"r","model":"m","status":"completed","output":[]}`
)

func text(s string) answer.Part { return answer.Part{Kind: answer.Text, Text: s} }

func call(id, name, arguments string) answer.Part {
	return answer.Part{Kind: answer.ToolCall, ID: id, Name: name, Arguments: arguments, Executor: steno.ExecutorClient}
}

func opaque(kind, raw string) answer.Part {
	return answer.Part{Kind: answer.Opaque, Type: kind, Raw: jsontext.Value(raw)}
}

func with(p answer.Part, data string) answer.Part {
	p.Opaque = jsontext.Value(data)
	return p
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		finish steno.Finish
		parts  []answer.Part
	}{
		{"C94 deltas of items that were never named", []string{
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"a"`,
			`response.reasoning_text.delta "output_index":1,"content_index":0,"delta":"b"`,
			`response.function_call_arguments.delta "output_index":2,"delta":"{}"`,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"c"`,
		}, steno.FinishIncomplete, []answer.Part{text("ac"), {Kind: answer.Thinking, Text: "b"}, call("", "", "{}")}},
		{"C96 a surrogate pair split over two deltas", []string{
			created,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"\ud83d"`,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"\ude00"`, completed,
		}, steno.FinishComplete, []answer.Part{text("😀")}},
		{"A15 half a pair that stays one is one replacement", []string{
			created,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"a\ud83d"`, completed,
		}, steno.FinishComplete, []answer.Part{text("a\uFFFD")}},
		{"A7 the done text holds", []string{
			created,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"ab"`,
			`response.output_text.done "output_index":0,"content_index":0,"text":"abc"`, completed,
		}, steno.FinishComplete, []answer.Part{text("abc")}},
		{"A7 an empty done text takes nothing away", []string{
			created,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"ab"`,
			`response.output_text.done "output_index":0,"content_index":0,"text":""`, completed,
		}, steno.FinishComplete, []answer.Part{text("ab")}},
		{"A7 the arguments of the done item hold", []string{
			created,
			`response.output_item.added "output_index":0,"item":{"type":"function_call","id":"f1","call_id":"c","name":"n","arguments":""}`,
			`response.function_call_arguments.delta "output_index":0,"delta":"{\"a\""`,
			`response.function_call_arguments.done "output_index":0,"arguments":"{\"a\":1}"`,
			`response.output_item.done "output_index":0,"item":{"type":"function_call","id":"f2","call_id":"c","name":"n","arguments":"{\"a\":2}"}`, completed,
		}, steno.FinishComplete, []answer.Part{with(call("c", "n", `{"a":2}`), `{"id":"f2"}`)}},
		{"a call the provider began whole and never ended", []string{
			created,
			`response.output_item.added "output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"n","arguments":"{}"}`, completed,
		}, steno.FinishComplete, []answer.Part{with(call("c", "n", "{}"), `{"id":"f"}`)}},
		{"C95 a delta after the end of its item", []string{
			created,
			`response.output_item.added "output_index":0,"item":{"type":"message","id":"i"}`,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"a"`,
			`response.output_item.done "output_index":0,"item":{"type":"message","id":"i"}`,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"b"`, completed,
			`response.output_text.delta "output_index":0,"content_index":0,"delta":"c"`,
		}, steno.FinishComplete, []answer.Part{with(text("a"), `{"id":"i"}`)}},
		{"every item has index 0", []string{
			created,
			`response.output_item.added "output_index":0,"item":{"type":"function_call","call_id":"a","name":"n"}`,
			`response.output_item.done "output_index":0,"item":{"type":"function_call","call_id":"a","name":"n","arguments":"1"}`,
			`response.output_item.added "output_index":0,"item":{"type":"function_call","call_id":"b","name":"n"}`,
			`response.output_item.done "output_index":0,"item":{"type":"function_call","call_id":"b","name":"n","arguments":"2"}`, completed,
		}, steno.FinishComplete, []answer.Part{call("a", "n", "1"), call("b", "n", "2")}},
		{"an item is done twice", []string{
			`response.output_item.done "output_index":0,"item":{"type":"message","id":"i","content":[{"type":"output_text","text":"a"}]}`,
			`response.output_item.done "output_index":0,"item":{"type":"message","id":"i","content":[{"type":"output_text","text":"a"}]}`, completed,
		}, steno.FinishComplete, []answer.Part{with(text("a"), `{"id":"i"}`)}},
		{
			"an unknown event, kept whole",
			[]string{created, `response.audio.delta "delta":"UklG"`, completed},
			steno.FinishComplete,
			[]answer.Part{opaque("response.audio.delta", `{"type":"response.audio.delta","delta":"UklG"}`)},
		},
		{"an item that was not done when the input ended", []string{
			created,
			`response.output_item.added "output_index":0,"item":{"type":"mcp_call","id":"i", "n":1.0}`,
			`response.mcp_call_arguments.delta "output_index":0,"delta":"x"`,
		}, steno.FinishIncomplete, []answer.Part{opaque("mcp_call", `{"type":"mcp_call","id":"i", "n":1.0}`)}},
		{"a lone surrogate in an item cannot stand in JSON", []string{
			created,
			`response.output_item.done "output_index":0,"item":{"type":"x","s":"\ud800"}`, completed,
		}, steno.FinishComplete, []answer.Part{opaque("x", `"{\"type\":\"x\",\"s\":\"\\ud800\"}"`)}},
		{"a summary that comes after content is put before it", []string{
			created,
			`response.reasoning_text.delta "output_index":0,"content_index":0,"delta":"content"`,
			`response.reasoning_summary_text.delta "output_index":0,"summary_index":0,"delta":"summary,"`,
			`response.output_item.done "output_index":0,"item":{"type":"reasoning","id":"i","encrypted_content":null}`, completed,
		}, steno.FinishComplete, []answer.Part{with(answer.Part{Kind: answer.Thinking, Text: "summary,content"}, `{"id":"i"}`)}},
		{"a filter cuts it off", []string{
			created,
			`response.incomplete "response":{"id":"r","status":"incomplete","incomplete_details":{"reason":"content_filter"}}`,
		}, steno.FinishRefusal, nil},
		{"it was cancelled", []string{created, `response.cancelled "response":{"id":"r","status":"cancelled"}`}, steno.FinishIncomplete, nil},
		{"an end without a status", []string{created, `response.completed "response":{"id":"r"}`}, steno.FinishComplete, nil},
		{"an error before anything", []string{`error "code":"x","message":"no"`}, steno.FinishError, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, err := wiretest.Decode(new(Decoder), []byte(stream(tt.events...)))
			if err != nil {
				t.Fatal(err)
			}
			doc := wiretest.Document(Format, events)
			if len(doc.Answers) != 1 {
				t.Fatalf("%d answers", len(doc.Answers))
			}
			if diff := cmp.Diff(tt.parts, doc.Answers[0].Parts); diff != "" {
				t.Error(diff)
			}
			if got := doc.Answers[0].Finish; got != tt.finish {
				t.Errorf("finish %s, want %s", got, tt.finish)
			}
		})
	}
}

func TestErrorBodies(t *testing.T) {
	tests := []struct {
		body, message, code string
		status              int
	}{
		{`{"error":{"message":"m","type":"t","code":"c"}}`, "m", "c", 0},
		{`{"error":{"message":"m","code":502}}`, "m", "502", 502},
		{`{"detail":"no"}`, "no", "", 0},
		{"<html>\n502 Bad Gateway</html>\n", "<html>\n502 Bad Gateway</html>", "", 0},
	}
	for _, tt := range tests {
		events, err := wiretest.Decode(new(Decoder), []byte(tt.body), 1, 5)
		if err != nil {
			t.Error(err)
		}
		want := []answer.Error{{Message: tt.message, Code: tt.code, Status: tt.status}}
		doc := wiretest.Document(Format, events)
		if diff := cmp.Diff(want, doc.Errors); diff != "" || len(doc.Answers) != 0 {
			t.Errorf("%s: %d answers, %s", tt.body, len(doc.Answers), diff)
		}
	}
}

// TestFrameLimit holds the decoder to a stated limit that ends the answer
// loudly (case G02).
func TestFrameLimit(t *testing.T) {
	d := new(Decoder)
	var events []*steno.Event
	emit := func(e *steno.Event) { events = append(events, e.Clone()) }
	d.Decode([]byte(stream(created)+"data: "), emit)
	piece := []byte(strings.Repeat("x", 1<<20))
	for range 66 {
		d.Decode(piece, emit)
	}
	d.Decode([]byte("\n\n"+stream(completed)), emit)
	d.Close(emit)
	doc := wiretest.Document(Format, events)
	if len(doc.Errors) != 1 || doc.Errors[0].Code != "too_large" || !strings.Contains(doc.Errors[0].Message, "67108864") {
		t.Errorf("errors %+v", doc.Errors)
	}
	if len(doc.Answers) != 1 || doc.Answers[0].Finish != steno.FinishError {
		t.Errorf("answers %+v", doc.Answers)
	}
}
