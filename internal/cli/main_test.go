package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/client"
	"github.com/stenolog/steno/web"
)

// run runs a command in this process over a fake store in dir.
type run struct {
	*Main
	out, err bytes.Buffer
}

func newRun(dir string) *run {
	r := new(run)
	r.Main = &Main{
		Stdin: strings.NewReader(""), Stdout: &r.out, Stderr: &r.err, Open: openFake, Now: time.Now,
		Env: func(name string) (string, bool) {
			switch name {
			case "STENO_DATA":
				return filepath.Join(dir, "data"), true
			case "STENO_CONFIG":
				return filepath.Join(dir, "config.json"), true
			case "STENO_LISTEN":
				return "127.0.0.1:0", true
			}
			return "", false
		},
	}
	return r
}

// seed puts a state into the fake store.
func seed(t *testing.T, dir string, s fakeState) {
	t.Helper()
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	f := &fakeLocal{dir: data, write: true, state: s}
	if err := f.save(); err != nil {
		t.Fatal(err)
	}
}

func TestEveryCommandIsInAGroupAndHasAnExample(t *testing.T) {
	m := newRun(t.TempDir())
	if err := m.ParseFlags(nil); err != nil {
		t.Fatal(err)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s: no short help or no example", c.CommandPath())
		}
		if c.HasParent() && !c.Parent().HasParent() && c.GroupID == "" {
			t.Errorf("%s is in no group", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(m.root)
}

func TestInterruptedIs130(t *testing.T) {
	dir := t.TempDir()
	seed(t, dir, fakeState{List: []api.Conversation{{ID: "c1"}}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := newRun(dir)
	if code := m.Execute(ctx, []string{"tail", "c1"}); code != 130 || m.err.Len() != 0 {
		t.Errorf("exit %d: %s", code, &m.err)
	}
}

// Standard input may never end; a signal ends the command all the same, and
// what came is kept.
func TestInterruptedWhileReading(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	m := newRun(dir)
	m.Open = openStore
	m.Stdin = r
	done := make(chan int)
	go func() { done <- m.Execute(ctx, []string{"record", "--from", "openai-chat"}) }()
	io.WriteString(w, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"kept\"}}]}\n\n")
	io.WriteString(w, "\n") // is taken when what came before was passed on
	cancel()
	if code := <-done; code != 130 {
		t.Errorf("exit %d: %s", code, &m.err)
	}
	m = newRun(dir)
	m.Open = openStore
	m.Execute(context.Background(), []string{"list", "--json"})
	var list []api.Conversation
	if err := json.Unmarshal(m.out.Bytes(), &list); err != nil || len(list) != 1 {
		t.Fatalf("%v: %s%s", err, &m.out, &m.err)
	}
	m = newRun(dir)
	m.Open = openStore
	if m.Execute(context.Background(), []string{"show", list[0].ID}); !strings.Contains(m.out.String(), "kept") {
		t.Errorf("%s%s", &m.out, &m.err)
	}
}

func TestAPortInUseIsNamedWithTheFlag(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	m := newRun(t.TempDir())
	code := m.Execute(context.Background(), []string{"serve", "--listen", ln.Addr().String()})
	if code != 1 || !strings.Contains(m.err.String(), ln.Addr().String()) || !strings.Contains(m.err.String(), "--listen HOST:PORT") {
		t.Errorf("exit %d: %s", code, &m.err)
	}
}

// Each says what is wrong before anything is made.
func TestWrongPathsAndNumbers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"record", "--from", "auto", dir}, 1, "names the wrong kind of thing: " + dir + " is a directory"},
		{[]string{"fold", dir}, 1, "names the wrong kind of thing"},
		{[]string{"list", "--config", dir}, 1, "names the wrong kind of thing"},
		{[]string{"list", "--config", file + ".not"}, 2, "there is no file " + file + ".not (--config)"},
		{[]string{"list", "--data", file}, 1, "names the wrong kind of thing"},
		{[]string{"play", "--speed", "nan"}, 2, "--speed must be a number above 0"},
		{[]string{"play", "--speed", "inf"}, 2, "--speed must be a number above 0"},
	} {
		m := newRun(dir)
		m.Open = openStore
		if code := m.Execute(context.Background(), c.args); code != c.code || !strings.Contains(m.err.String(), c.says) {
			t.Errorf("%q: exit %d: %s", c.args, code, &m.err)
		}
	}
	m := newRun(dir)
	m.Open = openStore
	if code := m.Execute(context.Background(), []string{"list", "--json"}); code != 0 || strings.TrimSpace(m.out.String()) != "[]" {
		t.Errorf("something was made: exit %d: %s", code, &m.out)
	}
}

