package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/anthropic"
	"github.com/stenolog/steno/wire/openaichat"
)

// expected is what a case's expected.json says of the record.
type expected struct {
	ID      string   `json:"id"`
	Format  string   `json:"format"`
	Wire    string   `json:"wire"`
	Then    string   `json:"then"`
	Events  string   `json:"events"`
	Cuts    []string `json:"cuts"`
	Options struct {
		InlineThink bool `json:"inline_think"`
	} `json:"options"`
	Chunks     []map[string]any `json:"chunks"`
	Messages   []expectedMsg    `json:"messages"`
	End        string           `json:"end"`
	Superseded []int            `json:"superseded"`
	ArgsAlt    map[string]any   `json:"args_alt"`
	TextAlt    []string         `json:"text_alt"`
	Forbid     []string         `json:"forbid"`
	// Executed are the calls that may be run, NotExecuted some that may not.
	Executed    []string   `json:"executed"`
	NotExecuted []string   `json:"not_executed"`
	Variants    []expected `json:"variants"`
}

type expectedMsg struct {
	Role   string           `json:"role"`
	Chunks []map[string]any `json:"chunks"`
}

// TestCases runs every case that is a provider's answer or a list of events.
func TestCases(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(shared(t, "cases", "give"), "G*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var x expected
		if json.Unmarshal(raw, &x) != nil {
			continue // a case of another kind, whose fields have other types
		}
		if len(x.Variants) == 0 {
			x.Variants = []expected{x}
		}
		for _, v := range x.Variants {
			if v.Format == "" {
				v.Format = x.Format
			}
			if v.Wire == "" && v.Events == "" {
				continue
			}
			t.Run(strings.Join([]string{x.ID, v.Wire, v.Events}, " "), func(t *testing.T) { v.run(t, dir) })
		}
	}
}

func (x *expected) run(t *testing.T, dir string) {
	if x.Events != "" {
		x.check(t, readFile(t, filepath.Join(dir, x.Events)))
		return
	}
	raw, err := os.ReadFile(filepath.Join(dir, x.Wire))
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Cuts) == 0 {
		x.Cuts = []string{"whole", "each-byte"}
	}
	for _, cut := range x.Cuts {
		source := x.decode(t, cutAt(cut, raw))
		if x.Then != "" {
			source = append(source, readFile(t, filepath.Join(dir, x.Then))...)
		}
		x.check(t, source)
	}
}

func readFile(t *testing.T, path string) []*steno.Event {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(raw))
}

func (x *expected) decode(t *testing.T, pieces [][]byte) []*steno.Event {
	var d wire.Decoder
	switch x.Format {
	case "anthropic":
		d = new(anthropic.Decoder)
	case "openai-chat":
		d = &openaichat.Decoder{InlineThink: x.Options.InlineThink}
	default:
		t.Fatalf("format %q", x.Format)
	}
	var out []*steno.Event
	keep := func(e *steno.Event) { out = append(out, e.Clone()) }
	for _, p := range pieces {
		d.Decode(p, keep)
	}
	d.Close(keep)
	return out
}

func cutAt(how string, raw []byte) [][]byte {
	switch how {
	case "whole":
		return [][]byte{raw}
	case "after-cr":
		return bytes.SplitAfter(raw, []byte("\r"))
	}
	n, err := strconv.Atoi(strings.TrimPrefix(how, "each-"))
	if err != nil {
		n = 1
	}
	return slices.Collect(slices.Chunk(raw, n))
}

func (x *expected) check(t *testing.T, source []*steno.Event) {
	t.Helper()
	r := fold(t, source)
	if x.End != "" && string(r.End) != x.End {
		t.Errorf("end %q, want %q", r.End, x.End)
	}
	if len(r.Dropped) > 0 {
		t.Errorf("dropped: %v", r.Dropped)
	}
	text, _ := json.Marshal(r)
	for _, f := range x.Forbid {
		if bytes.Contains(text, []byte(f)) {
			t.Errorf("%q occurs in %s", f, text)
		}
	}
	want := x.Messages
	got := r.Messages
	if x.Chunks != nil {
		want = []expectedMsg{{Role: "assistant", Chunks: x.Chunks}}
		got = got[max(0, len(got)-1):]
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d:\n%s", len(got), len(want), all(r))
	}
	for i := range want {
		x.checkMessage(t, &got[i], &want[i])
	}
}

// checkRunnable looks at the calls that must not be run: the record has answered
// them already, as failed.
func (x *expected) checkRunnable(t *testing.T, chunks []steno.Chunk) {
	t.Helper()
	for _, c := range chunks {
		for _, call := range c.Calls {
			mayRun := x.Executed == nil || slices.Contains(x.Executed, call.ID)
			if (!mayRun || slices.Contains(x.NotExecuted, call.ID)) && (call.Result == nil || !call.IsError) {
				t.Errorf("call %s must not run and has no answer that says so", call.ID)
			}
		}
	}
}

func (x *expected) checkMessage(t *testing.T, got *FoldMessage, want *expectedMsg) {
	t.Helper()
	if string(got.Role) != want.Role || len(got.Chunks) != len(want.Chunks) {
		t.Fatalf("%s: %s, want %s: %v", got.Role, brief(got.Chunks), want.Role, want.Chunks)
	}
	for i, w := range want.Chunks {
		raw, _ := json.Marshal(&got.Chunks[i])
		var g map[string]any
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		x.match(t, fmt.Sprintf("chunk %d", i), g, w)
	}
	x.checkRunnable(t, got.Chunks)
	if x.Superseded != nil && !slices.Equal(got.Superseded, x.Superseded) {
		t.Errorf("superseded %v, want %v", got.Superseded, x.Superseded)
	}
}

// match compares what the case states of a chunk or call.
func (x *expected) match(t *testing.T, where string, got, want map[string]any) {
	t.Helper()
	for k, w := range want {
		g := got[k]
		switch {
		case k == "len":
			if len(got["text"].(string)) != int(w.(float64)) {
				t.Errorf("%s: %d bytes of text, want %v", where, len(got["text"].(string)), w)
			}
		case k == "sha256":
			sum := sha256.Sum256([]byte(got["text"].(string)))
			if hex.EncodeToString(sum[:]) != w {
				t.Errorf("%s: text has another hash", where)
			}
		case k == "calls":
			gc, wc := g.([]any), w.([]any)
			if len(gc) != len(wc) {
				t.Fatalf("%s: %d calls, want %d", where, len(gc), len(wc))
			}
			for i := range wc {
				c := wc[i].(map[string]any)
				x.match(t, fmt.Sprintf("%s call %d", where, i), gc[i].(map[string]any), c)
				if _, ok := gc[i].(map[string]any)["result"]; ok && c["result"] == nil {
					t.Errorf("%s call %d: a result, want none", where, i)
				}
			}
		case !x.same(g, w):
			t.Errorf("%s: %s is %v, want %v", where, k, g, w)
		}
	}
}

func (x *expected) same(got, want any) bool {
	s, isText := want.(string)
	if !isText {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		return bytes.Equal(a, b)
	}
	g, _ := got.(string)
	alt, hasAlt := x.ArgsAlt[s]
	return g == s || strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && g != "" ||
		s == "*" && g != "" || hasAlt && g == alt || slices.Contains(x.TextAlt, g)
}
