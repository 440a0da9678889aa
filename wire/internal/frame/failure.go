package frame

import (
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// maxMessage bounds the message made of an error body that is no JSON, in
// bytes; the body itself is kept whole.
const maxMessage = 4 << 10

// Failure reads an error as providers and proxies send it: {"error":{…}},
// {"error":"…"}, {"detail":"…"}, {"message":"…"}, or the inner object alone.
// It reports false where data holds none of these.
func Failure(data []byte) (message string, f *steno.Failure, ok bool) {
	if !scan.IsObject(data) {
		return "", nil, false
	}
	inner := data
	if e := scan.Member(data, "error"); !scan.IsNull(e) {
		if !scan.IsObject(e) {
			return plain(e), &steno.Failure{Raw: raw.Value(data)}, true
		}
		inner = e
	}
	f = &steno.Failure{}
	var word, status, detail string
	scan.Object(inner, func(name, value []byte) bool {
		switch string(name) {
		case "message":
			message = plain(value)
		case "detail":
			detail = plain(value)
		case "code":
			f.Code = plain(value)
			if n, ok := scan.Int(value); ok && n >= 100 && n < 600 {
				f.Status = int(n)
			}
		case "type", "__type":
			word = plain(value)
		case "status":
			if n, ok := scan.Int(value); ok && n >= 100 && n < 600 {
				f.Status = int(n)
			} else {
				status = plain(value)
			}
		}
		return true
	})
	if message == "" {
		message = detail
	}
	if message == "" && f.Code == "" && word == "" {
		return "", nil, false
	}
	for _, other := range []string{word, status} {
		if f.Code == "" {
			f.Code = other
		}
	}
	f.Raw = raw.Value(inner)
	return message, f, true
}

// TextFailure makes an error of a body that is no JSON: a proxy's page, a line
// of text.
func TextFailure(body []byte) (message string, f *steno.Failure) {
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	return strings.TrimSpace(text), &steno.Failure{Raw: raw.Quote(body)}
}

// plain returns the text of a string, and anything else as it is written.
func plain(value []byte) string {
	switch {
	case scan.IsNull(value):
		return ""
	case scan.IsString(value):
		return scan.String(value)
	}
	return strings.ToValidUTF8(string(value), "\uFFFD")
}
