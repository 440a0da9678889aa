package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// document is what "steno parts --json" prints.
type document struct {
	Format  string `json:"format"`
	Answers []struct {
		Parts  []part         `json:"parts"`
		Finish string         `json:"finish"`
		Stop   *string        `json:"stop"`
		Usage  map[string]any `json:"usage"`
	} `json:"answers"`
	Errors []struct {
		Message string `json:"message"`
		Status  *int   `json:"status"`
		Code    any    `json:"code"`
	} `json:"errors"`
}

type part struct {
	Kind      string          `json:"kind"`
	Text      string          `json:"text"`
	ID        *string         `json:"id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Executor  string          `json:"executor"`
	Type      string          `json:"type"`
	Opaque    json.RawMessage `json:"opaque"`
	Raw       json.RawMessage `json:"raw"`
}

// truthFile is what is known of a recorded answer.
type truthFile struct {
	Done     *bool          `json:"done_marker"`
	Messages []truthMessage `json:"messages"`
	Errors   []truth        `json:"errors"`
}

type truthMessage struct {
	Parts      []truth        `json:"parts"`
	Finish     string         `json:"finish_reason"`
	Usage      map[string]any `json:"usage"`
	UsageFirst map[string]any `json:"usage_first"`
	UsageLast  map[string]any `json:"usage_last"`
}

// truth is a part or an error of the truth, by its members.
type truth map[string]any

func (w truth) text(name string) string {
	s, _ := w[name].(string)
	return s
}

func (w truth) number(name string) int {
	n, _ := w[name].(float64)
	return int(n)
}

func hashOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// kindOf is the mapping of the contract.
var kindOf = map[string]string{
	"text": "text", "refusal": "text", "reasoning": "thinking", "reasoning_redacted": "thinking",
	"tool_call": "tool-call", "custom_tool_call": "tool-call", "server_tool_call": "tool-call", "mcp_tool_call": "tool-call",
	"server_tool_result": "tool-result", "server_item": "opaque", "compaction": "opaque", "other": "opaque",
	"file": "file", "image": "file",
}

func (f *truthFile) compare(t *testing.T, doc *document) {
	t.Helper()
	if len(doc.Answers) != len(f.Messages) {
		t.Fatalf("%d answers, want %d", len(doc.Answers), len(f.Messages))
	}
	for i := range f.Messages {
		m, a := &f.Messages[i], &doc.Answers[i]
		m.compareParts(t, a.Parts)
		if stop := a.Stop; (stop == nil) != (m.Finish == "") || stop != nil && *stop != m.Finish {
			t.Errorf("answer %d: stop %v, want %q", i, stop, m.Finish)
		}
		if !slices.Contains([]string{"complete", "length", "incomplete", "error", "refusal", "paused"}, a.Finish) {
			t.Errorf("answer %d: finish %q is none of ours", i, a.Finish)
		}
		usage := maps.Clone(m.UsageFirst)
		if usage == nil {
			usage = map[string]any{}
		}
		maps.Copy(usage, m.UsageLast)
		maps.Copy(usage, m.Usage)
		if got, want := said(a.Usage), said(usage); !reflect.DeepEqual(got, want) {
			t.Errorf("answer %d: usage %v, want %v", i, got, want)
		}
	}
	if len(doc.Errors) != len(f.Errors) {
		t.Fatalf("%d errors, want %d", len(doc.Errors), len(f.Errors))
	}
	for i, w := range f.Errors {
		if h := w.text("message_sha256"); h != "" && h != hashOf(doc.Errors[i].Message) {
			t.Errorf("error %q has another text", doc.Errors[i].Message)
		}
	}
}

// said leaves out of usage what is null or has no members.
func said(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		if inner, ok := v.(map[string]any); ok {
			if inner = said(inner); len(inner) > 0 {
				out[k] = inner
			}
		} else if v != nil {
			out[k] = v
		}
	}
	return out
}

// compareParts walks both lists. Between the parts of the truth there may stand
// sources and provider's data that the truth counts elsewhere, nothing else.
func (m *truthMessage) compareParts(t *testing.T, parts []part) {
	t.Helper()
	next := 0
	for i := range parts {
		p := &parts[i]
		switch {
		case next < len(m.Parts) && kindOf[m.Parts[next].text("type")] == p.Kind:
			where := fmt.Sprintf("part %d (%s)", i, m.Parts[next].text("type"))
			comparePart(t, where, p, m.Parts[next])
			next++
		case p.Kind != "source" && p.Kind != "opaque":
			t.Errorf("part %d: a %s stands where the truth has none", i, p.Kind)
		}
	}
	for _, w := range m.Parts[next:] {
		t.Errorf("a part is missing: %v", w)
	}
}

func comparePart(t *testing.T, where string, p *part, w truth) {
	t.Helper()
	for _, name := range []string{"signature", "encrypted", "redacted", "data"} {
		if o, ok := w[name].(map[string]any); ok && !holds(p.Opaque, truth(o).text("sha256")) {
			t.Errorf("%s: its %s is not in the opaque data %.100s", where, name, p.Opaque)
		}
	}
	switch p.Kind {
	case "text", "thinking":
		hash, size := w.text("sha256"), w.number("bytes")
		if same, ok := w["done_equals_deltas"].(bool); ok && !same {
			hash, size = w.text("done_sha256"), w.number("done_bytes")
		}
		if w.text("type") == "reasoning_redacted" {
			hash, size = hashOf(""), 0
		}
		if len(p.Text) != size || hashOf(p.Text) != hash {
			t.Errorf("%s: %d bytes of text, want %d of another: %.60q", where, len(p.Text), size, p.Text)
		}
	case "tool-call":
		compareCall(t, where, p, w)
	case "tool-result":
		compareRaw(t, where, p.Raw, w, "content", "value")
		if id := w.text("tool_use_id"); id != "" && (p.ID == nil || *p.ID != id) {
			t.Errorf("%s: id %v, want %q", where, p.ID, id)
		}
	case "opaque":
		compareRaw(t, where, p.Raw, w, "item", "block", "part")
	}
}

func compareCall(t *testing.T, where string, p *part, w truth) {
	t.Helper()
	if p.Arguments == nil || p.Executor != "client" && p.Executor != "provider" {
		t.Fatalf("%s: lacks a member: %+v", where, p)
	}
	provider := w.text("type") == "server_tool_call" || w.text("type") == "mcp_tool_call" || w.text("tool_kind") == "server_tool_use"
	if provider != (p.Executor == "provider") {
		t.Errorf("%s: executor %q", where, p.Executor)
	}
	if id := w.text("id"); id != "" && (p.ID == nil || *p.ID != id) || id == "" && p.ID != nil && *p.ID != "" {
		t.Errorf("%s: id %v, want %q", where, p.ID, id)
	}
	if name := w.text("name"); name != "" && p.Name != name {
		t.Errorf("%s: name %q, want %q", where, p.Name, name)
	}
	switch args := *p.Arguments; {
	case w.text("args_sha256") != "":
		if hashOf(args) != w.text("args_sha256") {
			t.Errorf("%s: arguments %.200s", where, args)
		}
	case w.text("args_raw_sha256") != "":
		compareRaw(t, where, []byte(args), w, "args")
	case w["args_absent"] == true:
		if args != "" {
			t.Errorf("%s: arguments %q where there are none", where, args)
		}
	}
}

// compareRaw compares raw JSON byte for byte, by its hash.
func compareRaw(t *testing.T, where string, raw []byte, w truth, names ...string) {
	t.Helper()
	for _, name := range names {
		if hash := w.text(name + "_raw_sha256"); hash != "" && hashOf(string(raw)) != hash {
			t.Errorf("%s: the raw %s of %d bytes differs from the wire's %d: %.100s", where, name, len(raw), w.number(name+"_raw_bytes"), raw)
		}
	}
}

// holds reports whether a string with that hash stands anywhere in a value.
func holds(raw json.RawMessage, hash string) bool {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return false
	}
	var within func(v any) bool
	within = func(v any) bool {
		switch v := v.(type) {
		case string:
			return hashOf(v) == hash
		case []any:
			return slices.ContainsFunc(v, within)
		case map[string]any:
			return slices.ContainsFunc(slices.Collect(maps.Values(v)), within)
		}
		return false
	}
	return within(v)
}

// caseFile is a case's expected.json.
type caseFile struct {
	Format     string        `json:"format"`
	Wire       string        `json:"wire"`
	Events     string        `json:"events"`
	Chunks     []truth       `json:"chunks"`
	Messages   []caseMessage `json:"messages"`
	End        string        `json:"end"`
	Superseded []int         `json:"superseded"`
	Options    struct {
		InlineThink bool `json:"inline_think"`
	} `json:"options"`
	ArgsAlt  map[string]string `json:"args_alt"`
	TextAlt  []string          `json:"text_alt"`
	Variants []caseFile        `json:"variants"`
}

type caseMessage struct {
	Role       string  `json:"role"`
	Chunks     []truth `json:"chunks"`
	Superseded []int   `json:"superseded"`
}

// folded is what "steno fold" prints.
type folded struct {
	Messages []caseMessage  `json:"messages"`
	End      string         `json:"end"`
	Dropped  map[string]int `json:"dropped"`
}

func (c *caseFile) inherit(from *caseFile) {
	if c.Format == "" {
		c.Format = from.Format
	}
	c.Options = from.Options
	if c.ArgsAlt == nil {
		c.ArgsAlt, c.TextAlt = from.ArgsAlt, from.TextAlt
	}
}

// compareParts compares what an answer alone decides: texts and calls.
func (c *caseFile) compareParts(t *testing.T, doc *document) {
	t.Helper()
	var want, got []string
	for _, w := range c.Chunks {
		switch w.text("type") {
		case "tool-batch":
			for _, x := range w["calls"].([]any) {
				call := truth(x.(map[string]any))
				want = append(want, "call "+call.text("id")+" "+call.text("name")+" "+call.text("arguments"))
			}
		case "text", "thinking":
			hash := w.text("sha256")
			if hash == "" {
				hash = hashOf(w.text("text"))
			}
			want = append(want, w.text("type")+" "+hash)
		}
	}
	for _, a := range doc.Answers {
		if a.Finish != c.End {
			t.Errorf("finish %q, want %q", a.Finish, c.End)
		}
		for _, p := range a.Parts {
			switch {
			case p.Kind == "tool-call":
				got = append(got, "call "+*p.ID+" "+p.Name+" "+*p.Arguments)
			case p.Text != "" || len(p.Opaque) > 0:
				got = append(got, p.Kind+" "+hashOf(p.Text))
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func (c *caseFile) compareFold(t *testing.T, got *folded) {
	t.Helper()
	if len(got.Dropped) > 0 {
		t.Errorf("dropped %v", got.Dropped)
	}
	if c.End != "" && got.End != c.End {
		t.Errorf("end %q, want %q", got.End, c.End)
	}
	want, messages := c.Messages, got.Messages
	switch {
	case c.Chunks != nil:
		messages = messages[len(messages)-1:]
		want = []caseMessage{{Role: "assistant", Chunks: c.Chunks}}
	case want == nil:
		return // it is about what is sent to a provider
	}
	if len(messages) != len(want) {
		t.Fatalf("%d messages, want %d", len(messages), len(want))
	}
	for i, w := range want {
		m := messages[i]
		if m.Role != w.Role || len(m.Chunks) != len(w.Chunks) {
			t.Errorf("message %d: %s of %d chunks, want %s of %d", i, m.Role, len(m.Chunks), w.Role, len(w.Chunks))
			continue
		}
		for j := range w.Chunks {
			c.match(t, fmt.Sprintf("message %d chunk %d", i, j), map[string]any(m.Chunks[j]), map[string]any(w.Chunks[j]))
		}
		if c.Superseded != nil && !slices.Equal(m.Superseded, c.Superseded) {
			t.Errorf("superseded %v, want %v", m.Superseded, c.Superseded)
		}
	}
}

// match holds got to each member that want has.
func (c *caseFile) match(t *testing.T, where string, got, want any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k, v := range w {
			c.match(t, where+" "+k, g[k], v)
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s: %d items, want %d", where, len(g), len(w))
			return
		}
		for i := range w {
			c.match(t, fmt.Sprintf("%s %d", where, i), g[i], w[i])
		}
	case string:
		g, _ := got.(string)
		free := w == "*" || strings.HasPrefix(w, "<")
		if free && g != "" || g == w || c.ArgsAlt[w] == g && g != "" || slices.Contains(c.TextAlt, g) {
			return
		}
		t.Errorf("%s: %q, want %q", where, g, w)
	default:
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	}
}
