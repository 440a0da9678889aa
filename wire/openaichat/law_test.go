package openaichat

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/lawtest"
)

// TestA6PartsOpenWhenTheKindChanges draws the deltas of an answer and wants
// the parts that the rule gives: a text opens when the kind changes, a call
// takes its fragments wherever they stand.
func TestA6PartsOpenWhenTheKindChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ds []string
		var want []answer.Part
		calls := map[int]int{} // index → place in want
		open := answer.Kind("")
		for range rapid.IntRange(0, 12).Draw(t, "deltas") {
			text := rapid.StringN(0, 5, -1).Draw(t, "text")
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Skip("no UTF-8")
			}
			switch kind := rapid.SampledFrom([]answer.Kind{answer.Text, answer.Thinking, answer.ToolCall}).Draw(t, "kind"); kind {
			case answer.ToolCall:
				index := rapid.IntRange(0, 2).Draw(t, "index")
				ds = append(ds, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f","arguments":%s}}]}`, index, index, quoted))
				at, known := calls[index]
				if !known {
					at = len(want)
					calls[index] = at
					want = append(want, answer.Part{Kind: kind, ID: fmt.Sprint("c", index), Name: "f", Executor: steno.Client})
				}
				want[at].Arguments += text
				open = kind
			default:
				name := map[answer.Kind]string{answer.Text: "content", answer.Thinking: "reasoning_content"}[kind]
				ds = append(ds, fmt.Sprintf(`{%q:%s}`, name, quoted))
				if text == "" {
					continue // semantics A5
				}
				if open != kind {
					want = append(want, answer.Part{Kind: kind})
					open = kind
				}
				want[len(want)-1].Text += text
			}
		}
		events, err := lawtest.Decode(new(Decoder), []byte(deltas(ds...)+stop))
		if err != nil {
			t.Fatal(err)
		}
		doc := lawtest.Document(Format, events)
		if diff := cmp.Diff(want, doc.Answers[0].Parts); diff != "" {
			t.Fatalf("%s\nparts (-want +got):\n%s", strings.Join(ds, "\n"), diff)
		}
	})
}

// TestA15TextIsWholeHoweverEscapesAreCut cuts a text between any two UTF-16
// units, as servers that count those do.
func TestA15TextIsWholeHoweverEscapesAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.StringN(1, 20, -1).Draw(t, "text"), "")
		var ds []string
		var part strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			fmt.Fprintf(&part, `\u%04x`, unit)
			if rapid.Bool().Draw(t, "cut") {
				ds = append(ds, `{"content":"`+part.String()+`"}`)
				part.Reset()
			}
		}
		ds = append(ds, `{"content":"`+part.String()+`"}`)
		events, err := lawtest.Decode(new(Decoder), []byte(deltas(ds...)+stop))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, e := range events {
			got.WriteString(e.Text)
		}
		if got.String() != text {
			t.Fatalf("got %q, want %q", got.String(), text)
		}
	})
}
