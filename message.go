package steno

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/text"
)

// Role is who speaks a message.
type Role string

// The roles. A system message holds only system parts.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

// Kind is the kind of a part.
type Kind string

// The kinds of parts. A kind that is none of these is drawn as opaque.
const (
	KindText     Kind = "text"
	KindThinking Kind = "thinking"
	KindTool     Kind = "tool"
	KindError    Kind = "error"
	KindSystem   Kind = "system"
	KindFile     Kind = "file"
	KindSource   Kind = "source"
	KindOpaque   Kind = "opaque"
)

// KindOf returns the kind of part that events of type t belong to, or "".
func KindOf(t Type) Kind {
	switch t {
	case TextStart, TextDelta, TextEnd:
		return KindText
	case ReasoningStart, ReasoningDelta, ReasoningEnd:
		return KindThinking
	case ToolStart, ToolDelta, ToolCall, ToolOutput, ToolResult, PermissionAsked, PermissionAnswered:
		return KindTool
	case Error:
		return KindError
	case Notice, ModelChanged, ConfigReload, Cancelled:
		return KindSystem
	case File:
		return KindFile
	case Source:
		return KindSource
	case Opaque:
		return KindOpaque
	}
	return ""
}

// Message is a role and its ordered parts.
type Message struct {
	ID    string
	Role  Role
	Turn  uint32
	Parts []Part
}

// Part is one addressed piece of a message, as a plain value for cold readers.
type Part struct {
	Kind Kind
	// Ordinal is the part's ordinal among those of its kind in the message.
	Ordinal string

	Step, Attempt uint32
	Block         string

	// Text is the text of a text, thinking, error or system part.
	Text text.Text
	// Opaque is provider data that comes back unchanged, to Provider and Model.
	Opaque          jsontext.Value
	Provider, Model string

	// Superseded says that the part belongs to an attempt that failed.
	Superseded bool
	// Sealed says that the part will not change again.
	Sealed bool

	// Call is set for a tool part.
	Call *Call
	// Status is the HTTP status of an error, 0 where there was none.
	Status int
	// Notice is the kind of a system part: notice, model-changed,
	// config-reload or cancelled.
	Notice string
	// Content is set for file, source and opaque parts.
	Content *Block
}

// Call is a tool call and what became of it.
type Call struct {
	ID        string // the provider's
	Name      string
	Arguments text.Text // raw, exactly as they came
	Executor  Executor
	Output    text.Text // what the running tool printed
	Started   bool      // a first tool-output was seen

	// Result is nil while the call is open.
	Result     *Result
	ResultText string
}

// Chunk is a part as it is stored, sent and shown: the calls of one step and
// attempt that stand side by side are one tool-batch. See semantics A1.
type Chunk struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitzero"`
	Block string `json:"block,omitzero"`

	Step    uint32 `json:"step,omitzero"`
	Attempt uint32 `json:"attempt,omitzero"`

	Opaque   jsontext.Value `json:"opaque,omitzero"`
	Provider string         `json:"provider,omitzero"`
	Model    string         `json:"model,omitzero"`

	Calls []ChunkCall `json:"calls,omitzero"`

	// Message and StatusCode belong to an error, Kind to a system chunk.
	Message    string `json:"message,omitzero"`
	StatusCode int    `json:"statusCode,omitzero"`
	Kind       string `json:"kind,omitzero"`

	// Raw is the provider's block of a source, file or opaque chunk.
	Raw jsontext.Value `json:"raw,omitzero"`
}

// ChunkCall is one call of a tool-batch.
type ChunkCall struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Arguments   string         `json:"arguments"`
	Executor    Executor       `json:"executor,omitzero"`
	Opaque      jsontext.Value `json:"opaque,omitzero"`
	Result      *string        `json:"result,omitzero"`
	Parts       []Content      `json:"parts,omitzero"`
	Raw         jsontext.Value `json:"raw,omitzero"`
	IsError     bool           `json:"isError,omitzero"`
	Outcome     Outcome        `json:"outcome,omitzero"`
	ShellOutput string         `json:"shellOutput,omitzero"`
}
