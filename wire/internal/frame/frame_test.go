package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stenolog/steno/wire/internal/frame"
)

// frames reads input cut as given and writes each frame as a line.
func frames(input []byte, cut func(rest int) int) []string {
	var r frame.Reader
	var out []string
	emit := func(f frame.Frame) {
		out = append(out, fmt.Sprintf("%s|%s|bare=%t|cut=%t", f.Name, f.Data, f.Bare, f.Cut))
	}
	for len(input) > 0 {
		n := cut(len(input))
		p := append([]byte(nil), input[:n]...)
		if err := r.Feed(p, emit); err != nil {
			out = append(out, err.Error())
		}
		clear(p)
		input = input[n:]
	}
	if err := r.Close(emit); err != nil {
		out = append(out, err.Error())
	}
	return out
}

var inputs = []struct {
	name, input string
	want        []string
}{
	{"nothing", " \r\n", nil},
	{"events", "event: a\ndata: {}\n\ndata: 1\r\n\r\n", []string{"a|{}|bare=false|cut=false", "|1|bare=false|cut=false"}},
	{"an event that no blank line ends", "data: {}\n", []string{"|{}|bare=false|cut=true"}},
	{"a body", "\n{\"a\":[1,\"]}\"]}\n", []string{`|{"a":[1,"]}"]}|bare=true|cut=false`}},
	{"a body after a byte order mark", "\uFEFF{}", []string{"|{}|bare=true|cut=false"}},
	{"an array of bodies", "[{\"a\":1}\r\n,\r\n{\"a\":\"\\\"]\"}]", []string{`|{"a":1}|bare=true|cut=false`, `|{"a":"\"]"}|bare=true|cut=false`}},
	{"an array of arrays and scalars", `[[1,[2]],3,"x"]`, []string{"|[1,[2]]|bare=true|cut=false", "|3|bare=true|cut=false", `|"x"|bare=true|cut=false`}},
	{"a body that stops", `{"a":"b`, []string{`|{"a":"b|bare=true|cut=true`}},
	{"an error body within events", "data: 1\n\n{\n  \"error\": {\n    \"code\": 499\n  }\n}\n\ndata: 2\n\n", []string{
		"|1|bare=false|cut=false", "|{\n  \"error\": {\n    \"code\": 499\n  }\n}|bare=true|cut=false", "|2|bare=false|cut=false",
	}},
	{"an error body after events, without an end", "data: 1\n\n{\"error\":1", []string{"|1|bare=false|cut=false", `|{"error":1` + "\n|bare=true|cut=true"}},
	{"a page", "<html>\n<b>502</b>\n</html>", []string{"|<html>\n<b>502</b>\n</html>|bare=true|cut=true"}},
	{"a line of text within events", "data: 1\n\noops\n\ndata: 2\n\n", []string{
		"|1|bare=false|cut=false", "|oops|bare=true|cut=false", "|2|bare=false|cut=false",
	}},
}

func TestReader(t *testing.T) {
	for _, tt := range inputs {
		t.Run(tt.name, func(t *testing.T) {
			whole := frames([]byte(tt.input), func(rest int) int { return rest })
			if diff := cmp.Diff(tt.want, whole); diff != "" {
				t.Error(diff)
			}
			each := frames([]byte(tt.input), func(int) int { return 1 })
			if diff := cmp.Diff(whole, each); diff != "" {
				t.Errorf("cut at every byte: %s", diff)
			}
		})
	}
}

// TestC92Cutting holds the reader to it over inputs made of pieces that matter.
func TestC92Cutting(t *testing.T) {
	pieces := []string{"data: ", "event: e", "\n", "\r\n", "\r", "{", "}", "[", "]", ",", `"`, `\`, "1", "x", " ", ":", "\uFEFF", "é"}
	rapid.Check(t, func(t *rapid.T) {
		input := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), ""))
		whole := frames(input, func(rest int) int { return rest })
		got := frames(input, func(rest int) int { return rapid.IntRange(1, rest).Draw(t, "cut") })
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Fatalf("%q: %s", input, diff)
		}
	})
}

func TestFailure(t *testing.T) {
	tests := []struct {
		body, message, code string
		status              int
		ok                  bool
	}{
		{`{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`, "slow down", "429", 429, true},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Overloaded", "overloaded_error", 0, true},
		{`{"error":{"code":"RateLimit","message":"m","type":"t"}}`, "m", "RateLimit", 0, true},
		{`{"error":"model not found"}`, "model not found", "", 0, true},
		{`{"detail":"Invalid API Key"}`, "Invalid API Key", "", 0, true},
		{`{"message":"m","status":503}`, "m", "", 503, true},
		{`{"error":{"code":"c"}}`, "", "c", 0, true},
		{`{"error":{}}`, "", "", 0, false},
		{`{"error":null}`, "", "", 0, false},
		{`{"status":"completed","type":"x"}`, "", "", 0, false},
		{`[]`, "", "", 0, false},
	}
	for _, tt := range tests {
		message, f, ok := frame.Failure([]byte(tt.body))
		if message != tt.message || ok != tt.ok || ok && (f.Code != tt.code || f.Status != tt.status) {
			t.Errorf("%s: %q %+v %t", tt.body, message, f, ok)
		}
		if ok && !f.Raw.IsValid() {
			t.Errorf("%s: raw %s", tt.body, f.Raw)
		}
	}
}

// FuzzReader: whatever comes, the frames do not depend on the cutting.
func FuzzReader(f *testing.F) {
	for _, tt := range inputs {
		f.Add([]byte(tt.input), uint16(1), uint16(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, i, j uint16) {
		whole := frames(data, func(rest int) int { return rest })
		a := int(i) % (len(data) + 1)
		step := 1 + int(j)%(len(data)+1)
		got := frames(data, func(rest int) int {
			if rest == len(data) && a > 0 {
				return a
			}
			return min(step, rest)
		})
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Error(diff)
		}
	})
}
