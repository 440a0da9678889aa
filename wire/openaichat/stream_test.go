package openaichat

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func fresh() wire.Decoder { return new(Decoder) }

// truth is what truth.json says of a file, as far as this format has it.
type truth struct {
	Messages []struct {
		Choice       uint32         `json:"choice"`
		ID           string         `json:"id"`
		Model        string         `json:"model"`
		Parts        []truthPart    `json:"parts"`
		FinishReason string         `json:"finish_reason"`
		Usage        jsontext.Value `json:"usage"`
		Annotations  struct {
			Count int    `json:"count"`
			Raw   string `json:"raw_concat_sha256"`
		} `json:"annotations"`
		Citations        struct{ Count int } `json:"citations"`
		SearchResults    struct{ Count int } `json:"search_results"`
		ReasoningDetails []map[string]any    `json:"reasoning_details"`
	} `json:"messages"`
	Errors []struct {
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Message string `json:"message_sha256"`
	} `json:"errors"`
}

type truthPart struct {
	Type, ID, Name string
	Bytes          int
	SHA256         string `json:"sha256"`
	ArgsBytes      int    `json:"args_bytes"`
	ArgsSHA256     string `json:"args_sha256"`
}

func TestStreams(t *testing.T) {
	wiretest.Streams(t, Format+"/", func(t *testing.T, data []byte, want truth) {
		checkTruth(t, wiretest.EveryCut(t, fresh, data), want)
	})
}

func checkTruth(t *testing.T, events []*steno.Event, want truth) {
	t.Helper()
	doc := wiretest.Document(Format, events)
	if len(doc.Answers) != len(want.Messages) {
		t.Fatalf("%d answers, want %d", len(doc.Answers), len(want.Messages))
	}
	for i, w := range want.Messages {
		got := doc.Answers[i]
		if diff := cmp.Diff(w.Parts, truthParts(got.Parts)); diff != "" {
			t.Errorf("answer %d: parts (-want +got):\n%s", i, diff)
		}
		if got.Stop != w.FinishReason {
			t.Errorf("answer %d: stop %q, want %q", i, got.Stop, w.FinishReason)
		}
		if diff := cmp.Diff(numbers(t, w.Usage), numbers(t, got.Usage)); diff != "" {
			t.Errorf("answer %d: usage (-want +got):\n%s", i, diff)
		}
		checkSources(t, got.Parts, w.Annotations.Count, w.Annotations.Raw, w.Citations.Count, w.SearchResults.Count)
		for _, m := range w.ReasoningDetails {
			delete(m, "chunks") // how many pieces it came in
		}
		if diff := cmp.Diff(w.ReasoningDetails, detailsOf(t, got.Parts)); diff != "" {
			t.Errorf("answer %d: reasoning details (-want +got):\n%s", i, diff)
		}
	}
	var starts, wantStarts []steno.Step
	for _, e := range events {
		if e.Type == steno.StepStart {
			starts = append(starts, *e.Body.(*steno.Step))
		}
	}
	for _, w := range want.Messages {
		wantStarts = append(wantStarts, steno.Step{Provider: Format, Model: w.Model, Response: w.ID})
	}
	if diff := cmp.Diff(wantStarts, starts); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
	checkErrors(t, doc, want)
}

func checkErrors(t *testing.T, doc *answer.Document, want truth) {
	t.Helper()
	if len(doc.Errors) != len(want.Errors) {
		t.Fatalf("errors %+v, want %+v", doc.Errors, want.Errors)
	}
	for i, w := range want.Errors {
		got := doc.Errors[i]
		if wiretest.SHA256(got.Message) != w.Message {
			t.Errorf("error %d: message %q", i, got.Message)
		}
		switch code := w.Code.(type) {
		case string:
			if got.Code != code {
				t.Errorf("error %d: code %q, want %q", i, got.Code, code)
			}
		case float64:
			if got.Status != int(code) {
				t.Errorf("error %d: status %d, want %v", i, got.Status, code)
			}
		default:
			if got.Code != w.Type {
				t.Errorf("error %d: code %q, want %q", i, got.Code, w.Type)
			}
		}
	}
}

// truthParts says of the parts what truth.json says; what it lists beside the
// parts is left out.
func truthParts(parts []answer.Part) []truthPart {
	list := []truthPart{}
	for _, p := range parts {
		switch p.Kind {
		case answer.Text:
			list = append(list, truthPart{Type: "text", Bytes: len(p.Text), SHA256: wiretest.SHA256(p.Text)})
		case answer.Thinking:
			list = append(list, truthPart{Type: "reasoning", Bytes: len(p.Text), SHA256: wiretest.SHA256(p.Text)})
		case answer.ToolCall:
			list = append(list, truthPart{Type: "tool_call", ID: p.ID, Name: p.Name, ArgsBytes: len(p.Arguments), ArgsSHA256: wiretest.SHA256(p.Arguments)})
		}
	}
	return list
}

// numbers reads usage without the nulls, which truth.json leaves out.
func numbers(t *testing.T, v jsontext.Value) map[string]any {
	t.Helper()
	if len(v) == 0 {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal(v, &m); err != nil {
		t.Fatal(err)
	}
	dropNulls(m)
	return m
}

func dropNulls(m map[string]any) {
	for k, v := range m {
		if v == nil {
			delete(m, k)
		}
		if inner, ok := v.(map[string]any); ok {
			dropNulls(inner)
		}
	}
}

func checkSources(t *testing.T, parts []answer.Part, annotations int, raw string, citations, results int) {
	t.Helper()
	count := map[string]int{}
	var joined strings.Builder
	for _, p := range parts {
		if p.Kind != answer.Source {
			continue
		}
		switch p.Type {
		case "citation", "search_result":
			count[p.Type]++
		default:
			count["annotation"]++
			joined.Write(p.Raw)
		}
	}
	want := map[string]int{"annotation": annotations, "citation": citations, "search_result": results}
	for k, n := range want {
		if count[k] != n {
			t.Errorf("%d sources of kind %s, want %d", count[k], k, n)
		}
	}
	if annotations > 0 && wiretest.SHA256(joined.String()) != raw {
		t.Errorf("annotations are not as they came")
	}
}

// detailsOf says of the reasoning details what truth.json says.
func detailsOf(t *testing.T, parts []answer.Part) []map[string]any {
	t.Helper()
	var list []map[string]any
	for _, p := range parts {
		opaque := p.Opaque
		if p.Kind == answer.Opaque && p.Type == "reasoning_details" {
			opaque = p.Raw
		}
		var body struct {
			Details []map[string]any `json:"reasoning_details"`
		}
		if len(opaque) == 0 {
			continue
		}
		if err := json.Unmarshal(opaque, &body); err != nil {
			t.Fatal(err)
		}
		list = append(list, body.Details...)
	}
	for _, m := range list {
		for _, name := range []string{"text", "summary", "data", "signature"} {
			if s, ok := m[name].(string); ok {
				m[name] = map[string]any{"bytes": float64(len(s)), "sha256": wiretest.SHA256(s)}
			}
		}
	}
	return list
}
