package transcript

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stenolog/steno"
)

// reference folds journal events into messages by the simplest possible code.
// It is the oracle the engine is held to.
func reference(events []*steno.Event) []steno.Message {
	r := refFold{parts: map[string]*steno.Part{}, where: map[string]int{}}
	for _, e := range events {
		r.apply(e)
	}
	out := make([]steno.Message, len(r.messages))
	for i, m := range r.messages {
		out[i] = *m.head
		for _, p := range m.parts {
			key := [3]uint32{m.head.Turn, p.Step, p.Attempt}
			p.Superseded = p.Step != 0 && slices.Contains(r.failed, key)
			out[i].Parts = append(out[i].Parts, *p)
		}
	}
	return out
}

type refMessage struct {
	head  *steno.Message
	parts []*steno.Part
}

type refFold struct {
	messages []*refMessage
	where    map[string]int
	parts    map[string]*steno.Part
	failed   [][3]uint32
}

func (r *refFold) message(e *steno.Event, role steno.Role) *refMessage {
	id := e.Message
	i, ok := r.where[id]
	if !ok {
		i = len(r.messages)
		r.where[id] = i
		r.messages = append(r.messages, &refMessage{head: &steno.Message{ID: id, Role: role, Turn: PageOf(e)}})
	}
	return r.messages[i]
}

func (r *refFold) part(e *steno.Event) *steno.Part {
	kind := steno.KindOf(e.Type)
	key := e.Message + "/" + string(kind) + ":" + e.Part
	p, ok := r.parts[key]
	if !ok {
		p = &steno.Part{Kind: kind, Ordinal: e.Part, Step: e.Step, Attempt: e.Attempt, Block: e.Block}
		if kind == steno.KindTool {
			p.Call = &steno.Call{ID: e.Call, Name: e.Name, Executor: steno.ExecutorClient}
		}
		r.parts[key] = p
		role := steno.RoleAssistant
		if e.Turn == 0 {
			role = steno.RoleSystem
		}
		m := r.message(e, role)
		m.parts = append(m.parts, p)
	}
	return p
}

func (r *refFold) apply(e *steno.Event) {
	switch e.Type {
	case steno.TurnStart, steno.StepStart:
		r.message(e, steno.RoleAssistant)
	case steno.UserMessage:
		r.user(e)
	case steno.AttemptFailed:
		r.failed = append(r.failed, [3]uint32{e.Turn, e.Step, e.Attempt})
	case steno.TextStart, steno.ReasoningStart:
		r.part(e)
	case steno.TextDelta, steno.ReasoningDelta:
		p := r.part(e)
		p.Text = p.Text.Append(e.Text)
	case steno.TextEnd, steno.ReasoningEnd:
		r.end(e)
	case steno.ToolStart, steno.ToolDelta, steno.ToolCall, steno.ToolOutput, steno.ToolResult:
		r.tool(e)
	case steno.Error:
		p := r.part(e)
		p.Text, p.Sealed = p.Text.Append(e.Text), true
		if f, ok := e.Body.(*steno.Failure); ok {
			p.Status = f.Status
		}
	case steno.Notice, steno.ModelChanged, steno.ConfigReload, steno.Cancelled:
		p := r.part(e)
		p.Text, p.Notice, p.Sealed = p.Text.Append(e.Text), e.Type.String(), true
	case steno.Source, steno.File, steno.Opaque:
		p := r.part(e)
		p.Text, p.Sealed = p.Text.Append(e.Text), true
		p.Content, _ = e.Body.(*steno.Block)
	}
}

func (r *refFold) user(e *steno.Event) {
	m := r.message(e, steno.RoleUser)
	p := &steno.Part{Kind: steno.KindText, Ordinal: "0", Sealed: true}
	p.Text = p.Text.Append(e.Text)
	m.parts = append(m.parts, p)
	in, ok := e.Body.(*steno.UserInput)
	if !ok {
		return
	}
	for i, c := range in.Parts {
		p := &steno.Part{Kind: steno.KindFile, Ordinal: strconv.Itoa(i), Sealed: true}
		p.Text = p.Text.Append(c.Name)
		p.Content = &steno.Block{Kind: c.Kind, Media: c.Media, Blob: c.Blob, Data: c.Data}
		m.parts = append(m.parts, p)
	}
}

func (r *refFold) end(e *steno.Event) {
	p := r.part(e)
	p.Sealed = true
	if e.Whole {
		p.Text = steno.Part{}.Text.Append(e.Text)
	}
	r.seal(p, e)
}

func (r *refFold) seal(p *steno.Part, e *steno.Event) {
	if s, ok := e.Body.(*steno.Seal); ok {
		if len(s.Opaque) > 0 {
			p.Opaque, p.Provider, p.Model = s.Opaque, s.Provider, s.Model
		}
		if p.Call != nil && s.Executor != "" {
			p.Call.Executor = s.Executor
		}
	}
}

func (r *refFold) tool(e *steno.Event) {
	p := r.part(e)
	c := p.Call
	switch e.Type {
	case steno.ToolStart:
		r.seal(p, e)
	case steno.ToolDelta:
		c.Arguments = c.Arguments.Append(e.Text)
		c.ID, c.Name = cmp.Or(c.ID, e.Call), cmp.Or(c.Name, e.Name)
	case steno.ToolCall:
		if e.Whole {
			c.Arguments = steno.Call{}.Arguments.Append(e.Text)
		}
		c.ID, c.Name = cmp.Or(c.ID, e.Call), cmp.Or(c.Name, e.Name)
		r.seal(p, e)
	case steno.ToolOutput:
		c.Started = true
		c.Output = c.Output.Append(e.Text)
	case steno.ToolResult:
		p.Sealed = true
		c.Result, _ = e.Body.(*steno.Result)
		c.ResultText = e.Text
	}
}
