package formats_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// expectation is what a case expects of one recorded answer, as far as the
// answer alone decides it. What becomes of a call, and requests made from the
// answer, are not decided here.
type expectation struct {
	Format string `json:"format"`
	Wire   string `json:"wire"`
	Chunks []struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Len     int             `json:"len"`
		SHA256  string          `json:"sha256"`
		Opaque  json.RawMessage `json:"opaque"`
		Message string          `json:"message"`
		Calls   []struct {
			ID, Name, Arguments string
		} `json:"calls"`
	} `json:"chunks"`
	End         string         `json:"end"`
	NotExecuted []string       `json:"not_executed"`
	Usage       map[string]int `json:"usage"`

	Variants []expectation `json:"variants"`
	Forbid   []string      `json:"forbid"`
	Options  struct {
		InlineThink bool `json:"inline_think"`
	} `json:"options"`
}

// TestCases holds every case that is a recorded answer to its entry.
func TestCases(t *testing.T) {
	dir := wiretest.Shared(t, "cases", "give")
	paths, err := filepath.Glob(filepath.Join(dir, "*", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		var all expectation
		if err := json.Unmarshal(wiretest.Read(t, path), &all); err != nil {
			continue // an entry of another shape: it is no recorded answer
		}
		folder := filepath.Dir(path)
		for _, want := range append(all.Variants, all) {
			if !strings.HasSuffix(want.Wire, ".sse") {
				continue
			}
			if want.Format == "" {
				want.Format = all.Format
			}
			t.Run(filepath.Base(folder)+" "+want.Wire, func(t *testing.T) {
				opts := &formats.Options{InlineThink: all.Options.InlineThink}
				events := decode(t, decoder(t, want.Format, opts), wiretest.Read(t, folder, want.Wire))
				checkCase(t, events, &want, &all)
			})
		}
	}
}

func checkCase(t *testing.T, events []*steno.Event, want, all *expectation) {
	t.Helper()
	doc := wiretest.Document(want.Format, events)
	if len(doc.Answers) != 1 {
		t.Fatalf("%d answers", len(doc.Answers))
	}
	got := &doc.Answers[0]
	if string(got.Finish) != want.End {
		t.Errorf("finish %s, want %s", got.Finish, want.End)
	}
	if diff := cmp.Diff(expectedLines(want), partLines(got, doc.Errors)); diff != "" {
		t.Error(diff)
	}
	for _, s := range all.Forbid {
		if strings.Contains(string(doc.AppendJSON(nil)), s) {
			t.Errorf("%q stands in the answer", s)
		}
	}
	checkNotExecuted(t, events, got, want)
	for name, wire := range map[string]string{"input": "input_tokens", "cacheRead": "cache_read_input_tokens", "output": "output_tokens"} {
		var usage map[string]any
		if err := json.Unmarshal(got.Usage, &usage); len(want.Usage) > 0 && (err != nil || usage[wire] != float64(want.Usage[name])) {
			t.Errorf("usage %s: %v, want %d", wire, usage[wire], want.Usage[name])
		}
	}
}

// checkNotExecuted looks at the calls that must not be run: either they have no
// end, or their arguments are none.
func checkNotExecuted(t *testing.T, events []*steno.Event, a *answer.Answer, want *expectation) {
	t.Helper()
	sealed := map[string]bool{}
	for _, e := range events {
		sealed[e.Call] = sealed[e.Call] || e.Type == steno.ToolCall
	}
	for _, p := range a.Parts {
		if slices.Contains(want.NotExecuted, p.ID) && sealed[p.ID] && json.Valid([]byte(p.Arguments)) {
			t.Errorf("call %s was cut off and could be run", p.ID)
		}
	}
}

// expectedLines writes what a case expects, a line for each part or call.
func expectedLines(want *expectation) []string {
	var lines []string
	for _, c := range want.Chunks {
		switch c.Type {
		case "tool-batch":
			for _, call := range c.Calls {
				lines = append(lines, fmt.Sprintf("call %s %s %s", call.ID, call.Name, call.Arguments))
			}
		case "error":
			lines = append(lines, "error "+c.Message)
		default:
			size, hash := c.Len, c.SHA256
			if hash == "" {
				size, hash = len(c.Text), wiretest.SHA256(c.Text)
			}
			lines = append(lines, fmt.Sprintf("%s %d %s %q", c.Type, size, hash, stringsIn(c.Opaque)))
		}
	}
	return lines
}

// partLines writes an answer in the same way. Errors stand last: where they
// came is not part of an answer.
func partLines(a *answer.Answer, errors []answer.Error) []string {
	var lines []string
	for _, p := range a.Parts {
		switch {
		case p.Kind == answer.ToolCall:
			lines = append(lines, fmt.Sprintf("call %s %s %s", p.ID, p.Name, p.Arguments))
		case p.Text == "" && len(p.Opaque) == 0:
			// An empty text block is a part and no chunk (semantics A5).
		default:
			lines = append(lines, fmt.Sprintf("%s %d %s %q", p.Kind, len(p.Text), wiretest.SHA256(p.Text), stringsIn(p.Opaque)))
		}
	}
	for _, e := range errors {
		lines = append(lines, "error "+e.Message)
	}
	return lines
}
