package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// normalise runs source events through a fresh normaliser.
func normalise(source ...*steno.Event) []*steno.Event {
	var n Normaliser
	return normaliseWith(&n, source...)
}

func normaliseWith(n *Normaliser, source ...*steno.Event) []*steno.Event {
	var out []*steno.Event
	for _, e := range source {
		n.Normalise(e, func(e *steno.Event) { out = append(out, e.Clone()) })
	}
	return out
}

// read parses source events written as JSON lines. Single quotes stand for
// double ones.
func read(t testing.TB, lines string) []*steno.Event {
	t.Helper()
	var out []*steno.Event
	err := ReadSource(strings.NewReader(lines), func(e *steno.Event) { out = append(out, e.Clone()) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// src parses lines written with single quotes.
func src(t testing.TB, lines ...string) []*steno.Event {
	t.Helper()
	return read(t, strings.ReplaceAll(strings.Join(lines, "\n"), "'", `"`))
}

// fold normalises, checks the laws of the output and folds it, by the reference
// and by the engine.
func fold(t testing.TB, source []*steno.Event) FoldReport {
	t.Helper()
	events := normalise(source...)
	checkLaws(t, events)
	var r Reporter
	for _, e := range events {
		r.Add(e)
	}
	report := r.Report(reference(events))
	var tr Transcript
	for _, e := range source {
		tr.Append(*e)
	}
	want, _ := marshal(report)
	if got, _ := marshal(tr.Report()); got != want {
		t.Fatalf("transcript:\n%s\nreference:\n%s", got, want)
	}
	return report
}

// checkLaws checks what holds of every output of a normaliser.
func checkLaws(t testing.TB, events []*steno.Event) {
	t.Helper()
	again := normalise(events...)
	if a, b := dump(events), dump(again); a != b {
		t.Fatalf("normalising again changes the events (A17)\nonce:\n%s\ntwice:\n%s", a, b)
	}
	checkBalance(t, events)
}

// checkBalance checks that nothing ends that did not start, starts twice, or
// takes deltas when it cannot, and that nothing is open after its step or turn.
func checkBalance(t testing.TB, events []*steno.Event) {
	t.Helper()
	b := balance{t: t, state: map[string]string{}}
	for i, e := range events {
		b.at = i
		b.event(e)
		if t.Failed() {
			t.Fatalf("event %d of\n%s", i, dump(events))
		}
	}
}

type balance struct {
	t          testing.TB
	at         int
	turn, step bool
	state      map[string]string // part key → open, sealed, done
	blockParts []string          // text and thinking parts of the attempt
	calls      []string          // calls of the turn
	stepCalls  []string
}

func (b *balance) want(ok bool, what string, e *steno.Event) {
	if !ok {
		b.t.Errorf("event %d (%s): %s", b.at, e.Type, what)
	}
}

func (b *balance) event(e *steno.Event) {
	key := e.Message + "/" + string(steno.KindOf(e.Type)) + ":" + e.Part
	if steno.KindOf(e.Type) != "" && e.Type != steno.PermissionAsked && e.Type != steno.PermissionAnswered {
		b.want(e.Part != "" && e.Message != "", "no address", e)
	}
	switch e.Type {
	case steno.TurnStart:
		b.want(!b.turn, "turn in turn", e)
		b.turn = true
	case steno.TurnEnd:
		b.want(b.turn && !b.step, "turn end without turn or in step", e)
		for _, k := range b.calls {
			b.want(b.state[k] == "done", "call without result "+k, e)
		}
		b.turn, b.calls = false, nil
	case steno.StepStart:
		b.want(b.turn && !b.step, "step in step", e)
		b.step, b.blockParts, b.stepCalls = true, nil, nil
	case steno.StepEnd, steno.AttemptFailed:
		b.want(b.step || e.Type == steno.AttemptFailed, "step end without step", e)
		b.step = false
		for _, k := range b.blockParts {
			b.want(b.state[k] == "sealed", "part open after step "+k, e)
		}
		for _, k := range b.stepCalls {
			b.want(b.state[k] != "open", "arguments open after step "+k, e)
		}
	case steno.TextStart, steno.ReasoningStart:
		b.want(b.step && b.state[key] == "", "start twice or outside a step", e)
		b.state[key] = "open"
		b.blockParts = append(b.blockParts, key)
	case steno.TextDelta, steno.ReasoningDelta:
		b.want(b.step && b.state[key] == "open" && e.Text != "", "delta without start, or empty", e)
	case steno.TextEnd, steno.ReasoningEnd:
		b.want(b.step && b.state[key] == "open", "end without start", e)
		b.state[key] = "sealed"
	case steno.ToolStart:
		b.want(b.step && b.state[key] == "", "start twice or outside a step", e)
		b.state[key] = "open"
		b.calls, b.stepCalls = append(b.calls, key), append(b.stepCalls, key)
	case steno.ToolDelta:
		says := e.Text != "" || e.Call != "" || e.Name != ""
		b.want(b.step && b.state[key] == "open" && says, "delta without start, or empty", e)
	case steno.ToolCall:
		b.want(b.step && b.state[key] == "open", "call without start", e)
		b.state[key] = "sealed"
	case steno.ToolOutput:
		b.want(b.turn && (b.state[key] == "open" || b.state[key] == "sealed"), "output without call", e)
	case steno.ToolResult:
		b.want(b.turn && b.state[key] == "sealed", "result without call, or twice", e)
		b.state[key] = "done"
	case steno.Done, steno.AttemptStart:
		b.want(false, "a source event in the journal", e)
	}
}

// dump writes events as JSON lines.
func dump(events []*steno.Event) string {
	var b strings.Builder
	for _, e := range events {
		v, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err != nil {
			v = []byte(err.Error())
		}
		b.Write(v)
		b.WriteByte('\n')
	}
	return b.String()
}

// shared returns a path in the shared folder of the project, or skips.
func shared(t testing.TB, path ...string) string {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	full := filepath.Join(append([]string{root}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("no shared folder beside the repository: %v", err)
	}
	return full
}

// brief writes chunks in one line: text(…) thinking(…) batch(id=args→result …)
// error(…) notice(…).
func brief(chunks []steno.Chunk) string {
	var out []string
	for _, c := range chunks {
		switch c.Type {
		case "tool-batch":
			var calls []string
			for _, k := range c.Calls {
				s := k.ID
				if k.ShellOutput != "" {
					s += "|" + k.ShellOutput
				}
				if k.Result != nil {
					s += "=" + *k.Result
				} else if k.Outcome != "" {
					s += "=" + string(k.Outcome) + "!"
				}
				calls = append(calls, s)
			}
			out = append(out, "batch("+strings.Join(calls, " ")+")")
		case "error":
			out = append(out, "error("+c.Message+")")
		case "system":
			out = append(out, c.Kind+"("+c.Text+")")
		default:
			out = append(out, c.Type+"("+c.Text+")")
		}
	}
	return strings.Join(out, " ")
}

// last returns the last assistant message of a report, briefly.
func last(r FoldReport) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == steno.RoleAssistant {
			return brief(r.Messages[i].Chunks)
		}
	}
	return ""
}

// all returns all messages of a report, briefly, one a line.
func all(r FoldReport) string {
	var out []string
	for _, m := range r.Messages {
		out = append(out, string(m.Role)+": "+brief(m.Chunks))
	}
	return strings.Join(out, "\n")
}

func marshal(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
