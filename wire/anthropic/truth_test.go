package anthropic_test

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/anthropic"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// truth is what is known of a recorded stream.
type truth struct {
	Messages []message `json:"messages"`
	Errors   []struct {
		Kind    string `json:"kind"`
		Type    string `json:"type"`
		Message string `json:"message_sha256"`
	} `json:"errors"`
}

type message struct {
	ID         string         `json:"id"`
	Model      string         `json:"model"`
	Parts      []part         `json:"parts"`
	Finish     string         `json:"finish_reason"`
	UsageFirst map[string]any `json:"usage_first"`
	UsageLast  map[string]any `json:"usage_last"`
	Complete   bool           `json:"complete"`
}

type part struct {
	Index           int    `json:"index"`
	Wire            string `json:"wire"`
	Type            string `json:"type"`
	Closed          bool   `json:"closed"`
	wiretest.Digest `json:",inline"`

	ID         string           `json:"id"`
	Name       string           `json:"name"`
	ServerName string           `json:"server_name"`
	Caller     any              `json:"caller"`
	ToolUseID  string           `json:"tool_use_id"`
	IsError    bool             `json:"is_error"`
	ArgsBytes  int              `json:"args_bytes"`
	ArgsSHA    string           `json:"args_sha256"`
	Signature  *wiretest.Digest `json:"signature"`
	Data       *wiretest.Digest `json:"data"`
	ContentSHA string           `json:"content_raw_sha256"`
	BlockSHA   string           `json:"block_raw_sha256"`
	Citations  *struct {
		Count int    `json:"count"`
		SHA   string `json:"raw_concat_sha256"`
	} `json:"citations"`
}

func TestStreams(t *testing.T) {
	wiretest.Streams(t, anthropic.Format+"/", func(t *testing.T, data []byte, want truth) {
		compare(t, want, wiretest.EveryCut(t, fresh, data))
	})
}

func TestHTTPErrors(t *testing.T) {
	wiretest.Streams(t, "http-errors/anthropic-", func(t *testing.T, body []byte, want truth) {
		events := wiretest.EveryCut(t, fresh, body)
		compare(t, want, events)
		if got := events[0].Body.(*steno.Failure).Raw; string(got) != string(body) {
			t.Errorf("body %s", got)
		}
	})
}

func compare(t *testing.T, want truth, events []*steno.Event) {
	t.Helper()
	answers, failures := wiretest.Collect(events)
	if len(answers) != len(want.Messages) || len(failures) != len(want.Errors) {
		t.Fatalf("%d answers and %d errors, want %d and %d", len(answers), len(failures), len(want.Messages), len(want.Errors))
	}
	for i, e := range want.Errors {
		if got := failures[i]; got.Body.(*steno.Failure).Code != e.Type || wiretest.SHA256(got.Text) != e.Message {
			t.Errorf("error %d: %s %q, want %s", i, got.Body.(*steno.Failure).Code, got.Text, e.Type)
		}
	}
	for i, m := range want.Messages {
		a := answers[i]
		if a.Start.Response != m.ID || a.Start.Model != m.Model || a.Start.Provider != "anthropic" {
			t.Errorf("answer %d: %+v", i, a.Start)
		}
		if complete := a.End.Finish != steno.FinishIncomplete; a.End.Stop != m.Finish || complete != (m.Complete || m.Finish != "") {
			t.Errorf("answer %d: ended %s (%s), want %s, complete %v", i, a.End.Finish, a.End.Stop, m.Finish, m.Complete)
		}
		usage := maps.Clone(m.UsageFirst)
		maps.Copy(usage, m.UsageLast)
		var got map[string]any
		if err := json.Unmarshal(a.End.Usage, &got); err != nil {
			t.Errorf("answer %d: usage %s: %v", i, a.End.Usage, err)
		}
		if d := cmp.Diff(usage, got); d != "" {
			t.Errorf("answer %d: usage -want +got\n%s", i, d)
		}
		compareParts(t, m.Parts, a.Parts)
	}
}

func compareParts(t *testing.T, want []part, got []*wiretest.Part) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d parts, want %d", len(got), len(want))
	}
	for i, p := range got {
		w := want[i]
		if index, _, _ := strings.Cut(p.Block, "."); index != strconv.Itoa(w.Index) {
			t.Errorf("part %d: block %s, want %d", i, p.Block, w.Index)
		}
		have := partOf(t, p)
		have.Index = w.Index
		if d := cmp.Diff(w, have); d != "" {
			t.Errorf("part %d: -want +got\n%s", i, d)
		}
	}
}

// partOf says of a collected part what the truth says.
func partOf(t *testing.T, p *wiretest.Part) part {
	t.Helper()
	out := part{Closed: p.Ended}
	var opaque struct {
		Type       string `json:"type"`
		Signature  string `json:"signature"`
		Data       string `json:"data"`
		ServerName string `json:"server_name"`
		Caller     any    `json:"caller"`
	}
	if len(p.Opaque) > 0 {
		if err := json.Unmarshal(p.Opaque, &opaque); err != nil {
			t.Fatal(err)
		}
	}
	switch p.Kind {
	case steno.TextStart:
		out.Type, out.Wire, out.Digest = "text", "text", wiretest.DigestOf(p.Text)
	case steno.ReasoningStart:
		out.Type, out.Wire, out.Digest = "reasoning", "thinking", wiretest.DigestOf(p.Text)
		if opaque.Signature != "" {
			d := wiretest.DigestOf(opaque.Signature)
			out.Signature = &d
		}
		if opaque.Type == "redacted_thinking" {
			d := wiretest.DigestOf(opaque.Data)
			out.Type, out.Wire, out.Digest, out.Data = "reasoning_redacted", opaque.Type, wiretest.Digest{}, &d
		}
	case steno.ToolStart:
		out.ID, out.Name, out.ServerName, out.Caller = p.Call, p.Name, opaque.ServerName, opaque.Caller
		out.ArgsBytes, out.ArgsSHA = len(p.Text), wiretest.SHA256(p.Text)
		out.Type, out.Wire = "tool_call", "tool_use"
		if p.Executor == steno.ExecutorProvider {
			out.Wire = opaque.Type
			out.Type = strings.TrimSuffix(opaque.Type, "use") + "call"
		}
	case steno.ToolResult:
		out.Type, out.Wire, out.ToolUseID, out.IsError = "server_tool_result", opaque.Type, p.Call, p.IsError
		out.ContentSHA = wiretest.SHA256(p.Raw)
		if strings.Contains(string(p.Raw), `_tool_result_error"`) {
			out.IsError = false // said by the content, which the truth does not look into
		}
	case steno.Opaque:
		out.Wire, out.Type, out.BlockSHA = p.Word, "other", wiretest.SHA256(p.Raw)
		if p.Word == "compaction" {
			var block struct {
				Content string `json:"content"`
			}
			if err := json.Unmarshal(p.Raw, &block); err != nil {
				t.Fatal(err)
			}
			out.Type, out.BlockSHA, out.Digest = "compaction", "", wiretest.DigestOf(block.Content)
		}
	}
	if len(p.Sources) > 0 {
		all := ""
		for _, s := range p.Sources {
			all += string(s)
		}
		out.Citations = &struct {
			Count int    `json:"count"`
			SHA   string `json:"raw_concat_sha256"`
		}{len(p.Sources), wiretest.SHA256(all)}
	}
	return out
}
