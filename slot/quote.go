package slot

import "unicode/utf8"

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string that is valid on one line of any
// transport: control characters, U+2028 and U+2029 are escaped, and each byte
// that is no UTF-8 becomes U+FFFD. It costs O(len(s)).
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[done:i]...)
			dst = appendEscaped(dst, c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, s[done:i]...)
			dst = append(dst, "\ufffd"...)
			done = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, s[done:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hex[r&0xf])
			done = i + size
		}
		i += size
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
}

// UTF16Len returns the length of s in UTF-16 code units, as a browser counts
// it after [AppendString]: each byte that is no UTF-8 is one unit. It costs
// O(len(s)).
func UTF16Len(s string) int {
	n := len(s)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i + utf16Tail(s[i:])
		}
	}
	return n
}

func utf16Tail(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
