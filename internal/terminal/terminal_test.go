package terminal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain\ttext\n", "plain\ttext\n"},
		{"family 👨‍👩‍👧 é", "family 👨‍👩‍👧 é"},
		{"a\r\nb\rc", "a\nb␍c"},
		{"ok \x1b[31mred\x1b[0m ok", "ok red ok"},
		{"\x1b]8;;https://evil.example\aclick\x1b]8;;\a", "click"},
		{"\x1b]52;c;unterminated", "␛]52;c;unterminated"},
		{"\x1b]0;no end\nnext line", "␛]0;no end\nnext line"},
		{"\x1b[", "␛["},
		{"\x1b", "␛"},
		{"\x1bc\x1b(B", ""},
		{"\x1bP1$r0m\x1b\\", ""},
		{"\u009b31mx", "x"},
		{"\u009d52;c;eA==\u009c", ""},
		{"\u0085", "<U+0085>"},
		{"\x9b31m", "\ufffd31m"},
		{"\b\a\x00\x7f", "␈␇␀␡"},
		{"\u202eevil\u2069", "<U+202E>evil<U+2069>"},
		{"\U000e0041", "<U+E0041>"},
		{"\x1b[" + strings.Repeat("1;", 100) + "m", "␛[" + strings.Repeat("1;", 100) + "m"},
		{"\x1b]0;" + strings.Repeat("x", maxString) + "\a", "␛]0;" + strings.Repeat("x", maxString) + "␇"},
	} {
		if got := Safe(c.in); got != c.want {
			t.Errorf("Safe(%.40q) = %.60q, want %.60q", c.in, got, c.want)
		}
	}
	if got := Line("a\tb\r\n"); got != "a␉b␍␊" {
		t.Errorf("Line: %q", got)
	}
}

// hostile is case G51's input: 16 strings that
// attack a terminal.
func hostile(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/G51/ansi.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestG51NoControlReachesTheTerminal(t *testing.T) {
	list := hostile(t)
	if len(list) != 16 {
		t.Fatalf("%d strings", len(list))
	}
	all := strings.Join(list, " ")
	for _, s := range append(list, all) {
		checkSafe(t, s)
	}
	for _, word := range []string{"click", "red", "ok", "unterminated"} {
		if !strings.Contains(Safe(all), word) {
			t.Errorf("%q is lost in %q", word, Safe(all))
		}
	}
}

func TestG51IsTheSharedCase(t *testing.T) {
	shared := os.Getenv("STENO_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	want, err := os.ReadFile(filepath.Join(shared, "cases", "give", "G51", "ansi.json"))
	if err != nil {
		t.Skip("the shared cases are not here")
	}
	if got, _ := os.ReadFile("testdata/G51/ansi.json"); string(got) != string(want) {
		t.Error("the copy differs")
	}
}

// checkSafe holds Safe to its promise by bytes, not by its own idea of runes.
func checkSafe(t interface{ Fatalf(string, ...any) }, s string) {
	got := Safe(s)
	if !utf8.ValidString(got) {
		t.Fatalf("Safe(%q) = %q is no UTF-8", s, got)
	}
	for i := range len(got) {
		if c := got[i]; c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
			t.Fatalf("Safe(%q) = %q passes byte %#x", s, got, c)
		}
		if c := got[i]; c == 0xc2 && got[i+1] < 0xa0 {
			t.Fatalf("Safe(%q) = %q passes a C1 control", s, got)
		}
	}
	if Safe(got) != got {
		t.Fatalf("Safe is not idempotent for %q", s)
	}
}

func TestSafeProperty(t *testing.T) {
	piece := rapid.SampledFrom([]string{"\x1b", "[", "]", "31m", "\a", "\\", "text", "\u009c", "\u009b", "\x9b", "\n", "é", "\u202e", "\xe2"})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(piece).Draw(t, "pieces")
		s := strings.Join(pieces, "")
		checkSafe(t, s)
		var b strings.Builder
		w := &Writer{W: &b}
		for _, p := range pieces {
			if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatalf("%d %v", n, err)
			}
		}
		if Safe(b.String()) != b.String() {
			t.Fatalf("Writer passes %q", b.String())
		}
	})
}

func TestWriterHoldsACutRune(t *testing.T) {
	var b strings.Builder
	w := &Writer{W: &b}
	for _, c := range []byte("né👍!") {
		w.Write([]byte{c})
	}
	if b.String() != "né👍!" {
		t.Errorf("got %q", b.String())
	}
}

func TestSafeTextIsNotCopied(t *testing.T) {
	s := strings.Repeat("a line of text\n", 100)
	if n := testing.AllocsPerRun(10, func() { _ = Safe(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range hostile(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSafe(t, s) })
}
