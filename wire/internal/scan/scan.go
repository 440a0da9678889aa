// Package scan reads JSON in place: it walks the members of an object and the
// elements of an array without building a tree and without allocating, and
// gives each value as the exact bytes that stand on the wire.
//
// It checks structure, not the inside of numbers and literals: what a decoder
// does not look at it passes on unchanged.
package scan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Object calls f with the name and the raw value of each member of the object
// in data until f returns false. Both alias data; the name is given without
// quotes, unescaped. It reports whether data is a well-formed object and
// nothing else, as far as it was read.
func Object(data []byte, f func(name, value []byte) bool) bool {
	i := space(data, 0)
	if i >= len(data) || data[i] != '{' {
		return false
	}
	i = space(data, i+1)
	if i < len(data) && data[i] == '}' {
		return space(data, i+1) == len(data)
	}
	for i < len(data) {
		if data[i] != '"' {
			return false
		}
		end, escaped := stringEnd(data, i)
		if end < 0 {
			return false
		}
		name := data[i+1 : end-1]
		if escaped {
			name = AppendString(nil, data[i:end], nil)
		}
		i = space(data, end)
		if i >= len(data) || data[i] != ':' {
			return false
		}
		i = space(data, i+1)
		end = skipValue(data, i)
		if end < 0 {
			return false
		}
		if !f(name, data[i:end]) {
			return true
		}
		i = space(data, end)
		if i >= len(data) {
			return false
		}
		if data[i] == '}' {
			return space(data, i+1) == len(data)
		}
		if data[i] != ',' {
			return false
		}
		i = space(data, i+1)
	}
	return false
}

// Array calls f with the raw value of each element of the array in data until
// f returns false. It reports whether data is a well-formed array and nothing
// else, as far as it was read.
func Array(data []byte, f func(value []byte) bool) bool {
	i := space(data, 0)
	if i >= len(data) || data[i] != '[' {
		return false
	}
	i = space(data, i+1)
	if i < len(data) && data[i] == ']' {
		return space(data, i+1) == len(data)
	}
	for i < len(data) {
		end := skipValue(data, i)
		if end < 0 || !f(data[i:end]) {
			return end >= 0
		}
		i = space(data, end)
		if i >= len(data) {
			return false
		}
		if data[i] == ']' {
			return space(data, i+1) == len(data)
		}
		if data[i] != ',' {
			return false
		}
		i = space(data, i+1)
	}
	return false
}

// Member returns the raw value of the first member of the given name, or nil.
// A chain of names walks into nested objects.
func Member(data []byte, names ...string) []byte {
	for _, want := range names {
		var found []byte
		Object(data, func(name, value []byte) bool {
			if string(name) == want {
				found = value
				return false
			}
			return true
		})
		if found == nil {
			return nil
		}
		data = found
	}
	return data
}

// IsNull reports whether value is absent or null.
func IsNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }

// IsString reports whether value is a string.
func IsString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// IsObject reports whether value is an object.
func IsObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// IsArray reports whether value is an array.
func IsArray(value []byte) bool { return len(value) > 0 && value[0] == '[' }

// String returns the text of a string value, or "" if it is none. A lone
// surrogate becomes U+FFFD.
func String(value []byte) string {
	if !IsString(value) || len(value) < 2 {
		return ""
	}
	if body := value[1 : len(value)-1]; bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body)
	}
	return string(AppendString(nil, value, nil))
}

// Int returns the integer in value, and whether there is one.
func Int(value []byte) (n int64, ok bool) {
	neg := false
	for i, c := range value {
		switch {
		case i == 0 && c == '-':
			neg = true
		case c >= '0' && c <= '9' && i < 18:
			n = n*10 + int64(c-'0')
			ok = true
		default:
			return 0, false
		}
	}
	if neg {
		n = -n
	}
	return n, ok
}

// Carry holds the first half of a surrogate pair, or the first bytes of a
// UTF-8 sequence, that one string ended with and the next may complete. The
// zero value holds nothing. There is one per text that grows by deltas.
type Carry struct {
	high  rune
	bytes [utf8.UTFMax]byte
	n     int
}

// Pending reports whether something is held back.
func (c *Carry) Pending() bool { return c.high != 0 || c.n > 0 }

