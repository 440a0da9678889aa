package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// compare holds a document to the truth.
func compare(t *testing.T, format string, doc *answer.Document, truth object) {
	t.Helper()
	messages := truth.list("messages")
	if len(messages) != len(doc.Answers) {
		t.Fatalf("%d answers, want %d", len(doc.Answers), len(messages))
	}
	for i, m := range messages {
		at := fmt.Sprintf("answer %d", i)
		compareAnswer(t, at, &doc.Answers[i], m)
		compareFinish(t, at, format, &doc.Answers[i], m, truth)
		compareSources(t, at, &doc.Answers[i], m)
		compareSigned(t, at, &doc.Answers[i], m)
	}
	compareErrors(t, doc.Errors, truth.list("errors"))
}

func compareErrors(t *testing.T, got []answer.Error, want []object) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d errors, want %d: %+v", len(got), len(want), got)
		return
	}
	for i, w := range want {
		if s := wiretest.SHA256(got[i].Message); w.has("message_sha256") && s != w.str("message_sha256") {
			t.Errorf("error %d: message %q differs", i, got[i].Message)
		}
		if code := plain(w["code"]); code != "" && got[i].Code != code && strconv.Itoa(got[i].Status) != code {
			t.Errorf("error %d: code %q status %d, want %q", i, got[i].Code, got[i].Status, code)
		}
	}
}

func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func compareAnswer(t *testing.T, at string, a *answer.Answer, m object) {
	t.Helper()
	if stop := m.str("finish_reason"); a.Stop != stop {
		t.Errorf("%s: stop %q, want %q", at, a.Stop, stop)
	}
	compareUsage(t, at, a.Usage, m)
	parts := partsOf(a)
	want := m.list("parts")
	for i := 0; i < max(len(parts), len(want)); i++ {
		switch {
		case i >= len(want):
			t.Errorf("%s: part %d: %+.300v is too much", at, i, parts[i])
		case i >= len(parts):
			t.Errorf("%s: part %d: %v is missing", at, i, want[i])
		default:
			comparePart(t, fmt.Sprintf("%s part %d (%s)", at, i, want[i].str("type")), &parts[i], want[i])
		}
	}
}

// beside are the opaque parts the recordings hold that the truth counts among
// its flags or lists beside the parts.
var beside = map[string]bool{"executed_tools": true, "reasoning_details": true, "provider_metadata": true, "context": true}

// partsOf returns the parts of an answer that the truth has as parts.
func partsOf(a *answer.Answer) []answer.Part {
	var parts []answer.Part
	for _, p := range a.Parts {
		if p.Kind == answer.Source || p.Kind == answer.Opaque && beside[p.Type] {
			continue
		}
		parts = append(parts, p)
	}
	return parts
}

// finishes is our word for each word of the providers in the recordings.
var finishes = map[string]steno.Finish{
	"completed": steno.FinishComplete, "failed": steno.FinishError, "incomplete": steno.FinishLength,
	"STOP": steno.FinishComplete, "MAX_TOKENS": steno.FinishLength,
	"stop": steno.FinishComplete, "tool_calls": steno.FinishComplete, "length": steno.FinishLength,
	"end_turn": steno.FinishComplete, "tool_use": steno.FinishComplete, "stop_sequence": steno.FinishComplete,
	"max_tokens": steno.FinishLength, "pause_turn": steno.FinishPaused, "refusal": steno.FinishRefusal,
	"compaction": steno.FinishPaused, "guardrail_intervened": steno.FinishRefusal,
}

func compareFinish(t *testing.T, at, format string, a *answer.Answer, m, truth object) {
	t.Helper()
	want, ok := finishes[m.str("finish_reason")]
	switch {
	case len(truth.list("errors")) > 0:
		want = steno.FinishError
	case m.str("finish_reason") == "" && truth.flag("done_marker"):
		want = steno.FinishComplete
	case m.str("finish_reason") == "":
		want = steno.FinishIncomplete
	case !ok:
		t.Errorf("%s: no word for %q of %s", at, m.str("finish_reason"), format)
	}
	if a.Finish != want {
		t.Errorf("%s: finish %s, want %s", at, a.Finish, want)
	}
}

