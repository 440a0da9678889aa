// Package raw keeps a piece of a provider's JSON so that it can stand in an
// event: owned, and valid whatever came over the wire.
package raw

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Value returns a copy of data, one JSON value as it stood on the wire. What
// is not a valid JSON value (a name given twice counts as invalid, and so do
// bytes that are no UTF-8) becomes a JSON string that holds the text of it, so
// the result can always be written. Absent data gives nil.
func Value(data []byte) jsontext.Value {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	if v := jsontext.Value(data); v.IsValid() {
		return v.Clone()
	}
	return Quote(data)
}

// Quote returns text as a JSON string. What is no UTF-8 becomes U+FFFD.
func Quote(text []byte) jsontext.Value {
	// The error says no more than that something was replaced.
	v, _ := jsontext.AppendQuote(nil, text)
	return v
}

// Object returns object, which was put together of members, as one valid JSON
// object: if a name stands in it twice, it becomes the only member "raw" of
// another, as text.
func Object(object []byte) jsontext.Value {
	if v := jsontext.Value(object); v.IsValid() {
		return v
	}
	return append(Member([]byte{'{'}, "raw", Quote(object)), '}')
}

// Member appends the member of an object, with a comma before it if dst does
// not end with the opening brace. The value is made valid as by Value.
func Member(dst []byte, name string, value []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	dst, _ = jsontext.AppendQuote(dst, name)
	dst = append(dst, ':')
	return append(dst, Value(value)...)
}
