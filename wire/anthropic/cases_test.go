package anthropic_test

import (
	"path"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/anthropic"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

func fresh() wire.Decoder { return wiretest.Late(new(anthropic.Decoder)) }

// expected is what a case says about one stream, as far as a decoder decides it.
type expected struct {
	Wire        string         `json:"wire"`
	Chunks      []chunk        `json:"chunks"`
	End         steno.Finish   `json:"end"`
	NotExecuted []string       `json:"not_executed"`
	Usage       map[string]int `json:"usage"`
	Variants    []expected     `json:"variants"`
}

type chunk struct {
	Type    string         `json:"type"`
	Text    string         `json:"text,omitzero"`
	Message string         `json:"message,omitzero"`
	Opaque  jsontext.Value `json:"opaque,omitzero"`
	Calls   []call         `json:"calls,omitzero"`
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func TestCases(t *testing.T) {
	for _, id := range []string{"G01", "G08", "G12", "G14", "G15", "G24", "G29", "G31", "G46"} {
		dir := "cases/give/" + id
		var e expected
		if err := json.Unmarshal(wiretest.Read(t, wiretest.Shared(t, dir+"/expected.json")), &e); err != nil {
			t.Fatal(err)
		}
		for _, v := range append(e.Variants, e) {
			if v.Wire == "" || id == "G31" && v.Wire != "c_two.sse" { // the others are of another format
				continue
			}
			t.Run(path.Join(id, v.Wire), func(t *testing.T) { checkCase(t, dir, v) })
		}
	}
}

func checkCase(t *testing.T, dir string, want expected) {
	answers, failures := wiretest.Collect(wiretest.EveryCut(t, fresh, wiretest.Read(t, wiretest.Shared(t, dir+"/"+want.Wire))))
	if len(answers) != 1 {
		t.Fatalf("%d answers", len(answers))
	}
	a := answers[0]
	if d := cmp.Diff(want.Chunks, chunks(a, failures)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if a.End.Finish != want.End {
		t.Errorf("ended %s, want %s", a.End.Finish, want.End)
	}
	for _, id := range want.NotExecuted {
		for _, p := range a.Parts {
			if p.Call == id && p.Ended && jsontext.Value(p.Text).IsValid() {
				t.Errorf("the call %s is sealed and could be run", id)
			}
		}
	}
	if want.Usage != nil {
		var got struct {
			Input     int `json:"input_tokens"`
			CacheRead int `json:"cache_read_input_tokens"`
			Output    int `json:"output_tokens"`
		}
		if err := json.Unmarshal(a.End.Usage, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Usage, map[string]int{"input": got.Input, "cacheRead": got.CacheRead, "output": got.Output}); d != "" {
			t.Errorf("usage -want +got\n%s", d)
		}
	}
}

// chunks puts parts together as the cases write them down.
func chunks(a *wiretest.Answer, failures []*steno.Event) []chunk {
	var out []chunk
	for _, p := range a.Parts {
		switch p.Kind {
		case steno.TextStart:
			if p.Text != "" {
				out = append(out, chunk{Type: "text", Text: p.Text})
			}
		case steno.ReasoningStart:
			out = append(out, chunk{Type: "thinking", Text: p.Text, Opaque: p.Opaque})
		case steno.ToolStart:
			if n := len(out); n == 0 || out[n-1].Type != "tool-batch" {
				out = append(out, chunk{Type: "tool-batch"})
			}
			last := &out[len(out)-1]
			last.Calls = append(last.Calls, call{p.Call, p.Name, p.Text})
		}
	}
	for _, e := range failures {
		out = append(out, chunk{Type: "error", Message: e.Text})
	}
	for i := range out {
		if v := out[i].Opaque; v != nil { // the cases are indented
			v = v.Clone()
			_ = v.Indent(jsontext.WithIndent(" "), jsontext.WithIndentPrefix("   "))
			out[i].Opaque = v
		}
	}
	return out
}
