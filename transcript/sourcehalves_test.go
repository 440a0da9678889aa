package transcript

import (
	"strings"
	"testing"
)

// TestA15CharacterInTwoLines checks that a character whose halves stand in two
// deltas, as surrogates or as bytes, is one character, whatever stands between
// them, and that half a one that stays so is one replacement.
func TestA15CharacterInTwoLines(t *testing.T) {
	text := func(s string) string { return `{"type":"text-delta","text":"` + s + `"}` }
	named := func(block, s string) string {
		return `{"type":"text-delta","block":"` + block + `","text":"` + s + `"}`
	}
	for _, x := range []struct{ name, source, want string }{
		{"a surrogate pair", text(`a\ud83d`) + "\n" + text(`\uDE42b`), "text(a\U0001f642b)"},
		{"bytes", text("a\xf0\x9f") + "\n" + text("\x99") + "\n" + text("\x82b"), "text(a\U0001f642b)"},
		{"a surrogate after a backslash", text(`\\\ud83d`) + "\n" + text(`\ude42`), "text(\\\U0001f642)"},
		{"no surrogate after a backslash", text(`\\ud83d`) + "\n" + text(`\\ude42`), `text(\ud83d\ude42)`},
		{"blocks between", named("0", `\ud83d`) + "\n" + named("1", `\ud83d`) + "\n" + named("0", `\ude42`) + "\n" + named("1", `\ude43`), "text(\U0001f642) text(\U0001f643)"},
		{"usage between", text(`\ud83d`) + "\n" + `{"type":"usage"}` + "\n" + text(`\ude42`), "text(\U0001f642)"},
		{"never completed", text(`a\ud83d`) + "\n" + text(`b`), "text(a\ufffdb)"},
		{"the end of input", text(`a\ud83d`), "text(a\ufffd)"},
		{"the end of the step", text("a\xe4\xbd") + "\n" + `{"type":"step-end"}`, "text(a\ufffd)"},
		{"the end of the block", named("0", `a\ud83d`) + "\n" + named("1", "b") + "\n" + `{"type":"text-end","block":"0"}`, "text(a\ufffd) text(b)"},
		{"a half given twice", `{"seq":1,"type":"text-delta","text":"\ud83d"}` + "\n" + `{"seq":2,"type":"text-delta","text":"\ude42"}` + "\n" +
			`{"seq":1,"type":"text-delta","text":"\ud83d"}` + "\n" + `{"seq":2,"type":"text-delta","text":"\ude42"}` + "\n" + `{"seq":3,"type":"text-delta","text":"a\ud83d"}` + "\n" +
			`{"seq":4,"type":"step-end"}`, "text(\U0001f642a\ufffd)"},
		{"a low surrogate alone", text(`\ude42`), "text(\ufffd)"},
		{"two high ones", text(`\ud83d\ud83d`) + "\n" + text(`\ude42`), "text(\ufffd\U0001f642)"},
	} {
		t.Run("A15, C96 "+x.name, func(t *testing.T) {
			if got := last(fold(t, read(t, x.source))); got != x.want {
				t.Errorf("got %q, want %q", got, x.want)
			}
		})
	}
	arguments := `{"type":"tool-delta","block":"0","call":"x","name":"f","text":"{\"a\":\"\ud83d"}` + "\n" +
		`{"type":"tool-delta","block":"0","arguments":"\ude42\"}"}`
	calls := fold(t, read(t, arguments)).Messages[0].Chunks[0].Calls
	if got := calls[0].Arguments; got != "{\"a\":\"\U0001f642\"}" {
		t.Errorf("arguments %q", got)
	}
	// However a text is cut into lines, it is the same.
	const whole = "h\u00e9 \u4f60\U0001f642"
	for i := range len(whole) + 1 {
		var got strings.Builder
		for _, e := range read(t, text(whole[:i])+"\n"+text(whole[i:])) {
			got.WriteString(e.Text)
		}
		if got.String() != whole {
			t.Errorf("cut at %d: %q", i, got.String())
		}
	}
}
