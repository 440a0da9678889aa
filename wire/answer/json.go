package answer

import (
	"encoding/base64"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the document as one JSON object. What stood on the wire
// as JSON stands in it byte for byte, which an encoder would not do: it writes
// values in its own way. Null stands for what the provider did not say.
func (d *Document) AppendJSON(dst []byte) []byte {
	w := writer(append(dst, '{'))
	w.text("format", d.Format)
	w.list("answers", len(d.Answers), func(i int) { w.answer(&d.Answers[i]) })
	w.list("errors", len(d.Errors), func(i int) { w.error(&d.Errors[i]) })
	return append(w, '}')
}

// MarshalJSON implements the interface of package json. The encoder that calls
// it may write raw values in its own way; AppendJSON keeps them.
func (d *Document) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// writer appends JSON to itself.
type writer []byte

func (w *writer) name(name string) {
	if b := *w; b[len(b)-1] != '{' {
		*w = append(b, ',')
	}
	*w, _ = jsontext.AppendQuote(*w, name)
	*w = append(*w, ':')
}

func (w *writer) text(name, s string) {
	w.name(name)
	*w, _ = jsontext.AppendQuote(*w, s)
}

// said writes s, or null if the provider did not say it.
func (w *writer) said(name, s string) {
	if s == "" {
		w.raw(name, nil)
		return
	}
	w.text(name, s)
}

// raw writes a value as it is, or null if there is none.
func (w *writer) raw(name string, v jsontext.Value) {
	w.name(name)
	if len(v) == 0 {
		v = jsontext.Value("null")
	}
	*w = append(*w, v...)
}

func (w *writer) rawIfAny(name string, v jsontext.Value) {
	if len(v) > 0 {
		w.raw(name, v)
	}
}

func (w *writer) textIfAny(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *writer) list(name string, n int, item func(i int)) {
	w.name(name)
	*w = append(*w, '[')
	for i := range n {
		if i > 0 {
			*w = append(*w, ',')
		}
		*w = append(*w, '{')
		item(i)
		*w = append(*w, '}')
	}
	*w = append(*w, ']')
}

func (w *writer) answer(a *Answer) {
	w.list("parts", len(a.Parts), func(i int) { w.part(&a.Parts[i]) })
	w.text("finish", string(a.Finish))
	w.said("stop", a.Stop)
	w.raw("usage", a.Usage)
}

func (w *writer) error(e *Error) {
	w.text("message", e.Message)
	if e.Status == 0 {
		w.raw("status", nil)
	} else {
		w.raw("status", strconv.AppendInt(nil, int64(e.Status), 10))
	}
	w.said("code", e.Code)
}

// part writes the members that parts of the kind have, and no others.
func (w *writer) part(p *Part) {
	w.text("kind", string(p.Kind))
	switch p.Kind {
	case Text, Thinking:
		w.text("text", p.Text)
		w.rawIfAny("opaque", p.Opaque)
	case ToolCall:
		w.said("id", p.ID)
		w.text("name", p.Name)
		w.text("arguments", p.Arguments)
		w.text("executor", string(p.Executor))
		w.rawIfAny("opaque", p.Opaque)
	case ToolResult:
		w.said("id", p.ID)
		w.raw("raw", p.Raw)
		w.rawIfAny("opaque", p.Opaque)
	default:
		w.textIfAny("type", p.Type)
		w.textIfAny("name", p.Name)
		w.textIfAny("media", p.Media)
		if len(p.Data) > 0 {
			w.text("data", base64.StdEncoding.EncodeToString(p.Data))
		}
		w.rawIfAny("raw", p.Raw)
	}
}
