package anthropic_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
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

type digest struct {
	Bytes int    `json:"bytes"`
	SHA   string `json:"sha256"`
}

type part struct {
	Index  int    `json:"index"`
	Wire   string `json:"wire"`
	Type   string `json:"type"`
	Closed bool   `json:"closed"`
	digest `json:",inline"`

	ID         string  `json:"id"`
	Name       string  `json:"name"`
	ServerName string  `json:"server_name"`
	Caller     any     `json:"caller"`
	ToolUseID  string  `json:"tool_use_id"`
	IsError    bool    `json:"is_error"`
	ArgsBytes  int     `json:"args_bytes"`
	ArgsSHA    string  `json:"args_sha256"`
	Signature  *digest `json:"signature"`
	Data       *digest `json:"data"`
	ContentSHA string  `json:"content_raw_sha256"`
	BlockSHA   string  `json:"block_raw_sha256"`
	Citations  *struct {
		Count int    `json:"count"`
		SHA   string `json:"raw_concat_sha256"`
	} `json:"citations"`
}

func sum[T ~string | ~[]byte](s T) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func digestOf(s string) digest { return digest{len(s), sum(s)} }

func truths(t *testing.T) map[string]jsontext.Value {
	t.Helper()
	var all map[string]jsontext.Value
	if err := json.Unmarshal(wiretest.Read(t, wiretest.Shared(t, "streams/truth.json")), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestStreams(t *testing.T) {
	all := truths(t)
	files, err := os.ReadDir(wiretest.Shared(t, "streams/anthropic-messages"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d streams, %v", len(files), err)
	}
	for _, f := range files {
		name := path.Join("anthropic-messages", f.Name())
		t.Run(f.Name(), func(t *testing.T) {
			var want truth
			if err := json.Unmarshal(all[name], &want); err != nil {
				t.Fatal(err)
			}
			events := wiretest.EveryCut(t, func() wire.Decoder { return new(anthropic.Decoder) }, wiretest.Read(t, wiretest.Shared(t, "streams/"+name)))
			compare(t, want, events)
		})
	}
}

func TestHTTPErrors(t *testing.T) {
	all := truths(t)
	for name, raw := range all {
		if !strings.HasPrefix(name, "http-errors/anthropic-") {
			continue
		}
		t.Run(path.Base(name), func(t *testing.T) {
			var want truth
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			body := wiretest.Read(t, wiretest.Shared(t, "streams/"+name))
			events := wiretest.EveryCut(t, func() wire.Decoder { return new(anthropic.Decoder) }, body)
			compare(t, want, events)
			if got := events[0].Body.(*steno.Failure).Raw; string(got) != string(body) {
				t.Errorf("body %s", got)
			}
		})
	}
}

func compare(t *testing.T, want truth, events []*steno.Event) {
	t.Helper()
	answers, failures := wiretest.Collect(events)
	if len(answers) != len(want.Messages) || len(failures) != len(want.Errors) {
		t.Fatalf("%d answers and %d errors, want %d and %d", len(answers), len(failures), len(want.Messages), len(want.Errors))
	}
	for i, e := range want.Errors {
		if got := failures[i]; got.Body.(*steno.Failure).Code != e.Type || sum(got.Text) != e.Message {
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
		if d := cmp.Diff(w, have, cmp.AllowUnexported(part{})); d != "" {
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
		out.Type, out.Wire, out.digest = "text", "text", digestOf(p.Text)
	case steno.ReasoningStart:
		out.Type, out.Wire, out.digest = "reasoning", "thinking", digestOf(p.Text)
		if opaque.Signature != "" {
			d := digestOf(opaque.Signature)
			out.Signature = &d
		}
		if opaque.Type == "redacted_thinking" {
			d := digestOf(opaque.Data)
			out.Type, out.Wire, out.digest, out.Data = "reasoning_redacted", opaque.Type, digest{}, &d
		}
	case steno.ToolStart:
		out.ID, out.Name, out.ServerName, out.Caller = p.Call, p.Name, opaque.ServerName, opaque.Caller
		out.ArgsBytes, out.ArgsSHA = len(p.Text), sum(p.Text)
		out.Type, out.Wire = "tool_call", "tool_use"
		if p.Executor == steno.Provider {
			out.Wire = opaque.Type
			out.Type = strings.TrimSuffix(opaque.Type, "use") + "call"
		}
	case steno.ToolResult:
		out.Type, out.Wire, out.ToolUseID, out.IsError = "server_tool_result", opaque.Type, p.Call, p.IsError
		out.ContentSHA = sum(p.Raw)
		if strings.Contains(string(p.Raw), `_tool_result_error"`) {
			out.IsError = false // said by the content, which the truth does not look into
		}
	case steno.Opaque:
		out.Wire, out.Type, out.BlockSHA = p.Word, "other", sum(p.Raw)
		if p.Word == "compaction" {
			var block struct {
				Content string `json:"content"`
			}
			if err := json.Unmarshal(p.Raw, &block); err != nil {
				t.Fatal(err)
			}
			out.Type, out.BlockSHA, out.digest = "compaction", "", digestOf(block.Content)
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
		}{len(p.Sources), sum(all)}
	}
	return out
}