func TestNoHomeIsNoPlaceForARecord(t *testing.T) {
	m := newRun(t.TempDir())
	m.Env = func(string) (string, bool) { return "", false }
	if code := m.Execute(context.Background(), []string{"record", "--from", "auto"}); code != 2 || !strings.Contains(m.err.String(), "no home directory") {
		t.Errorf("exit %d: %s", code, &m.err)
	}
	m = newRun(t.TempDir())
	m.Env = func(string) (string, bool) { return "", false }
	if code := m.Execute(context.Background(), []string{"paths"}); code != 0 {
		t.Errorf("exit %d: %s", code, &m.err)
	}
}

func TestABuildWithoutAStoreSaysSo(t *testing.T) {
	m := newRun(t.TempDir())
	m.Open = nil
	if code := m.Execute(context.Background(), []string{"list"}); code != 1 || !strings.Contains(m.err.String(), "not available in this build") {
		t.Errorf("exit %d: %s", code, &m.err)
	}
}

// hostile is case G51.
func hostile(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "terminal", "testdata", "G51", "ansi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestG51NoCommandPrintsAControl(t *testing.T) {
	all := strings.Join(hostile(t), "|")
	dir := t.TempDir()
	seed(t, dir, fakeState{
		List: []api.Conversation{{ID: "c1", Title: all, Head: 9}},
		Folded: map[string]*api.Folded{"c1": {End: steno.Finish(all), Messages: []api.Message{{
			Role: steno.Role(all), Superseded: []int{0},
			Chunks: []steno.Chunk{
				{Type: "text", Text: all},
				{Type: "thinking", Text: all},
				{Type: "tool-batch", Calls: []steno.ChunkCall{{Name: all, Arguments: all, Result: &all, ShellOutput: all, Outcome: steno.Outcome(all), Parts: []steno.Content{{Kind: "text", Text: all}, {Kind: all, Media: all}}}}},
				{Type: "error", Message: all, StatusCode: 529},
				{Type: "system", Kind: all, Text: all},
				{Type: all, Text: all},
			},
		}}}},
		Events: map[string][]*steno.Event{"c1": {
			{Seq: 1, Type: steno.UserMessage, Text: all},
			{Seq: 2, Type: steno.TextDelta, Text: all},
			{Seq: 3, Type: steno.ReasoningDelta, Text: all},
			{Seq: 4, Type: steno.ToolStart, Name: all},
			{Seq: 5, Type: steno.ToolDelta, Text: all},
			{Seq: 6, Type: steno.ToolOutput, Text: all},
			{Seq: 7, Type: steno.ToolResult, Text: all, Body: &steno.Result{Outcome: steno.Outcome(all)}},
			{Seq: 8, Type: steno.Error, Text: all},
			{Seq: 9, Type: steno.Notice, Text: all},
			{Seq: 10, Type: steno.TurnEnd, Body: &steno.Turn{Reason: steno.Finish(all)}},
		}},
		Damaged: map[string]string{"c1": all},
	})
	answer := filepath.Join(dir, "answer.sse")
	os.WriteFile(answer, []byte("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\u001b]0;evil\\u0007visible\"}}]}\n\ndata: [DONE]\n\n"), 0o600)
	for _, args := range [][]string{
		{"list"},
		{"show", "c1"},
		{"tail", "c1", "--follow=false"},
		{"verify"},
		{"show", all},
		{all},
		{"record", "--from", all},
		{"play", all},
		{"token", "add", all, "--scope", all},
		{"parts", "--from", "openai-chat", answer},
		{"--config", all, "config", "show"},
	} {
		m := newRun(dir)
		m.Execute(context.Background(), args)
		out := m.out.String() + m.err.String()
		if out == "" {
			t.Errorf("%q printed nothing", args[0])
		}
		for i := range len(out) {
			if c := out[i]; c < 0x20 && c != '\n' && c != '\t' || c == 0x7f || c == 0xc2 && out[i+1] < 0xa0 {
				t.Errorf("%.20q passes a control: %q", args, out[max(0, i-20):i+1])
				break
			}
		}
	}
	m := newRun(dir)
	m.Execute(context.Background(), []string{"show", "c1"})
	for _, word := range []string{"click", "red", "ok", "unterminated"} {
		if !strings.Contains(m.out.String(), word) {
			t.Errorf("%q is lost", word)
		}
	}
}

