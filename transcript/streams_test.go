package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/formats"
)

// TestStreams folds every recorded answer and wants in the messages, part by
// part, what the answer's cold form says of its first choice: nothing is lost,
// doubled or moved between a provider's bytes and the messages.
func TestStreams(t *testing.T) {
	root := shared(t, "streams")
	for _, format := range formats.Names() {
		names, err := filepath.Glob(filepath.Join(root, format, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			t.Run(format+"/"+filepath.Base(name), func(t *testing.T) {
				raw, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				d, err := formats.New(format, nil)
				if err != nil {
					t.Fatal(err)
				}
				var source []*steno.Event
				var cold answer.Collector
				keep := func(e *steno.Event) {
					if e.Choice == 0 {
						source = append(source, e.Clone())
						cold.Add(e)
					}
				}
				d.Decode(raw, keep)
				d.Close(keep)
				checkStream(t, source, cold.Document(format))
			})
		}
	}
}

func checkStream(t *testing.T, source []*steno.Event, doc *answer.Document) {
	t.Helper()
	if r := fold(t, source); len(r.Dropped) > 0 {
		t.Errorf("dropped %v", r.Dropped)
	}
	var want, wantResults []string
	for i := range doc.Answers {
		for _, p := range doc.Answers[i].Parts {
			switch p.Kind {
			case answer.ToolCall:
				want = append(want, fmt.Sprintf("call %s %s %s %s %s", p.ID, p.Name, p.Executor, p.Opaque, p.Arguments))
			case answer.ToolResult:
				wantResults = append(wantResults, p.ID+" "+string(p.Raw))
			case answer.Text, answer.Thinking:
				want = append(want, fmt.Sprintf("%s %s %s", p.Kind, p.Opaque, p.Text))
			default:
				want = append(want, fmt.Sprintf("%s %s %s %s", p.Kind, p.Type, p.Raw, p.Data))
			}
		}
	}
	var tr Transcript
	for _, e := range source {
		tr.Append(*e)
	}
	got, results := shown(tr.Messages())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-cold +folded):\n%.3000s", diff)
	}
	if diff := cmp.Diff(wantResults, results); diff != "" {
		t.Errorf("results (-cold +folded):\n%.3000s", diff)
	}
}

// shown writes the parts of messages and the results that a provider gave.
func shown(messages []steno.Message) (parts, results []string) {
	for _, m := range messages {
		for i := range m.Parts {
			p := &m.Parts[i]
			switch p.Kind {
			case steno.KindError, steno.KindSystem:
			case steno.KindText, steno.KindThinking:
				parts = append(parts, fmt.Sprintf("%s %s %s", p.Kind, p.Opaque, p.Text.String()))
			case steno.KindTool:
				c := p.Call
				parts = append(parts, fmt.Sprintf("call %s %s %s %s %s", c.ID, c.Name, c.Executor, p.Opaque, c.Arguments.String()))
				if c.Result != nil && len(c.Result.Raw) > 0 {
					results = append(results, c.ID+" "+string(c.Result.Raw))
				}
			default:
				parts = append(parts, fmt.Sprintf("%s %s %s %s", p.Kind, p.Content.Kind, p.Content.Raw, p.Content.Data))
			}
		}
	}
	return parts, results
}
