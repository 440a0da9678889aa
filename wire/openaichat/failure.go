package openaichat

import (
	"strconv"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// holdsError reports whether a frame tells of an error, in any of the forms
// that servers of this format use.
func holdsError(c *chunk, data []byte) bool {
	switch v := c.failure; {
	case scan.IsString(v):
		return len(v) > len(`""`)
	case holds(v):
		return true
	}
	return c.choices == nil && (string(scan.Member(data, "object")) == `"error"` || string(scan.Member(data, "type")) == `"error"`)
}

// providerError reports the error in a frame. An error object may hold the
// message, be the message, or be missing; the frame itself may then hold it.
func (d *Decoder) providerError(c *chunk, data []byte) {
	f := &steno.Failure{Raw: raw.Value(data)}
	message := ""
	for _, v := range [][]byte{c.failure, data} {
		switch {
		case scan.IsString(v):
			message = scan.String(v)
		case scan.IsObject(v):
			if message == "" {
				message = errorText(v)
			}
			describe(f, v)
		}
	}
	if message == "" {
		message = string(raw.Value(data))
	}
	d.fail(message, f)
}

// errorText returns the message in an error object. Some validators give a
// list of what is wrong; it is shown as it stands.
func errorText(object []byte) string {
	for _, name := range []string{"message", "detail", "msg"} {
		switch v := scan.Member(object, name); {
		case scan.IsString(v) && len(v) > len(`""`):
			return scan.String(v)
		case holds(v):
			return string(raw.Value(v))
		}
	}
	return ""
}

// describe fills in status and code from an error object, as far as they are
// not known. A code that is an HTTP status is both; of a word and a number the
// word is the code.
func describe(f *steno.Failure, object []byte) {
	for _, name := range []string{"status_code", "statusCode", "status", "code"} {
		v := scan.Member(object, name)
		n, ok := scan.Int(v)
		if !ok {
			n, _ = strconv.ParseInt(scan.String(v), 10, 32)
		}
		if f.Status == 0 && n >= 400 && n < 600 {
			f.Status = int(n)
		}
	}
	for _, name := range []string{"code", "type", "error_type", "status"} {
		if code := scan.String(scan.Member(object, name)); f.Code == "" && code != "error" {
			f.Code = code
		}
	}
	if v := scan.Member(object, "code"); f.Code == "" && !scan.IsNull(v) && !holds(v) && !scan.IsString(v) {
		f.Code = string(raw.Value(v))
	}
}

// fail reports an error of the provider. The answers that are open end by it.
func (d *Decoder) fail(message string, f *steno.Failure) {
	d.interrupt()
	d.failed = true
	d.send(steno.Event{Type: steno.Error, Text: message, Body: f})
}
