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
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// run is what came for one part without a break.
type run struct {
	Type  steno.Type
	Block string
	Text  string
}

// TestA6RunsChangeWithTheKind draws the deltas of an answer and wants what
// they say in their order: nothing of what is empty, and every fragment of a
// call with the block of its call.
func TestA6RunsChangeWithTheKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ds []string
		var want []run
		blocks := map[int]string{}
		for range rapid.IntRange(0, 12).Draw(t, "deltas") {
			text := strings.ToValidUTF8(rapid.StringN(0, 5, -1).Draw(t, "text"), "")
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			r := run{Text: text}
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				index := rapid.IntRange(0, 2).Draw(t, "index")
				if blocks[index] == "" {
					blocks[index] = fmt.Sprint("call:", len(blocks))
				}
				r.Type, r.Block = steno.ToolDelta, blocks[index]
				ds = append(ds, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f","arguments":%s}}]}`, index, index, quoted))
			case 1:
				r.Type = steno.TextDelta
				ds = append(ds, fmt.Sprintf(`{"content":%s}`, quoted))
			case 2:
				r.Type, r.Block = steno.TextDelta, refusalBlock
				ds = append(ds, fmt.Sprintf(`{"refusal":%s}`, quoted))
			case 3:
				r.Type = steno.ReasoningDelta
				ds = append(ds, fmt.Sprintf(`{"reasoning":%s}`, quoted))
			}
			want = goOn(want, r)
		}
		events, err := wiretest.Decode(new(Decoder), []byte(deltas(ds...)+stop))
		if err != nil {
			t.Fatal(err)
		}
		var got []run
		for _, e := range events {
			if e.Type.IsDelta() {
				got = goOn(got, run{e.Type, e.Block, e.Text})
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\nruns (-want +got):\n%s", strings.Join(ds, "\n"), diff)
		}
	})
}

func goOn(runs []run, r run) []run {
	last := len(runs) - 1
	switch {
	case r.Text == "":
	case last >= 0 && runs[last].Type == r.Type && runs[last].Block == r.Block:
		runs[last].Text += r.Text
	default:
		runs = append(runs, r)
	}
	return runs
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
		events, err := wiretest.Decode(new(Decoder), []byte(deltas(ds...)+stop))
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
