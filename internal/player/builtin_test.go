package player

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
	parts "github.com/stenolog/steno/wire/answer"
)

var update = flag.Bool("update", false, "write the golden files of the built-in recordings")

// folded plays s without pauses.
func folded(t *testing.T, s *Script) *fold {
	t.Helper()
	f := new(fold)
	if err := Play(t.Context(), s, f, 0); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAnswers decodes every built-in answer and compares its parts with the
// golden file.
func TestAnswers(t *testing.T) {
	for _, s := range List() {
		t.Run(s.Name, func(t *testing.T) {
			var b bytes.Buffer
			for i := range s.steps {
				a := s.steps[i].answer
				if a == nil {
					continue
				}
				one := &Script{steps: []step{{answer: a}}}
				var c parts.Collector
				for _, e := range folded(t, one).source {
					c.Add(e)
				}
				text, err := json.Marshal(c.Document(a.format))
				if err != nil {
					t.Fatal(err)
				}
				b.Write(text)
				b.WriteByte('\n')
			}
			golden(t, s.Name+".parts.jsonl", b.Bytes())
		})
	}
}

// TestTypes compares the run of events each script becomes, deltas of a kind
// counted together, with the golden file.
func TestTypes(t *testing.T) {
	for _, s := range List() {
		t.Run(s.Name, func(t *testing.T) {
			var b strings.Builder
			var last steno.Type
			for _, e := range folded(t, s).journal {
				if e.Type == last && e.Type.IsDelta() {
					continue
				}
				last = e.Type
				b.WriteString(e.Type.String())
				if how := ending(e); how != "" {
					b.WriteString(" " + how)
				}
				b.WriteByte('\n')
			}
			golden(t, s.Name+".types.txt", []byte(b.String()))
		})
	}
}

// ending says how what e ends has ended, or "".
func ending(e *steno.Event) string {
	switch b := e.Body.(type) {
	case *steno.Step:
		return string(b.Finish)
	case *steno.Turn:
		return string(b.Reason)
	case *steno.Result:
		return string(b.Outcome)
	}
	return ""
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestBalanced holds every script to what a journal promises: nothing is
// refused or unnamed, what starts ends, a call has one result and the newest
// turn is over. What it becomes normalises to itself (A17).
func TestBalanced(t *testing.T) {
	for _, s := range List() {
		t.Run(s.Name, func(t *testing.T) {
			f := folded(t, s)
			open := map[string]int{}
			for _, e := range f.journal {
				at := e.Message + "/" + string(steno.KindOf(e.Type)) + "/" + e.Part
				switch e.Type {
				case steno.Dropped, steno.Opaque, steno.Held, steno.Unknown:
					t.Errorf("%s: %+v", e.Type, e.Body)
				case steno.TurnStart, steno.StepStart:
					open[e.Type.String()]++
				case steno.TurnEnd:
					open["turn-start"]--
				case steno.StepEnd:
					open["step-start"]--
				case steno.TextStart, steno.ReasoningStart, steno.ToolStart:
					open[at]++
				case steno.TextEnd, steno.ReasoningEnd, steno.ToolResult:
					open[at]--
				case steno.AttemptFailed:
					if open["step-start"] > 0 {
						open["step-start"]--
					}
				}
			}
			for what, n := range open {
				if n != 0 {
					t.Errorf("%s: %d more starts than ends", what, n)
				}
			}
			var again transcript.Normaliser
			var twice []*steno.Event
			for _, e := range f.journal {
				again.Normalise(e, func(e *steno.Event) { twice = append(twice, e.Clone()) })
			}
			if diff := cmp.Diff(f.journal, twice); diff != "" {
				t.Errorf("normalised again (-once +twice):\n%s", diff)
			}
		})
	}
}

// TestShown says what the demo is for: each of these can be seen in it.
func TestShown(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range List() {
		if s.Title == "" || s.Title == s.Name || s.About == "" {
			t.Errorf("%s: no title or nothing about it", s.Name)
		}
		f := folded(t, s)
		running := 0
		started := map[string]bool{}
		for i, e := range f.journal {
			seen[e.Type.String()] = true
			switch b := e.Body.(type) {
			case *steno.Seal:
				seen["signature"] = seen["signature"] || e.Type == steno.ReasoningEnd && len(b.Opaque) > 0
			case *steno.Result:
				seen["outcome "+string(b.Outcome)] = true
				running--
			case *steno.Step:
				seen["finish "+string(b.Finish)] = true
			}
			if at := e.Message + e.Part; e.Type == steno.ToolOutput && !started[at] {
				started[at] = true
				running++
				seen["parallel tools"] = seen["parallel tools"] || running > 2
			}
			if e.Type == steno.ReasoningStart && i > 0 && f.journal[i-1].Type == steno.TextEnd {
				seen["interleaved thinking"] = true
			}
		}
		for _, format := range s.Formats {
			seen[format] = true
		}
	}
	for _, want := range []string{
		"anthropic-messages", "openai-responses", "openai-chat", "gemini",
		"interleaved thinking", "signature", "parallel tools", "tool-output",
		"error", "attempt-failed", "notice", "model-changed", "permission-asked", "outcome denied",
		"finish incomplete", "finish length", "finish error", "finish complete",
	} {
		if !seen[want] {
			t.Errorf("no recording shows %q", want)
		}
	}
}

// TestRecordings looks at the embedded files: every one is played, every answer
// has its timing, and together they are small.
func TestRecordings(t *testing.T) {
	entries, err := fs.ReadDir(recordings, "recordings")
	if err != nil {
		t.Fatal(err)
	}
	var scripts []byte
	for _, name := range order {
		data, err := recordings.ReadFile("recordings/" + name + scriptSuffix)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, data...)
	}
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		switch {
		case strings.HasSuffix(e.Name(), scriptSuffix):
			if _, err := Load(strings.TrimSuffix(e.Name(), scriptSuffix)); err != nil {
				t.Error(err)
			}
		case strings.HasSuffix(e.Name(), timingSuffix):
		default:
			if !bytes.Contains(scripts, []byte(`"play":"`+e.Name()+`"`)) {
				t.Errorf("%s is not played", e.Name())
			}
			if _, err := recordings.ReadFile("recordings/" + e.Name() + timingSuffix); err != nil {
				t.Error(err)
			}
		}
	}
	if total > 300<<10 {
		t.Errorf("the recordings are %d bytes", total)
	}
}

func TestLoadUnknown(t *testing.T) {
	if _, err := Load("nothing"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// TestListIsTheCallersOwn changes what List returned.
func TestListIsTheCallersOwn(t *testing.T) {
	List()[0] = nil
	if List()[0] == nil {
		t.Error("the next caller sees the change")
	}
}

var _ Sink = (*fold)(nil)
