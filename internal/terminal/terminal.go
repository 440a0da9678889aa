// Package terminal makes text that came from a model, a tool, a file or the
// network safe to print: nothing in it can move the cursor, set a title, write
// the clipboard or hide what follows. What can be read stays.
//
// The rules, for every string whatever its origin:
//
//   - A whole escape sequence (CSI, OSC, DCS, APC, PM, SOS, in 7- and 8-bit
//     form) is left out. One that does not end within its bound, or that
//     holds a control itself, is none: only its introducer is replaced and the
//     rest is text. So an unfinished one hides nothing.
//   - Any other control is shown as its picture (␇), a bidirectional control
//     and an invisible tag as its code (<U+202E>), a byte that is no UTF-8 as
//     U+FFFD.
//   - Line ends and tabs stay; a CR before an LF is left out.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxString bounds the length of an OSC, DCS, APC, PM or SOS sequence that is
// left out, maxParams that of a CSI's parameters. Both are bytes.
const (
	maxString = 1 << 16
	maxParams = 64
)

// Safe returns s fit for a terminal. The cost is linear in len(s), and text
// that needs no change is returned as it is.
func Safe(s string) string { return clean(s, false) }

// Line is Safe for what must stay in one line: line ends and tabs are shown
// as pictures.
func Line(s string) string { return clean(s, true) }

func clean(s string, line bool) string {
	i := firstUnsafe(s, line)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b || r >= 0x80 && r <= 0x9f:
			if end := sequence(s, i); end > i {
				i = end
				continue
			}
			picture(&b, r)
		case r == '\r' && !line && strings.HasPrefix(s[i:], "\r\n"):
		case unsafe(r, n, line):
			picture(&b, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func firstUnsafe(s string, line bool) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unsafe(r, n, line) {
			return i
		}
		i += n
	}
	return len(s)
}

// unsafe reports whether a rune of n bytes must not reach a terminal.
func unsafe(r rune, n int, line bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return line
	case r < 0x20 || r >= 0x7f && r <= 0x9f:
		return true
	case r == utf8.RuneError && n <= 1:
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return true // bidirectional controls
	case r == 0x2028 || r == 0x2029 || r == 0xfeff:
		return true
	case r >= 0xe0000 && r <= 0xe007f || r >= 0xfff9 && r <= 0xfffb:
		return true // invisible tags and annotations
	}
	return false
}

func picture(b *strings.Builder, r rune) {
	switch {
	case r < 0x20:
		b.WriteRune(0x2400 + r)
	case r == 0x7f:
		b.WriteRune(0x2421)
	case r == utf8.RuneError:
		b.WriteRune(utf8.RuneError)
	default:
		fmt.Fprintf(b, "<U+%04X>", r)
	}
}

// sequence returns the offset after the escape sequence that begins at s[i],
// or i if there is no whole one.
func sequence(s string, i int) int {
	kind, n := introducer(s[i:])
	switch kind {
	case '[':
		return csi(s, i, i+n)
	case ']', 'P', '_', '^', 'X':
		return controlString(s, i, i+n, kind == ']')
	case 0:
		return i
	}
	// ESC and one final byte, with intermediates before it: charset choice,
	// save and restore, full reset.
	j := i + n - 1
	for j < len(s) && s[j] >= 0x20 && s[j] <= 0x2f && j-i < maxParams {
		j++
	}
	if j < len(s) && s[j] >= 0x30 && s[j] <= 0x7e {
		return j + 1
	}
	return i
}

// introducer returns what a sequence starts as, in the letter of its 7-bit
// form, and the length of the introducer; 0 if s starts none.
func introducer(s string) (kind byte, n int) {
	if s[0] == 0x1b {
		if len(s) < 2 || s[1] < 0x20 || s[1] > 0x7e {
			return 0, 0
		}
		return s[1], 2
	}
	r, n := utf8.DecodeRuneInString(s)
	switch k := byte(r - 0x40); k { // U+009B is ESC [
	case '[', ']', 'P', '_', '^', 'X':
		return k, n
	}
	return 0, 0
}

// csi returns the offset after the CSI whose parameters begin at s[j].
func csi(s string, start, j int) int {
	for k := j; k < len(s) && k-j <= maxParams; k++ {
		switch c := s[k]; {
		case c >= 0x40 && c <= 0x7e:
			return k + 1
		case c < 0x20 || c > 0x7e:
			return start
		}
	}
	return start
}

// controlString returns the offset after the string sequence whose content
// begins at s[j]: it ends with ST, an OSC also with BEL. Content with another
// control in it, a line end included, is no sequence.
func controlString(s string, start, j int, osc bool) int {
	for k := j; k < len(s) && k-j <= maxString; {
		r, n := utf8.DecodeRuneInString(s[k:])
		switch {
		case r == 0x9c:
			return k + n
		case r == 0x07 && osc:
			return k + 1
		case r == 0x1b && k+1 < len(s) && s[k+1] == '\\':
			return k + 2
		case r < 0x20 || r >= 0x7f && r <= 0x9f:
			return start
		}
		k += n
	}
	return start
}

// Writer passes what is written through Safe. Each Write is cleaned on its
// own: a sequence cut across two is shown as text, never passed on. A rune cut
// across two writes is held back until the next.
type Writer struct {
	W    io.Writer
	held []byte
}

// Write implements io.Writer. It reports len(p) unless W fails.
func (w *Writer) Write(p []byte) (int, error) {
	b := append(w.held, p...)
	w.held = nil
	cut := len(b)
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				cut = len(b) - i
			}
			break
		}
	}
	w.held = append(w.held, b[cut:]...)
	if _, err := io.WriteString(w.W, Safe(string(b[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
