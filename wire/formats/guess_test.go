package formats_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

var guesses = []struct{ input, want string }{
	{`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, formats.AnthropicMessages},
	{"event: error\ndata: {\"type\":\"error\",\"sequence_number\":1,\"error\":{}}\n\n", formats.OpenAIResponses},
	{`{"id":"r","object":"response","created_at":1,"output":[]}`, formats.OpenAIResponses},
	{`{"id":"m","type":"message","content":[]}`, formats.AnthropicMessages},
	{`{"id":"c","object":"chat.completion","choices":[]}`, formats.OpenAIChat},
	{`{"error":{"message":"m","type":"t","code":"c"}}`, formats.OpenAIChat},
	{`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`, formats.Gemini},
	{"[{\r\n  \"candidates\": []\r\n}]", formats.Gemini},
	{`{"response":{"candidates":[]}}`, formats.Gemini},
	{`{"error":"model not found"}`, formats.Ollama},
	{`{"model":"m","created_at":"2026-01-01T00:00:00Z","response":"a","done":false}`, formats.Ollama},
	{`{"messageStart":{"role":"assistant"}}`, formats.BedrockConverse},
	{": comment\n\ndata: {\"id\":\"x\",\"choices\":[]}\n\n", formats.OpenAIChat},
	{"\uFEFFevent: message_start\r\ndata: {", formats.AnthropicMessages},
	{"data: {\"type\":\"response.created\",\"response\":{\"instr", formats.OpenAIResponses},
	{"", ""},
	{"hello", ""},
	{"data: [DONE]\n\n", ""},
	{`{"a":1}`, ""},
	{"[", ""},
	{"\x00\x00", ""},
}

func TestGuess(t *testing.T) {
	for _, tt := range guesses {
		got, ok := formats.Guess([]byte(tt.input))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: %q %t, want %q", tt.input, got, ok, tt.want)
		}
		steady(t, []byte(tt.input), tt.want)
	}
}

// steady checks that a guess from fewer bytes is the same or none.
func steady(t *testing.T, data []byte, want string) {
	t.Helper()
	for n := range data {
		if got, ok := formats.Guess(data[:n]); ok && got != want {
			t.Fatalf("%q from %d bytes, %q from all", got, n, want)
		}
	}
}

func TestGuessRecordings(t *testing.T) {
	dir := wiretest.Shared(t, "streams")
	known := []string{
		formats.AnthropicMessages, formats.OpenAIResponses, formats.OpenAIChat, formats.Gemini,
		formats.Ollama, formats.BedrockConverse, formats.BedrockInvokeAnthropic,
	}
	for _, name := range slices.Sorted(maps.Keys(readTruth(t, dir))) {
		format, _, _ := strings.Cut(name, "/")
		if !slices.Contains(known, format) {
			continue
		}
		data := wiretest.Read(t, dir, name)
		if got, _ := formats.Guess(data); got != format {
			t.Errorf("%s: %q", name, got)
		}
		steady(t, data[:min(len(data), 2000)], format)
	}
}

func TestAuto(t *testing.T) {
	dir := wiretest.Shared(t, "streams")
	for _, name := range slices.Sorted(maps.Keys(readTruth(t, dir))) {
		format, _, _ := strings.Cut(name, "/")
		if !slices.Contains(formats.Names(), format) {
			continue
		}
		data := wiretest.Read(t, dir, name)
		want, err := wiretest.Decode(decoder(t, format, nil)(), data)
		if err != nil {
			t.Error(err)
		}
		for how, cuts := range cuttings(len(data)) {
			a := new(formats.Auto)
			got, err := wiretest.Decode(a, data, cuts...)
			if err != nil {
				t.Error(err)
			}
			if diff := wiretest.Diff(want, got); diff != "" || a.Format() != format {
				t.Errorf("%s cut at %s, taken for %q: %s", name, how, a.Format(), diff)
			}
		}
	}
}

func TestAutoUnknown(t *testing.T) {
	for _, input := range []string{"hello\n", strings.Repeat("x", formats.MaxGuess+5)} {
		a := new(formats.Auto)
		for range 2 { // ready for another stream after Close
			events, err := wiretest.Decode(a, []byte(input), 1, len(input)/2)
			if err != nil {
				t.Error(err)
			}
			if doc := wiretest.Document("", events); len(doc.Errors) != 1 || doc.Errors[0].Code != "unknown_format" {
				t.Errorf("%.20q: %+v", input, doc)
			}
		}
	}
}

// TestGuessOwn guesses the streams that the packages of the decoders hold.
func TestGuessOwn(t *testing.T) {
	for dir, want := range map[string]string{
		"anthropic": formats.AnthropicMessages, "openairesponses": formats.OpenAIResponses,
		"openaichat": formats.OpenAIChat, "gemini": formats.Gemini, "ollama": formats.Ollama,
	} {
		paths, err := filepath.Glob(filepath.Join("..", dir, "testdata", "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name := filepath.Base(path)
			if filepath.Ext(name) == ".events" || dir == "openairesponses" && name == "http-error.json" {
				continue // OpenAI's two formats have the same errors
			}
			data := wiretest.Read(t, path)
			if got, _ := formats.Guess(data); got != want {
				t.Errorf("%s: %q, want %s", path, got, want)
			}
			steady(t, data, want)
		}
	}
}

// FuzzGuess: more bytes never change a guess.
func FuzzGuess(f *testing.F) {
	for _, g := range guesses {
		f.Add([]byte(g.input), uint16(len(g.input)/2))
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		part, ok := formats.Guess(data[:int(n)%(len(data)+1)])
		if whole, _ := formats.Guess(data); ok && part != whole {
			t.Errorf("%q from a part, %q from all", part, whole)
		}
	})
}
