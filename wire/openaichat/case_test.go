package openaichat

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// expected is a case's expected.json, as far as a decoder decides it: what a
// call results in does not stand in the answer.
type expected struct {
	Format string `json:"format"`
	Wire   string `json:"wire"`
	variant
	Options struct {
		InlineThink bool `json:"inline_think"`
	} `json:"options"`
	Forbid   []string  `json:"forbid"`
	Variants []variant `json:"variants"`
}

type variant struct {
	Wire   string      `json:"wire"`
	Format string      `json:"format"`
	Chunks []caseChunk `json:"chunks"`
	End    string      `json:"end"`
}

type caseChunk struct {
	Type   string     `json:"type"`
	Text   string     `json:"text"`
	Len    int        `json:"len"`
	SHA256 string     `json:"sha256"`
	Calls  []caseCall `json:"calls"`
}

type caseCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func TestCases(t *testing.T) {
	for _, id := range []string{"G02", "G03", "G05", "G06", "G07", "G09", "G10", "G13", "G30", "G31"} {
		t.Run(id, func(t *testing.T) {
			dir := wiretest.Shared(t, "cases", "give", id)
			var want expected
			if err := json.Unmarshal(wiretest.Read(t, dir, "expected.json"), &want); err != nil {
				t.Fatal(err)
			}
			variants := want.Variants
			if len(variants) == 0 {
				variants = []variant{want.variant}
				variants[0].Wire, variants[0].Format = want.Wire, want.Format
			}
			for _, v := range variants {
				if v.Format != "" && v.Format != Format {
					continue // the same case in another format
				}
				t.Run(v.Wire, func(t *testing.T) {
					fresh := func() wire.Decoder { return &Decoder{InlineThink: want.Options.InlineThink} }
					events := wiretest.EveryCut(t, fresh, wiretest.Read(t, dir, v.Wire))
					checkCase(t, events, v, want.Forbid)
				})
			}
		})
	}
}

func checkCase(t *testing.T, events []*steno.Event, want variant, forbid []string) {
	t.Helper()
	doc := wiretest.Document(Format, events)
	if len(doc.Answers) != 1 {
		t.Fatalf("%d answers", len(doc.Answers))
	}
	got := doc.Answers[0]
	for i, c := range want.Chunks {
		if c.SHA256 == "" {
			want.Chunks[i].Len, want.Chunks[i].SHA256 = len(c.Text), wiretest.SHA256(c.Text)
		}
	}
	if diff := cmp.Diff(want.Chunks, chunksOf(got.Parts), cmp.FilterPath(textOf, cmp.Ignore())); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if string(got.Finish) != want.End {
		t.Errorf("finish %s, want %s", got.Finish, want.End)
	}
	for _, p := range got.Parts {
		for _, s := range forbid {
			if strings.Contains(p.Text, s) || strings.Contains(p.Arguments, s) {
				t.Errorf("%q in %q%q", s, p.Text, p.Arguments)
			}
		}
	}
	// Where a call may have been cut off, its arguments have no end.
	var sealed []string
	for _, e := range events {
		if e.Type == steno.ToolCall {
			sealed = append(sealed, e.Call)
		}
	}
	var calls []string
	for _, p := range got.Parts {
		if p.Kind == answer.ToolCall {
			calls = append(calls, p.ID)
		}
	}
	if n := len(calls); n > 0 && want.End == "length" {
		calls = calls[:n-1]
	}
	if !slices.Equal(sealed, calls) {
		t.Errorf("sealed %q, want %q", sealed, calls)
	}
}

// textOf finds the texts, which are compared by their hash.
func textOf(p cmp.Path) bool { return p.Last().String() == ".Text" }

func chunksOf(parts []answer.Part) []caseChunk {
	var list []caseChunk
	for _, p := range parts {
		switch p.Kind {
		case answer.Text, answer.Thinking:
			list = append(list, caseChunk{Type: string(p.Kind), Len: len(p.Text), SHA256: wiretest.SHA256(p.Text)})
		case answer.ToolCall:
			if n := len(list); n == 0 || list[n-1].Type != "tool-batch" {
				list = append(list, caseChunk{Type: "tool-batch", SHA256: wiretest.SHA256("")})
			}
			last := &list[len(list)-1]
			last.Calls = append(last.Calls, caseCall{p.ID, p.Name, p.Arguments})
		}
	}
	return list
}