// compareSources holds what an answer cites to the truth: of each text in
// order, then of the answer as a whole.
func compareSources(t *testing.T, at string, a *answer.Answer, m object) {
	t.Helper()
	var sources [][]byte
	for _, p := range a.Parts {
		if p.Kind == answer.Source {
			sources = append(sources, p.Raw)
		}
	}
	want := []object{m.obj("annotations"), m.obj("grounding")}
	for i := len(m.list("parts")) - 1; i >= 0; i-- {
		p := m.list("parts")[i]
		want = append([]object{p.obj("annotations"), p.obj("citations")}, want...)
	}
	for _, w := range want {
		n := int(w.num("count"))
		if n == 0 {
			continue
		}
		if n > len(sources) {
			t.Errorf("%s: %d sources, want %d", at, len(sources), n)
			return
		}
		if got := wiretest.SHA256(bytes.Join(sources[:n], nil)); got != w.str("raw_concat_sha256") {
			t.Errorf("%s: sources differ: %.300s", at, sources[:n])
		}
		sources = sources[n:]
	}
}

// compareSigned looks for the provider data that the truth lists beside the
// parts.
func compareSigned(t *testing.T, at string, a *answer.Answer, m object) {
	t.Helper()
	parts := partsOf(a)
	var all []byte
	for _, p := range a.Parts {
		for _, raw := range [][]byte{p.Opaque, p.Raw} {
			if len(raw) > 0 {
				all = append(append(all, raw...), ',')
			}
		}
	}
	for _, s := range m.list("thought_signatures") {
		i := int(s.num("after_part"))
		if i < 0 || i >= len(parts) {
			t.Errorf("%s: no part %d", at, i)
			continue
		}
		found(t, fmt.Sprintf("%s part %d signature", at, i), parts[i].Opaque, s)
	}
	all = append(append([]byte{'['}, all...), "0]"...)
	for i, detail := range m.list("reasoning_details") {
		for _, name := range []string{"data", "signature"} {
			if o := detail.obj(name); o != nil {
				found(t, fmt.Sprintf("%s reasoning detail %d %s", at, i, name), all, o)
			}
		}
	}
}

// compareUsage holds usage to the first numbers overlaid by the last.
func compareUsage(t *testing.T, at string, usage []byte, m object) {
	t.Helper()
	want := map[string]any{}
	for _, name := range []string{"usage_first", "usage_last", "usage"} {
		for k, v := range m.obj(name) {
			want[k] = v
		}
	}
	got := map[string]any{}
	if len(usage) > 0 {
		if err := json.Unmarshal(usage, &got); err != nil {
			t.Errorf("%s: usage: %v", at, err)
		}
	}
	if diff := cmp.Diff(strip(want), strip(got)); diff != "" {
		t.Errorf("%s: usage: %s", at, diff)
	}
}

// strip removes nulls and what is empty, which the truth leaves out.
func strip(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, e := range m {
		if e = strip(e); e != nil {
			out[k] = e
		}
	}
	return out
}

var kinds = map[string]answer.Kind{
	"text": answer.Text, "refusal": answer.Text,
	"reasoning": answer.Thinking, "reasoning_redacted": answer.Thinking,
	"tool_call": answer.ToolCall, "custom_tool_call": answer.ToolCall,
	"server_tool_call": answer.ToolCall, "mcp_tool_call": answer.ToolCall,
	"server_tool_result": answer.ToolResult,
	"server_item":        answer.Opaque, "compaction": answer.Opaque, "other": answer.Opaque,
	"file": answer.File, "image": answer.File,
}

func comparePart(t *testing.T, at string, p *answer.Part, w object) {
	t.Helper()
	if p.Kind != kinds[w.str("type")] {
		t.Errorf("%s: is %s", at, p.Kind)
		return
	}
	switch p.Kind {
	case answer.Text, answer.Thinking:
		compareText(t, at, p, w)
	case answer.ToolCall:
		compareCall(t, at, p, w)
	case answer.ToolResult:
		compareResult(t, at, p, w)
	case answer.Opaque:
		if p.Type != w.str("wire") && w.has("wire") {
			t.Errorf("%s: type %q, want %q", at, p.Type, w.str("wire"))
		}
		for _, name := range []string{"item", "block", "part"} {
			compareRaw(t, at, p.Raw, w, name)
		}
	}
	for _, name := range []string{"signature", "encrypted", "redacted", "data"} {
		if o := w.obj(name); o != nil {
			found(t, at+" "+name, p.Opaque, o)
		}
	}
}

