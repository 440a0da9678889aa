package bedrock_test

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/bedrock"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// truth is what is known of a recorded stream.
type truth struct {
	Messages []message        `json:"messages"`
	Errors   []jsontext.Value `json:"errors"`
}

type message struct {
	ID         string         `json:"id"`
	Model      string         `json:"model"`
	Parts      []part         `json:"parts"`
	Finish     string         `json:"finish_reason"`
	Usage      map[string]any `json:"usage"`
	UsageFirst map[string]any `json:"usage_first"`
	UsageLast  map[string]any `json:"usage_last"`
}

type raws struct {
	Count int    `json:"count"`
	SHA   string `json:"raw_concat_sha256"`
}

type part struct {
	Type            string `json:"type"`
	Index           int    `json:"index"`
	Closed          bool   `json:"closed"`
	wiretest.Digest `json:",inline"`

	ID        string           `json:"id"`
	Name      string           `json:"name"`
	ToolKind  string           `json:"tool_kind"`
	ToolUseID string           `json:"tool_use_id"`
	Status    string           `json:"status"`
	Wire      string           `json:"wire"`
	ArgsSHA   string           `json:"args_sha256"`
	Signature *wiretest.Digest `json:"signature"`
	Redacted  *wiretest.Digest `json:"redacted"`
	Citations *raws            `json:"citations"`
	Results   *raws            `json:"result_deltas"`
}

func fresh() wire.Decoder { return wiretest.Late(new(bedrock.Decoder)) }

func TestStreams(t *testing.T) {
	n := 0
	for _, format := range []string{bedrock.FormatConverse, bedrock.FormatInvoke} {
		n += wiretest.Streams(t, format+"/", func(t *testing.T, data []byte, want truth) {
			compare(t, want, wiretest.EveryCut(t, fresh, data))
		})
	}
	if n < 10 {
		t.Errorf("%d streams", n)
	}
}

func compare(t *testing.T, want truth, events []*steno.Event) {
	t.Helper()
	answers, failures := wiretest.Collect(events)
	if len(answers) != len(want.Messages) || len(failures) != len(want.Errors) {
		t.Fatalf("%d answers and %d errors, want %d and %d", len(answers), len(failures), len(want.Messages), len(want.Errors))
	}
	for i, m := range want.Messages {
		a := answers[i]
		if a.Start.Response != m.ID || a.Start.Model != m.Model || a.Start.Provider != "bedrock" {
			t.Errorf("answer %d: %+v", i, a.Start)
		}
		if a.End.Stop != m.Finish || a.End.Finish != finishes[m.Finish] {
			t.Errorf("answer %d: ended %s (%s), want %s", i, a.End.Finish, a.End.Stop, m.Finish)
		}
		usage := make(map[string]any)
		for _, u := range []map[string]any{m.Usage, m.UsageFirst, m.UsageLast} {
			maps.Copy(usage, u)
		}
		var got map[string]any
		if err := json.Unmarshal(a.End.Usage, &got); err != nil {
			t.Errorf("answer %d: usage %s: %v", i, a.End.Usage, err)
		}
		if d := cmp.Diff(usage, got); d != "" {
			t.Errorf("answer %d: usage -want +got\n%s", i, d)
		}
		if len(a.Parts) != len(m.Parts) {
			t.Fatalf("answer %d: %d parts, want %d", i, len(a.Parts), len(m.Parts))
		}
		for j, p := range a.Parts {
			have := partOf(t, p)
			if m.ID != "" { // invoke: the truth is in the words of the other format
				have.Wire = m.Parts[j].Wire
			}
			if d := cmp.Diff(m.Parts[j], have); d != "" {
				t.Errorf("answer %d part %d: -want +got\n%s", i, j, d)
			}
		}
	}
}

var finishes = map[string]steno.Finish{
	"end_turn": steno.FinishComplete, "tool_use": steno.FinishComplete,
	"max_tokens": steno.FinishLength, "guardrail_intervened": steno.FinishRefusal,
}

// partOf says of a collected part what the truth says.
func partOf(t *testing.T, p *wiretest.Part) part {
	t.Helper()
	index, err := strconv.Atoi(p.Block)
	if err != nil {
		t.Errorf("block %q", p.Block)
	}
	out := part{Index: index, Closed: p.Ended}
	var opaque struct {
		Type      string `json:"type"`
		Status    string `json:"status"`
		Signature string `json:"signature"`
		Redacted  string `json:"redactedContent"`
	}
	if len(p.Opaque) > 0 {
		if err := json.Unmarshal(p.Opaque, &opaque); err != nil {
			t.Fatal(err)
		}
	}
	some := func(s string) *wiretest.Digest {
		if s == "" {
			return nil
		}
		d := wiretest.DigestOf(s)
		return &d
	}
	switch p.Kind {
	case steno.TextStart:
		out.Type, out.Digest = "text", wiretest.DigestOf(p.Text)
	case steno.ReasoningStart:
		out.Type, out.Digest = "reasoning", wiretest.DigestOf(p.Text)
		out.Signature, out.Redacted = some(opaque.Signature), some(opaque.Redacted)
	case steno.ToolStart:
		out.Type, out.ID, out.Name, out.ArgsSHA = "tool_call", p.Call, p.Name, wiretest.SHA256(p.Text)
		out.ToolKind = opaque.Type
		if (opaque.Type == "server_tool_use") != (p.Executor == steno.ExecutorProvider) {
			t.Errorf("call %s: executor %s", p.Call, p.Executor)
		}
		// A client's call is of the usual type, whether or not that is said.
		if strings.HasPrefix(p.Name, "final_result") {
			out.ToolKind = "tool_use"
		}
	case steno.ToolResult:
		out.Type, out.ToolUseID, out.Status, out.Wire = "server_tool_result", p.Call, opaque.Status, opaque.Type
		out.Results = &raws{1, wiretest.SHA256(p.Raw)}
	}
	if len(p.Sources) > 0 {
		all := ""
		for _, s := range p.Sources {
			all += string(s)
		}
		out.Citations = &raws{len(p.Sources), wiretest.SHA256(all)}
	}
	return out
}