func TestShowAndTailForPeople(t *testing.T) {
	result := "file.txt\n"
	dir := t.TempDir()
	seed(t, dir, fakeState{
		List: []api.Conversation{{ID: "c1"}},
		Folded: map[string]*api.Folded{"c1": {End: "length", Messages: []api.Message{
			{Role: "user", Chunks: []steno.Chunk{{Type: "text", Text: "list the files"}}},
			{Role: "assistant", Superseded: []int{0}, Chunks: []steno.Chunk{
				{Type: "error", Message: "overloaded", StatusCode: 529},
				{Type: "thinking"},
				{Type: "tool-batch", Calls: []steno.ChunkCall{{Name: "bash", Arguments: `{"c":"ls"}`, Outcome: "ok", Result: &result}, {Name: "read", Arguments: "{"}}},
				{Type: "system", Kind: "notice", Text: "compacted"},
				{Type: "text", Text: "One file.\n"},
			}},
		}}},
		Events: map[string][]*steno.Event{"c1": {
			{Seq: 1, Type: steno.UserMessage, Text: "list the files"},
			{Seq: 2, Type: steno.ReasoningDelta, Part: "1", Text: "Let me "},
			{Seq: 3, Type: steno.ReasoningDelta, Part: "1", Text: "look."},
			{Seq: 4, Type: steno.ToolStart, Part: "1", Name: "bash"},
			{Seq: 5, Type: steno.ToolDelta, Part: "1", Text: `{"c":`},
			{Seq: 6, Type: steno.ToolDelta, Part: "1", Text: `"ls"}`},
			{Seq: 7, Type: steno.ToolResult, Part: "1", Text: "file.txt\n"},
			{Seq: 8, Type: steno.TextDelta, Part: "1", Text: "One "},
			{Seq: 9, Type: steno.TextDelta, Part: "1", Text: "file."},
			{Seq: 10, Type: steno.TurnEnd, Body: &steno.Turn{Reason: "length"}},
		}},
	})
	for cmd, want := range map[string]string{
		"show c1": `── user ──
list the files

── assistant ──
[superseded] [error 529] overloaded
[thinking] (redacted)
[tool bash, ok] {"c":"ls"}
→ file.txt
[tool read, open] {
[notice] compacted
One file.

[ended: length]
`,
		"tail c1 --follow=false": `── user ──
list the files
[thinking] Let me look.
[tool bash] {"c":"ls"}
→ ok file.txt
One file.
[ended: length]
`,
	} {
		m := newRun(dir)
		if code := m.Execute(context.Background(), strings.Fields(cmd)); code != 0 || m.out.String() != want {
			t.Errorf("%s: exit %d\n%s%s", cmd, code, &m.out, &m.err)
		}
	}
}

// Without a provider configured nothing leaves this machine: no look-up of a
// name, no request through the default client.
func TestQuiet(t *testing.T) {
	refuse := func(what string) error {
		t.Errorf("an outgoing connection: %s", what)
		return errors.New("refused by the test")
	}
	transport, resolver := http.DefaultTransport, net.DefaultResolver
	t.Cleanup(func() { http.DefaultTransport, net.DefaultResolver = transport, resolver })
	http.DefaultTransport = roundTripper(func(r *http.Request) (*http.Response, error) { return nil, refuse(r.URL.Host) })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		return nil, refuse(address)
	}}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	server := newRun(dir)
	server.Open, server.Page = openStore, web.Handler()
	done := make(chan int, 1)
	go func() { done <- server.Execute(ctx, []string{"serve"}) }()
	for {
		c, err := client.Find(ctx, filepath.Join(dir, "data"), "")
		if err == nil && c != nil {
			c.Close()
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	answer := filepath.Join(dir, "answer.sse")
	os.WriteFile(answer, []byte("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n"), 0o600)
	for _, cmd := range []string{
		"version", "paths", "config show", "list", "play --list", "play overloaded --speed 100000", "verify", "token list",
		"record --from openai-chat " + answer, "parts " + answer, "open --print",
	} {
		m := newRun(dir)
		if code := m.Execute(ctx, strings.Fields(cmd)); code != 0 {
			t.Errorf("%s: exit %d: %s", cmd, code, &m.err)
		}
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("serve: exit %d: %s", code, &server.err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A provider's JSON may hold a name twice.
func TestSloppyJSONIsShown(t *testing.T) {
	m := newRun(t.TempDir())
	err := m.printJSON(&api.Folded{Messages: []api.Message{{Chunks: []steno.Chunk{{Type: "opaque", Raw: []byte(`{"a":1,"a":"\ud800"}`)}}}}})
	if err != nil || !strings.Contains(m.out.String(), `"a": 1`) {
		t.Errorf("%v: %s", err, &m.out)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", 3 << 30: "3.0 GiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s", n, got)
		}
	}
}
