package wiretest

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
)

// Answer is one step of a stream.
type Answer struct {
	Start, End *steno.Step
	Parts      []*Part
}

// Part is what came for one block.
type Part struct {
	// Kind is the type of the event that began it.
	Kind     steno.Type
	Block    string
	Call     string
	Name     string
	Executor steno.Executor
	Text     string
	Opaque   jsontext.Value
	Raw      jsontext.Value
	Word     string // the provider's kind of an opaque block
	IsError  bool
	Sources  []jsontext.Value
	Ended    bool
}

// Collect puts events together: the answers, and the errors, which stand apart.
func Collect(events []*steno.Event) (answers []*Answer, errors []*steno.Event) {
	var a *Answer
	var byBlock map[string]*Part
	for _, e := range events {
		switch e.Type {
		case steno.StepStart:
			a = &Answer{Start: e.Body.(*steno.Step)}
			answers = append(answers, a)
			byBlock = make(map[string]*Part)
			continue
		case steno.StepEnd:
			a.End = e.Body.(*steno.Step)
			continue
		case steno.Error:
			errors = append(errors, e)
			continue
		}
		p := byBlock[e.Block]
		if p == nil {
			p = &Part{Kind: e.Type, Block: e.Block}
			a.Parts = append(a.Parts, p)
			byBlock[e.Block] = p
		}
		p.add(e)
	}
	return answers, errors
}

func (p *Part) add(e *steno.Event) {
	switch b := e.Body.(type) {
	case *steno.Seal:
		if b.Executor != "" {
			p.Executor = b.Executor
		}
		if b.Opaque != nil {
			p.Opaque = b.Opaque
		}
	case *steno.Result:
		p.Raw, p.Opaque, p.IsError, p.Executor = b.Raw, b.Opaque, b.IsError, b.Executor
	case *steno.Block:
		if e.Type == steno.Source {
			p.Sources = append(p.Sources, b.Raw)
			return
		}
		p.Raw, p.Word = b.Raw, b.Kind
	}
	switch e.Type {
	case steno.ToolStart, steno.ToolResult:
		p.Call, p.Name = e.Call, e.Name
		p.Ended = e.Type == steno.ToolResult
	case steno.TextEnd, steno.ReasoningEnd, steno.ToolCall, steno.Opaque:
		p.Ended = true
	}
	if e.Whole {
		p.Text = ""
	}
	p.Text += strings.Clone(e.Text)
}

// Document collects events into whole answers.
func Document(format string, events []*steno.Event) *answer.Document {
	var c answer.Collector
	for _, e := range events {
		c.Add(e)
	}
	return c.Document(format)
}
