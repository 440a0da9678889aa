package config

// stripComments turns JSON with comments (// and /* */) and trailing commas
// into JSON of the same length: what is taken away becomes spaces, so offsets
// in later error messages are those of the file. It does not validate.
func stripComments(src []byte) []byte {
	out := append([]byte(nil), src...)
	comma := -1 // a comma nothing but space has followed
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = skipString(out, i)
		case c == '/' && i+1 < len(out) && out[i+1] == '/':
			i = blank(out, i, lineEnd(out, i))
		case c == '/' && i+1 < len(out) && out[i+1] == '*':
			i = blank(out, i, commentEnd(out, i+2))
		case c == ',':
			comma = i
			i++
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		default:
			comma = -1
			i++
		}
	}
	return out
}

// skipString returns the offset after the string that starts at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func lineEnd(b []byte, i int) int {
	for i < len(b) && b[i] != '\n' {
		i++
	}
	return i
}

func commentEnd(b []byte, i int) int {
	for ; i+1 < len(b); i++ {
		if b[i] == '*' && b[i+1] == '/' {
			return i + 2
		}
	}
	return len(b)
}

// blank overwrites b[from:to] with spaces, keeping line ends, and returns to.
func blank(b []byte, from, to int) int {
	for i := from; i < to; i++ {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
	return to
}
