package steno

import "github.com/go-json-experiment/json/jsontext"

// Body is the part of an event that only its type has. A body is immutable
// once it is in an event and owns its bytes.
type Body interface{ body() }

// Executor says who runs a tool.
type Executor string

// The executors.
const (
	// ExecutorClient tools are run by the agent. It is the default: "" means it.
	ExecutorClient Executor = "client"
	// ExecutorProvider tools are run by the provider, which also gives the
	// result.
	ExecutorProvider Executor = "provider"
)

// Finish is why an answer or a turn ended, in our words.
type Finish string

// The finish reasons. An answer ends by one of the first six; a turn also by
// the last two.
const (
	FinishComplete    Finish = "complete"
	FinishLength      Finish = "length"
	FinishIncomplete  Finish = "incomplete"
	FinishError       Finish = "error"
	FinishRefusal     Finish = "refusal"
	FinishPaused      Finish = "paused"
	FinishCancelled   Finish = "cancelled"
	FinishInterrupted Finish = "interrupted"
)

// Outcome is how a tool call ended.
type Outcome string

// The outcomes. All but the first are five different facts, which are never told
// to a model in the same words.
const (
	OutcomeOK          Outcome = "ok"
	OutcomeError       Outcome = "error"
	OutcomeDenied      Outcome = "denied"
	OutcomeInterrupted Outcome = "interrupted"
	OutcomeSkipped     Outcome = "skipped"
	OutcomeCutOff      Outcome = "cut-off"
)

// Conversation is the body of conversation-created, the first event of a root
// journal.
type Conversation struct {
	// Format is the version of the event format the journal is written in.
	Format int    `json:"v"`
	Owner  string `json:"owner,omitzero"`
	// Demo marks a conversation made by the built-in player.
	Demo bool `json:"demo,omitzero"`
}

// Settings is the body of conversation-settings. Only what is set changes.
type Settings struct {
	Title     *string `json:"title,omitzero"`
	Directory *string `json:"directory,omitzero"`
	Model     *string `json:"model,omitzero"`
	Pin       *bool   `json:"pin,omitzero"`
	Archive   *bool   `json:"archive,omitzero"`
	// Demo is set to false when a demo is recorded to: it is the user's then.
	Demo *bool  `json:"demo,omitzero"`
	By   string `json:"by,omitzero"`
}

// Branch is the body of branch-created and branch-selected.
type Branch struct {
	Branch string `json:"branch,omitzero"`
	Parent string `json:"parent,omitzero"`
	At     int64  `json:"at,omitzero"`
	By     string `json:"by,omitzero"`
}

// UserInput is the body of user-message and of the queue events. Its text is
// the event's; parts hold what is not text.
type UserInput struct {
	By    string    `json:"by,omitzero"`
	Parts []Content `json:"parts,omitzero"`
	// Item names the queue item (queue-added, -taken, -withdrawn).
	Item string `json:"item,omitzero"`
	// Client is the sender's own id, by which it knows its optimistic item
	// again. It identifies nothing else.
	Client string `json:"client,omitzero"`
	// Queued marks a source user-message that came during a turn.
	Queued bool `json:"queued,omitzero"`
}

// Turn is the body of turn-start and turn-end.
type Turn struct {
	// Continues is the message this turn's message goes on with.
	Continues string `json:"continues,omitzero"`
	// Takes names the queued item a source turn-start takes.
	Takes string `json:"takes,omitzero"`
	// Reason is why the turn ended.
	Reason Finish `json:"reason,omitzero"`
}

// Step is the body of step-start, step-end and usage.
type Step struct {
	Provider string `json:"provider,omitzero"`
	Model    string `json:"model,omitzero"`
	// Response is the provider's id of the answer.
	Response string `json:"response,omitzero"`
	// Finish is our word for why the answer ended, Stop the provider's own.
	Finish Finish `json:"finish,omitzero"`
	Stop   string `json:"stop,omitzero"`
	// Usage holds the provider's numbers under their own names: one object.
	Usage jsontext.Value `json:"usage,omitzero"`
	// Raw names the blob with the answer's bytes as they came.
	Raw string `json:"raw,omitzero"`
	// Opens marks the step-start that begins another message of its turn,
	// because a queued user message was taken before it.
	Opens bool `json:"opens,omitzero"`
}

// Failure is the body of error and attempt-failed.
type Failure struct {
	Status int    `json:"status,omitzero"`
	Code   string `json:"code,omitzero"`
	// RetryIn is the pause before the next attempt, in milliseconds.
	RetryIn   int64 `json:"retryIn,omitzero"`
	Retryable bool  `json:"retryable,omitzero"`
	// Raw is the provider's error body.
	Raw jsontext.Value `json:"raw,omitzero"`
}

// Seal is the body of text-end and reasoning-end, and of tool-call, where a
// provider attached data of its own that has to come back unchanged.
type Seal struct {
	// Opaque is one JSON object: signature, encrypted content, redacted data.
	Opaque jsontext.Value `json:"opaque,omitzero"`
	// Provider and Model made the opaque data and alone may be sent it.
	Provider string `json:"provider,omitzero"`
	Model    string `json:"model,omitzero"`
	// Executor says who runs the call (tool-start, tool-call).
	Executor Executor `json:"executor,omitzero"`
	// Freeform says that a call's arguments are free text, no JSON object.
	Freeform bool `json:"freeform,omitzero"`
}

