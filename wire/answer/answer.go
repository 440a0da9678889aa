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
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// Document is everything that stood in one recording.
type Document struct {
	Format  string
	Answers []Answer
	Errors  []Error
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
