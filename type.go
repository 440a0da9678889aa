package steno

import "fmt"

// Type says what an event is. It is a small integer in memory and a name
// ("text-delta") wherever it is written down.
type Type uint8

// The event types. Those marked source occur only on the way in: the
// normaliser turns them into others.
const (
	// Unknown is an event this version has no name for. Its name and body are
	// kept in [Unrecognised] and passed on.
	Unknown Type = iota

	ConversationCreated
	ConversationSettings
	BranchCreated
	BranchSelected

	UserMessage
	TurnStart
	TurnEnd
	StepStart
	StepEnd
	AttemptStart // source
	AttemptFailed

	TextStart
	TextDelta
	TextEnd
	ReasoningStart
	ReasoningDelta
	ReasoningEnd

	ToolStart
	ToolDelta
	ToolCall
	ToolOutput
	ToolResult
	Held

	PermissionAsked
	PermissionAnswered

	QueueAdded
	QueueTaken
	QueueWithdrawn

	Error
	Notice
	ModelChanged
	ConfigReload
	Cancelled

	Source
	File
	Opaque
	Usage

	Dropped
	Done // source

	typeCount
)

// TypeCount is one more than the largest Type, for tables indexed by type.
const TypeCount = int(typeCount)

var typeNames = [TypeCount]string{
	Unknown:              "unknown",
	ConversationCreated:  "conversation-created",
	ConversationSettings: "conversation-settings",
	BranchCreated:        "branch-created",
	BranchSelected:       "branch-selected",
	UserMessage:          "user-message",
	TurnStart:            "turn-start",
	TurnEnd:              "turn-end",
	StepStart:            "step-start",
	StepEnd:              "step-end",
	AttemptStart:         "attempt-start",
	AttemptFailed:        "attempt-failed",
	TextStart:            "text-start",
	TextDelta:            "text-delta",
	TextEnd:              "text-end",
	ReasoningStart:       "reasoning-start",
	ReasoningDelta:       "reasoning-delta",
	ReasoningEnd:         "reasoning-end",
	ToolStart:            "tool-start",
	ToolDelta:            "tool-delta",
	ToolCall:             "tool-call",
	ToolOutput:           "tool-output",
	ToolResult:           "tool-result",
	Held:                 "held",
	PermissionAsked:      "permission-asked",
	PermissionAnswered:   "permission-answered",
	QueueAdded:           "queue-added",
	QueueTaken:           "queue-taken",
	QueueWithdrawn:       "queue-withdrawn",
	Error:                "error",
	Notice:               "notice",
	ModelChanged:         "model-changed",
	ConfigReload:         "config-reload",
	Cancelled:            "cancelled",
	Source:               "source",
	File:                 "file",
	Opaque:               "opaque",
	Usage:                "usage",
	Dropped:              "dropped",
	Done:                 "done",
}

var typesByName = func() map[string]Type {
	m := make(map[string]Type, TypeCount)
	for t, name := range typeNames {
		m[name] = Type(t)
	}
	return m
}()

// TypeNamed returns the type with the given name, or Unknown.
func TypeNamed(name string) Type { return typesByName[name] }

// String returns the name of t.
func (t Type) String() string {
	if int(t) < TypeCount {
		return typeNames[t]
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// IsDelta reports whether t carries a piece of a growing text.
func (t Type) IsDelta() bool {
	switch t {
	case TextDelta, ReasoningDelta, ToolDelta, ToolOutput:
		return true
	}
	return false
}

// IsSystem reports whether t becomes a system part (semantics A3).
func (t Type) IsSystem() bool { return t >= Notice && t <= Cancelled }
