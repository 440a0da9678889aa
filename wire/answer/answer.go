// Package answer collects the source events of a decoder into whole answers:
// what a provider said, part by part, in order of first appearance.
//
// It is the cold form of a recorded answer, made for looking at one and for
// comparing it with what is known of it; "steno parts" prints it. A live
// transcript is folded by other means and keeps far more: when each delta
// came, and where an error cut a part in two. Here the parts of one block are
// one part again.
package answer

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// Document is everything that stood in one recording.
type Document struct {
	Format  string   `json:"format"`
	Answers []Answer `json:"answers"`
	Errors  []Error  `json:"errors"`
}

// Answer is one response, or one choice of a response that has several.
type Answer struct {
	Parts  []Part
	Finish steno.Finish
	// Stop is the provider's own word for why it ended, "" if it gave none.
	Stop string
	// Usage holds the provider's numbers under their own names, nil if none.
	Usage jsontext.Value
}

// Error is one error the provider or the decoder reported.
type Error struct {
	Message string
	// Status is the HTTP status, 0 where none is known.
	Status int
	// Code is the provider's code, "" where it gave none.
	Code string
}

// Kind is the kind of a part. A call and its result are two parts here,
// because a provider sends them as two.
type Kind string

// The kinds of parts.
const (
	Text       Kind = "text"
	Thinking   Kind = "thinking"
	ToolCall   Kind = "tool-call"
	ToolResult Kind = "tool-result"
	Source     Kind = "source"
	File       Kind = "file"
	Opaque     Kind = "opaque"
)

// Part is one piece of an answer. Which fields are set follows from Kind.
type Part struct {
	Kind Kind
	// Text is the whole text (text, thinking).
	Text string
	// ID is the provider's id of the call, Name the tool (tool-call, tool-result).
	ID, Name string
	// Arguments is the raw text of the arguments, "" where none came.
	Arguments string
	Executor  steno.Executor
	// Opaque is provider data that has to come back with the part.
	Opaque jsontext.Value
	// Type is the provider's word for the block (source, file, opaque).
	Type string
	// Raw is the provider's block or result as it stood on the wire.
	Raw jsontext.Value
	// Media and Data are the type and the content of a file.
	Media string
	Data  []byte
}

// MarshalJSONTo writes a with null for what the provider did not say.
func (a *Answer) MarshalJSONTo(enc *jsontext.Encoder) error {
	parts := a.Parts
	if parts == nil {
		parts = []Part{}
	}
	return json.MarshalEncode(enc, &struct {
		Parts  []Part         `json:"parts"`
		Finish steno.Finish   `json:"finish"`
		Stop   *string        `json:"stop"`
		Usage  jsontext.Value `json:"usage"`
	}{parts, a.Finish, orNull(a.Stop), rawOrNull(a.Usage)})
}

// MarshalJSONTo writes e with null for what is not known.
func (e *Error) MarshalJSONTo(enc *jsontext.Encoder) error {
	w := struct {
		Message string  `json:"message"`
		Status  *int    `json:"status"`
		Code    *string `json:"code"`
	}{Message: e.Message, Code: orNull(e.Code)}
	if e.Status != 0 {
		w.Status = &e.Status
	}
	return json.MarshalEncode(enc, &w)
}

// MarshalJSONTo writes the members that parts of the kind have, and no others.
func (p *Part) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch p.Kind {
	case Text, Thinking:
		return json.MarshalEncode(enc, &struct {
			Kind   Kind           `json:"kind"`
			Text   string         `json:"text"`
			Opaque jsontext.Value `json:"opaque,omitzero"`
		}{p.Kind, p.Text, p.Opaque})
	case ToolCall:
		return json.MarshalEncode(enc, &struct {
			Kind      Kind           `json:"kind"`
			ID        *string        `json:"id"`
			Name      string         `json:"name"`
			Arguments string         `json:"arguments"`
			Executor  steno.Executor `json:"executor"`
			Opaque    jsontext.Value `json:"opaque,omitzero"`
		}{p.Kind, orNull(p.ID), p.Name, p.Arguments, p.Executor, p.Opaque})
	case ToolResult:
		return json.MarshalEncode(enc, &struct {
			Kind   Kind           `json:"kind"`
			ID     *string        `json:"id"`
			Raw    jsontext.Value `json:"raw"`
			Opaque jsontext.Value `json:"opaque,omitzero"`
		}{p.Kind, orNull(p.ID), rawOrNull(p.Raw), p.Opaque})
	}
	return json.MarshalEncode(enc, &struct {
		Kind  Kind           `json:"kind"`
		Type  string         `json:"type,omitzero"`
		Name  string         `json:"name,omitzero"`
		Media string         `json:"media,omitzero"`
		Data  []byte         `json:"data,omitzero"`
		Raw   jsontext.Value `json:"raw,omitzero"`
	}{p.Kind, p.Type, p.Name, p.Media, p.Data, p.Raw})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func rawOrNull(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	return v
}
