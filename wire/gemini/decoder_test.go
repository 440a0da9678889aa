package gemini

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// stream frames chunks that each hold the given parts of candidate 0.
func stream(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(`data: {"candidates":[{"content":{"parts":[` + p + `],"role":"model"},"index":0}],"modelVersion":"m"}` + "\r\n\r\n")
	}
	return b.String()
}

func end(reason string) string {
	return `data: {"candidates":[{"finishReason":"` + reason + `","index":0}],"usageMetadata":{"n":1}}` + "\r\n\r\n"
}

func TestAnswers(t *testing.T) {
	text := func(s string) answer.Part { return answer.Part{Kind: answer.Text, Text: s} }
	thought := func(s string) answer.Part { return answer.Part{Kind: answer.Thinking, Text: s} }
	signed := func(p answer.Part, data string) answer.Part {
		p.Opaque = jsontext.Value(data)
		return p
	}
	call := func(name, arguments string) answer.Part {
		return answer.Part{Kind: answer.ToolCall, Name: name, Arguments: arguments, Executor: steno.ExecutorClient}
	}
	tests := []struct {
		name, input string
		finish      steno.Finish
		parts       []answer.Part
	}{
		{
			"A14 thoughts and text alternate", stream(`{"text":"a","thought":true}`, `{"thought":true,"text":"b"},{"text":"c"}`, `{"text":"d","thought":true}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{thought("ab"), text("c"), thought("d")},
		},
		{
			"A5 an empty text splits nothing", stream(`{"text":"a"}`, `{"text":"","thought":true}`, `{"text":"b"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{text("ab")},
		},
		{
			"C96 a surrogate pair split over two chunks", stream(`{"text":"\ud83d"}`, `{"text":"\ude00"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{text("😀")},
		},
		{
			"R14 a signature on all of a text", stream(`{"text":"a","thoughtSignature":"s"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{signed(text("a"), `{"thoughtSignature":"s"}`)},
		},
		{
			"R14 a signature on some of a text", stream(`{"text":"a"}`, `{"text":"é","thoughtSignature":"s"}`, `{"text":"b"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{signed(text("aéb"), `{"thoughtSignature":"s","from":1,"to":3}`)},
		},
		{
			"R14 a signature behind a text", stream(`{"text":"a"}`, `{"text":"","thoughtSignature":"s"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{signed(text("a"), `{"thoughtSignature":"s","from":1,"to":1}`)},
		},
		{
			"R14 a signature behind a call", stream(`{"functionCall":{"name":"f","args":{}}}`, `{"thoughtSignature":"s"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{signed(call("f", "{}"), `{"thoughtSignature":"s","after":true}`)},
		},
		{
			"R14 a signature before anything", stream(`{"text":"","thoughtSignature":"s"}`, `{"functionCall":{"name":"f"}}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{signed(text(""), `{"thoughtSignature":"s"}`), call("f", "")},
		},
		{
			"A13 arguments stay as they are", stream(`{"functionCall":{"args": {"b":1.0, "a":"\u00e9"},"name":"f"}}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{call("f", `{"b":1.0, "a":"\u00e9"}`)},
		},
		{
			"a call that names a function again is another", stream(`{"functionCall":{"name":"f","willContinue":true}}`,
				`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}],"willContinue":true}}`, `{"functionCall":{"name":"g","args":{}}}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{call("f", `{"a":1}`), call("g", "{}")},
		},
		{"a length", stream(`{"text":"a"}`) + end("MAX_TOKENS"), steno.FinishLength, []answer.Part{text("a")}},
		{"safety", stream(`{"text":"a"}`) + end("SAFETY"), steno.FinishRefusal, []answer.Part{text("a")}},
		{"a call that failed", end("UNEXPECTED_TOOL_CALL"), steno.FinishError, nil},
		{"a word we do not know", end("OTHER"), steno.FinishIncomplete, nil},
		{"A16 no word at all", stream(`{"text":"a"}`), steno.FinishIncomplete, []answer.Part{text("a")}},
		{"C97 an error in the stream", stream(`{"text":"a"}`) + "data: {\"error\":{\"code\":500,\"message\":\"m\"}}\n\n", steno.FinishError, []answer.Part{text("a")}},
		{
			"an unknown part, kept whole", stream(`{"text":"a"}`, `{"x": {"n":1.0}}`, `{"text":"b"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{text("a"), {Kind: answer.Opaque, Type: "x", Raw: jsontext.Value(`{"x": {"n":1.0}}`)}, text("b")},
		},
		{
			"unknown members, kept at the end", stream(`{"text":"a"}`) + `data: {"candidates":[{"y":1}],"z":2}` + "\n\n" + stream(`{"text":"b"}`) + end("STOP"),
			steno.FinishComplete,
			[]answer.Part{text("ab"), {Kind: answer.Opaque, Type: "y", Raw: jsontext.Value("1")}, {Kind: answer.Opaque, Type: "z", Raw: jsontext.Value("2")}},
		},
		{
			"a file that is no base64", stream(`{"inlineData":{"mimeType":"image/png","data":"!"}}`) + end("STOP"), steno.FinishComplete,
			[]answer.Part{{Kind: answer.File, Type: "inlineData", Media: "image/png", Raw: jsontext.Value(`{"inlineData":{"mimeType":"image/png","data":"!"}}`)}},
		},
		{
			"an answer within another object", `data: {"response":{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]},"traceId":"t"}` + "\n\n",
			steno.FinishComplete,
			[]answer.Part{text("a")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, err := wiretest.Decode(new(Decoder), []byte(tt.input))
			if err == nil {
				err = wiretest.Writable(events)
			}
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

func TestNextResponse(t *testing.T) {
	one := `data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"responseId":"1"}` + "\n\n"
	two := strings.Replace(one, `"responseId":"1"`, `"responseId":"2"`, 1)
	events, err := wiretest.Decode(new(Decoder), []byte(one+one+two))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range wiretest.Document(Format, events).Answers {
		got = append(got, a.Parts[0].Text)
	}
	if diff := cmp.Diff([]string{"aa", "a"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDeltasDoNotAllocate(t *testing.T) {
	const n = 1000
	for name, part := range map[string]string{
		"text":    `{"text":"some words, \u00e9"}`,
		"thought": `{"text":"some words","thought":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			in := []byte(strings.Repeat(`data: {"candidates":[{"content":{"parts":[`+part+`],"role":"model"},"index":0}],`+
				`"usageMetadata":{"promptTokenCount":1,"totalTokenCount":2},"modelVersion":"m","responseId":"r"}`+"\r\n\r\n", n))
			d := new(Decoder)
			events := 0
			emit := func(*steno.Event) { events++ }
			d.Decode(in, emit)
			if got := testing.AllocsPerRun(20, func() { d.Decode(in, emit) }); got > 0 {
				t.Errorf("%v allocations for %d deltas", got, n)
			}
			if events < 22*n {
				t.Errorf("only %d events", events)
			}
		})
	}
}