func compareText(t *testing.T, at string, p *answer.Part, w object) {
	t.Helper()
	size, hash := w.num("bytes"), w.str("sha256")
	if w.has("done_equals_deltas") && !w.flag("done_equals_deltas") {
		size, hash = w.num("done_bytes"), w.str("done_sha256")
	}
	if w.str("type") == "reasoning_redacted" {
		size, hash = 0, wiretest.SHA256("")
	}
	if float64(len(p.Text)) != size || wiretest.SHA256(p.Text) != hash {
		t.Errorf("%s: %d bytes, want %v: %.100q", at, len(p.Text), size, p.Text)
	}
}

func compareCall(t *testing.T, at string, p *answer.Part, w object) {
	t.Helper()
	executor := steno.ExecutorClient
	if w.str("type") == "server_tool_call" || w.str("type") == "mcp_tool_call" || w.str("tool_kind") == "server_tool_use" {
		executor = steno.ExecutorProvider
	}
	if p.Executor != executor {
		t.Errorf("%s: executor %q, want %q", at, p.Executor, executor)
	}
	if p.ID != w.str("id") {
		t.Errorf("%s: id %q, want %q", at, p.ID, w.str("id"))
	}
	if w.has("name") && p.Name != w.str("name") {
		t.Errorf("%s: name %q, want %q", at, p.Name, w.str("name"))
	}
	switch {
	case w.has("args_sha256"):
		if wiretest.SHA256(p.Arguments) != w.str("args_sha256") {
			t.Errorf("%s: arguments %q", at, p.Arguments)
		}
	case w.has("args_raw_sha256"):
		compareRaw(t, at, []byte(p.Arguments), w, "args")
	case w.flag("args_absent"):
		if p.Arguments != "" {
			t.Errorf("%s: arguments %q where there are none", at, p.Arguments)
		}
	case w.has("assembled_args_canon_sha256"):
		c, err := canon([]byte(p.Arguments))
		if err != nil || wiretest.SHA256(c) != w.str("assembled_args_canon_sha256") {
			t.Errorf("%s: assembled arguments %s: %v", at, p.Arguments, err)
		}
	case w.str("wire") == "executableCode": // the code itself is the arguments
		if wiretest.SHA256(p.Arguments) != w.str("sha256") {
			t.Errorf("%s: code %q", at, p.Arguments)
		}
	case w.str("wire") == "toolCall":
		var o struct {
			ToolCall json.RawMessage `json:"toolCall"`
		}
		if err := json.Unmarshal(p.Opaque, &o); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		compareRaw(t, at, o.ToolCall, w, "value")
	}
}

func compareResult(t *testing.T, at string, p *answer.Part, w object) {
	t.Helper()
	id := w.str("tool_use_id")
	if id == "" {
		id = w.str("id")
	}
	if p.ID != id && id != "" {
		t.Errorf("%s: id %q, want %q", at, p.ID, id)
	}
	if w.str("wire") == "codeExecutionResult" {
		found(t, at, p.Raw, w)
	}
	compareRaw(t, at, p.Raw, w, "content")
	compareRaw(t, at, p.Raw, w, "value")
}

// compareRaw holds raw bytes to the hash of what stood on the wire.
func compareRaw(t *testing.T, at string, raw []byte, w object, name string) {
	t.Helper()
	hash := w.str(name + "_raw_sha256")
	if hash == "" || hash == wiretest.SHA256(raw) {
		return
	}
	t.Errorf("%s: raw %s of %d bytes differs, want %v bytes: %.200s", at, name, len(raw), w.num(name+"_raw_bytes"), raw)
}

// found looks for a string by its hash.
func found(t *testing.T, at string, raw []byte, w object) {
	t.Helper()
	for _, s := range stringsIn(raw) {
		if wiretest.SHA256(s) == w.str("sha256") {
			return
		}
	}
	t.Errorf("%s: no string of %v bytes in %.200s", at, w.num("bytes"), raw)
}