// Output is the body of tool-output. A nil body means stdout.
type Output struct {
	// Stream is "stdout" or "stderr".
	Stream string `json:"stream,omitzero"`
	// Data holds bytes that are no UTF-8; the event's text is then empty.
	Data []byte `json:"data,omitzero"`
	// Blob names the whole output where it was too large to stand in an event.
	Blob string `json:"blob,omitzero"`
	// Truncated says what was left out of the event, as data.
	Truncated *Truncation `json:"truncated,omitzero"`
}

// Result is the body of tool-result and held. A result that is only text may
// stand in the event's Text instead of Parts.
type Result struct {
	IsError bool    `json:"isError,omitzero"`
	Outcome Outcome `json:"outcome,omitzero"`
	// Parts is the result where it is more than one text.
	Parts []Content `json:"parts,omitzero"`
	// Raw is a provider tool's result exactly as it came.
	Raw jsontext.Value `json:"raw,omitzero"`
	// Opaque is one JSON object of provider data that came with a provider
	// tool's result and has to come back with it (a thought signature).
	Opaque jsontext.Value `json:"opaque,omitzero"`
	// Blob names the whole result where it was too large to stand in an event.
	Blob string `json:"blob,omitzero"`
	// Truncated says what was left out of the event, as data.
	Truncated *Truncation `json:"truncated,omitzero"`
	Executor  Executor    `json:"executor,omitzero"`
}

// Truncation says how much of a large body an event does not hold, in bytes.
type Truncation struct {
	Total int64 `json:"total"`
	Kept  int64 `json:"kept"`
}

// Permission is the body of permission-asked and permission-answered.
type Permission struct {
	ID     string `json:"id"`
	What   string `json:"what,omitzero"`
	Choice string `json:"choice,omitzero"`
	Reason string `json:"reason,omitzero"`
	By     string `json:"by,omitzero"`
}

// Block is the body of source, file and opaque: what has no text of ours.
type Block struct {
	// Kind is the provider's word for it ("url_citation", "image_generation_call").
	Kind string `json:"kind,omitzero"`
	// Raw is the provider's block, whole and unchanged.
	Raw jsontext.Value `json:"raw,omitzero"`
	// Blob is the hash of the content, Media its type (file).
	Blob  string `json:"blob,omitzero"`
	Media string `json:"media,omitzero"`
	// Data is a file's content on its way to the blob store; journal events
	// name it by Blob.
	Data     []byte `json:"data,omitzero"`
	Provider string `json:"provider,omitzero"`
	Model    string `json:"model,omitzero"`
}

// Notes is the body of the system events, where there is more than a text.
type Notes struct {
	Data jsontext.Value `json:"data,omitzero"`
	By   string         `json:"by,omitzero"`
}

// Refused is the body of dropped: what the normaliser would not take and why.
type Refused struct {
	Reason string `json:"reason"`
	// Event is the refused source event, in the JSON form of an event.
	Event jsontext.Value `json:"event,omitzero"`
}

// Unrecognised is the body of an event of unknown type.
type Unrecognised struct {
	Name string         `json:"name"`
	Raw  jsontext.Value `json:"raw,omitzero"`
}

// Content is one piece of a user's message or of a tool's result.
type Content struct {
	// Kind is "text", "image" or "file".
	Kind  string `json:"kind"`
	Text  string `json:"text,omitzero"`
	Media string `json:"media,omitzero"`
	Name  string `json:"name,omitzero"`
	// Blob is the hash of the bytes; Data carries them until they are stored.
	Blob string `json:"blob,omitzero"`
	Data []byte `json:"data,omitzero"`
}

func (*Conversation) body() {}
func (*Settings) body()     {}
func (*Branch) body()       {}
func (*UserInput) body()    {}
func (*Turn) body()         {}
func (*Step) body()         {}
func (*Failure) body()      {}
func (*Seal) body()         {}
func (*Output) body()       {}
func (*Result) body()       {}
func (*Permission) body()   {}
func (*Block) body()        {}
func (*Notes) body()        {}
func (*Refused) body()      {}
func (*Unrecognised) body() {}

// NewBody returns an empty body of the kind that events of type t carry, or
// nil where they carry none.
func NewBody(t Type) Body {
	switch t {
	case ConversationCreated:
		return new(Conversation)
	case ConversationSettings:
		return new(Settings)
	case BranchCreated, BranchSelected:
		return new(Branch)
	case UserMessage, QueueAdded, QueueTaken, QueueWithdrawn:
		return new(UserInput)
	case TurnStart, TurnEnd:
		return new(Turn)
	case StepStart, StepEnd, Usage:
		return new(Step)
	case Error, AttemptFailed:
		return new(Failure)
	case TextEnd, ReasoningEnd, ToolStart, ToolCall:
		return new(Seal)
	case ToolOutput:
		return new(Output)
	case ToolResult, Held:
		return new(Result)
	case PermissionAsked, PermissionAnswered:
		return new(Permission)
	case Source, File, Opaque:
		return new(Block)
	case Notice, ModelChanged, ConfigReload, Cancelled:
		return new(Notes)
	case Dropped:
		return new(Refused)
	case Unknown:
		return new(Unrecognised)
	}
	return nil
}