// Flush appends U+FFFD for what is held back and will not be completed.
func (c *Carry) Flush(dst []byte) []byte {
	if c.Pending() {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	*c = Carry{}
	return dst
}

// AppendString appends the unescaped text of a string value to dst. With a
// carry, an incomplete character at the end is held back for the next call and
// one held back before is completed; without one it becomes U+FFFD, as does
// every other malformed sequence. The result is always valid UTF-8.
func AppendString(dst, value []byte, carry *Carry) []byte {
	if !IsString(value) || len(value) < 2 {
		return dst
	}
	var local Carry
	c := carry
	if c == nil {
		c = &local
	}
	body := value[1 : len(value)-1]
	if !c.Pending() && plain(body) {
		return append(dst, body...) // most deltas
	}
	for len(body) > 0 {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			dst = c.appendBytes(dst, body)
			break
		}
		if i > 0 {
			dst = c.appendBytes(dst, body[:i])
		}
		body = body[i+1:]
		if len(body) == 0 {
			break
		}
		esc := body[0]
		body = body[1:]
		switch esc {
		case 'b':
			esc = '\b'
		case 'f':
			esc = '\f'
		case 'n':
			esc = '\n'
		case 'r':
			esc = '\r'
		case 't':
			esc = '\t'
		case 'u':
			r := hex4(body)
			if r < 0 {
				dst = c.appendRune(dst, utf8.RuneError)
				continue
			}
			body = body[4:]
			dst = c.appendRune(dst, r)
			continue
		}
		dst = c.appendRune(dst, rune(esc))
	}
	if carry == nil {
		dst = c.Flush(dst)
	}
	return dst
}

// plain reports whether the inside of a string is ASCII without escapes.
func plain(body []byte) bool {
	for ; len(body) >= 8; body = body[8:] {
		if eight := binary.LittleEndian.Uint64(body); special(eight)|eight&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range body {
		if c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// AppendText appends raw bytes that are meant to be UTF-8, with the same care.
func AppendText(dst, p []byte, c *Carry) []byte { return c.appendBytes(dst, p) }

func (c *Carry) appendRune(dst []byte, r rune) []byte {
	if c.n > 0 {
		dst = c.Flush(dst)
	}
	if c.high != 0 {
		if joined := utf16.DecodeRune(c.high, r); joined != utf8.RuneError {
			c.high = 0
			return utf8.AppendRune(dst, joined)
		}
		dst = c.Flush(dst)
	}
	if utf16.IsSurrogate(r) {
		if r < 0xDC00 {
			c.high = r
			return dst
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(dst, r)
}

func (c *Carry) appendBytes(dst, p []byte) []byte {
	if len(p) == 0 {
		return dst
	}
	if c.high != 0 {
		dst = c.Flush(dst)
	}
	for c.n > 0 && len(p) > 0 {
		if utf8.RuneStart(p[0]) {
			dst = c.Flush(dst)
			break
		}
		c.bytes[c.n] = p[0]
		c.n++
		p = p[1:]
		if utf8.FullRune(c.bytes[:c.n]) {
			r, size := utf8.DecodeRune(c.bytes[:c.n])
			rest := c.n - size
			dst = utf8.AppendRune(dst, r)
			c.n = 0
			for range rest {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
		}
	}
	if len(p) == 0 {
		return dst
	}
	if cut := incomplete(p); cut > 0 {
		c.n = copy(c.bytes[:], p[len(p)-cut:])
		p = p[:len(p)-cut]
	}
	if utf8.Valid(p) {
		return append(dst, p...)
	}
	return append(dst, bytes.ToValidUTF8(p, []byte("\uFFFD"))...)
}

// incomplete returns how many bytes at the end of p begin a character that is
// not complete.
func incomplete(p []byte) int {
	for n := 1; n <= min(len(p), utf8.UTFMax-1); n++ {
		if utf8.RuneStart(p[len(p)-n]) {
			if utf8.FullRune(p[len(p)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

func hex4(p []byte) rune {
	if len(p) < 4 {
		return -1
	}
	var r rune
	for _, c := range p[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

func space(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// skipString returns the index just past the string that begins at i, or -1.
func skipString(data []byte, i int) int {
	end, _ := stringEnd(data, i)
	return end
}

// stringEnd returns the index just past the string that begins at i, or -1,
// and whether it has escapes.
func stringEnd(data []byte, i int) (end int, escaped bool) {
	j := i + 1
	for j+8 <= len(data) {
		m := special(binary.LittleEndian.Uint64(data[j:]))
		if m == 0 {
			j += 8
			continue
		}
		j += bits.TrailingZeros64(m) / 8
		if data[j] == '"' {
			return j + 1, escaped
		}
		escaped = true
		j += 2
	}
	for ; j < len(data); j++ {
		switch data[j] {
		case '"':
			return j + 1, escaped
		case '\\':
			escaped = true
			j++
		}
	}
	return -1, true
}

// special marks the quotes and backslashes among eight bytes: the lowest bit
// that is set stands in the first of them.
func special(eight uint64) uint64 {
	const each, top = 0x0101010101010101, 0x8080808080808080
	quote, back := eight^each*'"', eight^each*'\\'
	return ((quote-each)&^quote | (back-each)&^back) & top
}

// skipValue returns the index just past the value that begins at i, or -1.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		depth := 0
		for i < len(data) {
			switch data[i] {
			case '"':
				if i = skipString(data, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	start := i
	for i < len(data) {
		switch data[i] {
		case ',', ']', '}', ' ', '\t', '\n', '\r':
			if i == start {
				return -1
			}
			return i
		}
		i++
	}
	return i
}
