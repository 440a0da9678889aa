package transcript

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// fill takes the loose names of a line that has no body.
func (l *sourceLine) fill(e *steno.Event, line []byte) {
	if e.Call == "" {
		e.Call = string(l.ID)
	}
	switch l.Type {
	case "shell-output":
		e.Type = steno.ToolOutput
	case "step-finish":
		e.Type = steno.StepEnd
	case "permission-denied":
		e.Type = steno.ToolResult
		l.Outcome = steno.OutcomeDenied
	}
	switch e.Type {
	case steno.Unknown:
		e.Call = string(l.Call)
		e.Body = &steno.Unrecognised{Name: l.Type, Raw: more(line)}
	case steno.Error, steno.AttemptFailed:
		if len(l.Text) == 0 && e.Part == "" && e.Turn == 0 {
			e.Text, e.Message = e.Message, ""
		}
		if l.StatusCode != 0 || l.Retryable {
			e.Body = &steno.Failure{Status: l.StatusCode, Retryable: l.Retryable}
		}
	case steno.AttemptStart:
		if l.N != 0 {
			e.Attempt = l.N
		}
	default:
		l.fillFrame(e)
		l.fillPart(e)
	}
}

// fillFrame takes the names of turns, steps and people.
func (l *sourceLine) fillFrame(e *steno.Event) {
	switch e.Type {
	case steno.UserMessage:
		if l.Queued || l.By != "" {
			e.Body = &steno.UserInput{Queued: l.Queued, By: string(l.By)}
		}
	case steno.QueueAdded, steno.QueueTaken, steno.QueueWithdrawn:
		e.Call = string(l.Call)
		e.Body = &steno.UserInput{Item: string(l.ID), By: string(l.By)}
	case steno.TurnStart, steno.TurnEnd:
		if l.Takes != "" || l.Reason != "" {
			e.Body = &steno.Turn{Takes: string(l.Takes), Reason: l.Reason}
		}
	case steno.StepStart, steno.StepEnd, steno.Usage:
		if l.Finish != "" || l.Stop != "" || l.Provider != "" || l.Model != "" || len(l.Usage) > 0 {
			e.Body = &steno.Step{
				Finish: l.Finish, Stop: l.Stop, Provider: l.Provider, Model: l.Model, Usage: l.Usage.Clone(),
			}
		}
	case steno.PermissionAsked, steno.PermissionAnswered:
		e.Call = string(l.Call)
		e.Body = &steno.Permission{ID: string(l.ID), What: l.What, Choice: l.Choose, By: string(l.By)}
	}
}

// fillPart takes the names of parts.
func (l *sourceLine) fillPart(e *steno.Event) {
	switch e.Type {
	case steno.TextEnd, steno.ReasoningEnd, steno.ToolStart, steno.ToolCall:
		if len(l.Arguments) > 0 {
			e.Text = plain(l.Arguments)
		}
		if len(l.Opaque) > 0 {
			e.Body = l.seal()
		}
	case steno.ToolDelta:
		if len(l.Arguments) > 0 {
			e.Text = plain(l.Arguments)
		}
	case steno.ToolOutput:
		if l.Stream != "" {
			e.Body = &steno.Output{Stream: l.Stream}
		}
	case steno.ToolResult, steno.Held:
		if len(l.Result) > 0 {
			e.Text = plain(l.Result)
		}
		if l.IsError || l.Outcome != "" {
			e.Body = &steno.Result{IsError: l.IsError, Outcome: l.Outcome}
		}
	case steno.Source, steno.File, steno.Opaque:
		if l.Kind != "" || len(l.Raw) > 0 {
			e.Body = &steno.Block{Kind: l.Kind, Raw: l.Raw.Clone(), Provider: l.Provider, Model: l.Model}
		}
	}
}

// raw returns what the text of a delta was written as.
func (l *sourceLine) raw() jsontext.Value {
	if len(l.Arguments) > 0 {
		return l.Arguments
	}
	return l.Text
}

func (l *sourceLine) seal() *steno.Seal {
	return &steno.Seal{Opaque: l.Opaque.Clone(), Provider: l.Provider, Model: l.Model}
}

// follow emits what a line says beyond its first event: opaque data on a delta
// ends its block, and step-finish takes what is queued.
func (l *sourceLine) follow(e *steno.Event, emit func(*steno.Event)) {
	switch {
	case (e.Type == steno.TextDelta || e.Type == steno.ReasoningDelta) && len(l.Opaque) > 0:
		emit(&steno.Event{Type: e.Type + 1, At: e.At, Choice: e.Choice, Message: e.Message, Block: e.Block, Body: l.seal()})
	case l.Type == "step-finish":
		emit(&steno.Event{Type: steno.QueueTaken, At: e.At, Choice: e.Choice})
	}
}

// more returns the whole line if an event of unknown type has members beyond
// those every event may have, so that they are kept.
func more(line jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(line, &members, lenient); err != nil {
		return nil
	}
	for name := range members {
		switch name {
		case "seq", "at", "type", "choice", "turn", "step", "attempt", "message", "part",
			"block", "call", "name", "text", "whole", "body":
		default:
			return line.Clone()
		}
	}
	return nil
}
