package transcript

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
)

// MessageNode is the node of a message, without its parts.
type MessageNode struct {
	Role steno.Role `json:"role" slot:"immutable"`
	// Turn is the turn on whose page it stands.
	Turn uint32 `json:"turn" slot:"immutable"`
	At   int64  `json:"at" slot:"immutable"`
	// State is open or ended, Reason why it ended.
	State     string       `json:"state"`
	Reason    steno.Finish `json:"reason"`
	Continues string       `json:"continues" slot:"immutable"`
	// By is the person who wrote it, Client what their program calls it, Item
	// the queue item it was.
	By     string `json:"by" slot:"immutable"`
	Client string `json:"client" slot:"immutable"`
	Item   string `json:"item" slot:"immutable"`
}

// The states of a message and of a step.
const (
	StateOpen  = "open"
	StateEnded = "ended"
)

var messageLayout = layout[MessageNode]()

// messageKind defines the messages. The event that opens one is the turn's
// start, a step's start that says so, what a person said, or the first notice
// outside of a turn.
func messageKind() projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, MessageNode]{
		Kind: "message",
		On: on(steno.UserMessage, steno.TurnStart, steno.TurnEnd, steno.StepStart, steno.QueueTaken,
			steno.Notice, steno.ModelChanged, steno.ConfigReload, steno.Cancelled),
		Match:  matchMessage,
		Start:  startMessage,
		Update: updateMessage,
		Equal:  messageLayout.Equivalent,
		Layout: messageLayout,
	})
}

func matchMessage(e *steno.Event) (projection.Claim, bool) {
	c := projection.Claim{Collection: Messages, ID: e.Message, Role: projection.Start}
	switch e.Type {
	case steno.StepStart:
		body, ok := e.Body.(*steno.Step)
		return c, ok && body.Opens
	case steno.TurnEnd, steno.QueueTaken:
		c.Role = projection.Update
		return c, e.Message != ""
	case steno.UserMessage, steno.TurnStart:
		return c, true
	}
	return c, e.Turn == 0 && e.Part == "0"
}

func startMessage(e *steno.Event, _ projection.Reader) MessageNode {
	m := MessageNode{Role: steno.RoleAssistant, Turn: PageOf(e), At: e.At, State: StateOpen}
	switch body := e.Body.(type) {
	case *steno.Turn:
		m.Continues = body.Continues
	case *steno.UserInput:
		m.By, m.Client, m.Item = body.By, body.Client, body.Item
	}
	switch {
	case e.Type == steno.UserMessage:
		m.Role, m.State = steno.RoleUser, StateEnded
	case e.Type.IsSystem():
		m.Role, m.State = steno.RoleSystem, StateEnded
	}
	return m
}

// updateMessage ends a message: with its turn, or when a user message was taken
// after it.
func updateMessage(m MessageNode, e *steno.Event) MessageNode {
	m.State = StateEnded
	if body, ok := e.Body.(*steno.Turn); ok {
		m.Reason = body.Reason
	} else if m.Reason == "" {
		m.Reason = steno.FinishComplete
	}
	return m
}

// StepNode is the node of a step.
type StepNode struct {
	Turn    uint32 `json:"turn" slot:"immutable"`
	Step    uint32 `json:"step" slot:"immutable"`
	Message string `json:"message" slot:"immutable"`
	// Attempt is the latest try; Provider and Model are its.
	Attempt  uint32         `json:"attempt"`
	Provider string         `json:"provider"`
	Model    string         `json:"model"`
	State    string         `json:"state"`
	Finish   steno.Finish   `json:"finish"`
	Stop     string         `json:"stop"`
	Usage    jsontext.Value `json:"usage" slot:"ref"`
	// Failed lists the attempts that were given up.
	Failed []FailedAttempt `json:"failed"`
}

// FailedAttempt is an attempt that was given up. What belongs to it is
// superseded: shown folded, never sent.
type FailedAttempt struct {
	Attempt uint32 `json:"attempt"`
	// RetryIn is the pause before the next, in milliseconds.
	RetryIn int64 `json:"retryIn,omitzero"`
}

var stepLayout = layout[StepNode]()

func stepKind() projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, StepNode]{
		Kind:   "step",
		On:     on(steno.StepStart, steno.StepEnd, steno.AttemptFailed, steno.Usage),
		Match:  matchStep,
		Start:  startStep,
		Update: updateStep,
		Equal:  stepLayout.Equivalent,
		Layout: stepLayout,
	})
}

func matchStep(e *steno.Event) (projection.Claim, bool) {
	c := projection.Claim{Collection: Steps, ID: StepID(e.Turn, e.Step), Role: projection.Update}
	if e.Type == steno.StepStart && e.Attempt <= 1 {
		c.Role = projection.Start
	}
	return c, e.Step != 0
}

// StepID returns the key of a step.
func StepID(turn, step uint32) string { return pageID(turn, step) }

func startStep(e *steno.Event, _ projection.Reader) StepNode {
	return StepNode{Turn: e.Turn, Step: e.Step, Message: strings.Clone(e.Message)}.begin(e)
}

// begin starts the step's next attempt.
func (s StepNode) begin(e *steno.Event) StepNode {
	s.Attempt, s.State, s.Finish, s.Stop, s.Usage = e.Attempt, StateOpen, "", "", nil
	s.Provider, s.Model = "", ""
	if body, ok := e.Body.(*steno.Step); ok {
		s.Provider, s.Model = body.Provider, body.Model
	}
	return s
}

func updateStep(s StepNode, e *steno.Event) StepNode {
	body, _ := e.Body.(*steno.Step)
	switch e.Type {
	case steno.StepStart:
		return s.begin(e)
	case steno.AttemptFailed:
		f := FailedAttempt{Attempt: e.Attempt}
		if b, ok := e.Body.(*steno.Failure); ok {
			f.RetryIn = b.RetryIn
		}
		s.Failed = append(s.Failed[:len(s.Failed):len(s.Failed)], f)
		s.State = StateEnded
	case steno.StepEnd:
		s.State = StateEnded
		if body != nil {
			s.Finish, s.Stop = body.Finish, body.Stop
		}
	}
	if body != nil && len(body.Usage) > 0 {
		s.Usage = body.Usage
	}
	return s
}
