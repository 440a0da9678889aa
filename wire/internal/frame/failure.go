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
	inner, within := data, false
	if e := scan.Member(data, "error"); !scan.IsNull(e) {
		if !scan.IsObject(e) {
			return plain(e), &steno.Failure{Raw: raw.Value(data)}, true
		}
		inner, within = e, true
	}
	var e failure
	scan.Object(inner, e.member)
	if e.message == "" {
		e.message = e.detail
	}
	if e.message == "" && (!within || e.code == "" && e.word == "") {
		return "", nil, false
	}
	code := e.code
	for _, other := range []string{e.word, e.state} {
		if code == "" {
			code = other
		}
	}
	return e.message, &steno.Failure{Status: e.status, Code: code, Raw: raw.Value(inner)}, true
}

// failure is what the members of an error object say.
type failure struct {
	message, detail   string
	code, word, state string // the code, the type and the status, as words
	status            int
}

func (f *failure) member(name, value []byte) bool {
	switch string(name) {
	case "message":
		f.message = plain(value)
	case "detail":
		f.detail = plain(value)
	case "code":
		f.code = plain(value)
		f.number(value)
	case "type", "__type":
		f.word = plain(value)
	case "status":
		if !f.number(value) {
			f.state = plain(value)
		}
	}
	return true
}

// number takes a value that may be an HTTP status.
func (f *failure) number(value []byte) bool {
	n, ok := scan.Int(value)
	if ok = ok && n >= 100 && n < 600; ok {
		f.status = int(n)
	}
	return ok
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
