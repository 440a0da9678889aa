package transcript

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/text"
)

// TestChunkJSON checks the written form of every kind of chunk.
func TestChunkJSON(t *testing.T) {
	empty := steno.Result{Outcome: steno.OutcomeOK}
	for _, x := range []struct {
		name string
		part steno.Part
		want string
	}{
		{
			"text",
			steno.Part{Kind: steno.KindText, Text: text.Of("a"), Block: "0", Step: 1, Attempt: 1},
			`{"type":"text","text":"a","block":"0","step":1,"attempt":1}`,
		},
		{
			"thinking",
			steno.Part{Kind: steno.KindThinking, Opaque: jsontext.Value(`{"signature":"s"}`), Provider: "p", Model: "m"},
			`{"type":"thinking","opaque":{"signature":"s"},"provider":"p","model":"m"}`,
		},
		{
			"an open call",
			steno.Part{Kind: steno.KindTool, Call: &steno.Call{ID: "x", Name: "f", Arguments: text.Of("{}")}},
			`{"type":"tool-batch","calls":[{"id":"x","name":"f","arguments":"{}"}]}`,
		},
		{
			"an empty result",
			steno.Part{Kind: steno.KindTool, Call: &steno.Call{ID: "x", Output: text.Of("o"), Result: &empty}},
			`{"type":"tool-batch","calls":[{"id":"x","name":"","arguments":"","result":"","outcome":"ok","shellOutput":"o"}]}`,
		},
		{
			"a skipped call",
			steno.Part{Kind: steno.KindTool, Call: &steno.Call{ID: "x", Result: &steno.Result{Outcome: steno.OutcomeSkipped}}},
			`{"type":"tool-batch","calls":[{"id":"x","name":"","arguments":"","outcome":"skipped"}]}`,
		},
		{
			"result parts",
			steno.Part{Kind: steno.KindTool, Call: &steno.Call{ID: "x", Result: &steno.Result{Parts: []steno.Content{{Kind: "text", Text: "a"}, {Kind: "text", Text: "b"}}}}},
			`{"type":"tool-batch","calls":[{"id":"x","name":"","arguments":"","result":"ab","parts":[{"kind":"text","text":"a"},{"kind":"text","text":"b"}]}]}`,
		},
		{
			"a provider's result",
			steno.Part{Kind: steno.KindTool, Call: &steno.Call{ID: "x", Executor: steno.ExecutorProvider, Result: &steno.Result{Raw: jsontext.Value(`[1]`)}}},
			`{"type":"tool-batch","calls":[{"id":"x","name":"","arguments":"","executor":"provider","raw":[1]}]}`,
		},
		{
			"error",
			steno.Part{Kind: steno.KindError, Text: text.Of("e"), Status: 503},
			`{"type":"error","message":"e","statusCode":503}`,
		},
		{
			"system",
			steno.Part{Kind: steno.KindSystem, Notice: "notice", Text: text.Of("n")},
			`{"type":"system","text":"n","kind":"notice"}`,
		},
		{
			"opaque",
			steno.Part{Kind: steno.KindOpaque, Content: &steno.Block{Kind: "k", Raw: jsontext.Value(`{"a":1}`)}},
			`{"type":"opaque","kind":"k","raw":{"a":1}}`,
		},
		{
			"file",
			steno.Part{Kind: steno.KindFile, Content: &steno.Block{Blob: "b", Media: "image/png"}},
			`{"type":"file","raw":{"blob":"b","media":"image/png"}}`,
		},
		{
			"a kind we do not know",
			steno.Part{Kind: "novel", Content: &steno.Block{Raw: jsontext.Value(`1`)}},
			`{"type":"novel","raw":1}`,
		},
	} {
		chunks := Chunks([]steno.Part{x.part})
		got, err := marshal(chunks[0])
		if err != nil || got != x.want {
			t.Errorf("%s:\ngot  %s %v\nwant %s", x.name, got, err, x.want)
		}
	}
}

// TestReportJSON checks the report of nothing.
func TestReportJSON(t *testing.T) {
	var r Reporter
	got, err := json.Marshal(r.Report(nil))
	if err != nil || string(got) != `{"messages":[],"end":"","dropped":{}}` {
		t.Errorf("%s %v", got, err)
	}
}

// TestReportEnd checks what end says.
func TestReportEnd(t *testing.T) {
	for _, x := range []struct {
		name, source string
		want         steno.Finish
	}{
		{"no turn", "{'type':'user-message','text':'u'}", ""},
		{"inside a turn", start + delta("a"), steno.FinishIncomplete},
		{"after a step", start + delta("a") + "{'type':'step-end','finish':'length'}", steno.FinishLength},
		{"after a step, in another", start + delta("a") + stepEnd + delta("b"), steno.FinishIncomplete},
		{"cancelled, inside", start + delta("a") + stepEnd + "{'type':'cancelled'}", steno.FinishCancelled},
		{"cancelled and done", start + delta("a") + "{'type':'cancelled'};" + done, steno.FinishCancelled},
		{"done", start + delta("a") + done, steno.FinishComplete},
		{"done after an error", start + delta("a") + failure + done, steno.FinishError},
		{"done after an error and more", start + failure + delta("a") + done, steno.FinishComplete},
		{"done after an answer that was cut", start + delta("a") + "{'type':'step-end','finish':'length'};" + done, steno.FinishLength},
		{"a failed attempt", start + failure + "{'type':'attempt-failed'};" + done, steno.FinishError},
		{"its own reason", start + delta("a") + "{'type':'turn-end','reason':'refusal'}", steno.FinishRefusal},
		{"an earlier turn was cancelled", start + "{'type':'cancelled'};" + done + start + delta("a") + done, steno.FinishComplete},
	} {
		l := line{source: x.source}
		if r := l.run(t); r.End != x.want {
			t.Errorf("%s: %q, want %q", x.name, r.End, x.want)
		}
	}
}
