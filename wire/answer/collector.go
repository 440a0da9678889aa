package answer

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// Collector takes the source events of one decoder and makes a Document of
// them. The zero value is ready. It is used by one goroutine at a time, and
// takes time linear in what it is given.
type Collector struct {
	answers []*gathered
	open    map[uint32]*gathered
	errors  []Error
}

// gathered is an answer in the making.
type gathered struct {
	answer Answer
	parts  []*growing
	blocks map[blockKey]*growing
	// loose is the part that deltas without a block name grow, or nil. Any
	// other kind of part closes it (semantics A6).
	loose *growing
}

// growing is a part in the making.
type growing struct {
	part   Part
	text   strings.Builder
	sealed bool
}

type blockKey struct {
	kind Kind
	name string
}

// Add takes the next event. It keeps nothing of e but bodies.
func (c *Collector) Add(e *steno.Event) {
	switch e.Type {
	case steno.StepStart:
		c.start(e.Choice)
	case steno.StepEnd:
		c.end(e)
	case steno.Error:
		c.fail(e)
	case steno.TextStart, steno.TextDelta, steno.TextEnd:
		c.at(e.Choice).grow(Text, e)
	case steno.ReasoningStart, steno.ReasoningDelta, steno.ReasoningEnd:
		c.at(e.Choice).grow(Thinking, e)
	case steno.ToolStart, steno.ToolDelta, steno.ToolCall:
		c.at(e.Choice).call(e)
	case steno.ToolResult:
		c.at(e.Choice).result(e)
	case steno.Source, steno.File, steno.Opaque:
		c.at(e.Choice).block(e)
	case steno.Usage:
		if s, ok := e.Body.(*steno.Step); ok {
			c.at(e.Choice).answer.Usage = s.Usage
		}
	}
}

// Document returns what was collected. An answer that has not ended is given
// as it stands, and as incomplete.
func (c *Collector) Document(format string) *Document {
	d := &Document{Format: format, Answers: []Answer{}, Errors: []Error{}}
	for _, g := range c.answers {
		d.Answers = append(d.Answers, g.finished())
	}
	d.Errors = append(d.Errors, c.errors...)
	return d
}

func (c *Collector) start(choice uint32) *gathered {
	g := &gathered{
		answer: Answer{Finish: steno.FinishIncomplete},
		blocks: make(map[blockKey]*growing),
	}
	if c.open == nil {
		c.open = make(map[uint32]*gathered)
	}
	c.open[choice] = g
	c.answers = append(c.answers, g)
	return g
}

// at returns the open answer of a choice. A source that names a choice before
// it starts one opens it by that.
func (c *Collector) at(choice uint32) *gathered {
	if g := c.open[choice]; g != nil {
		return g
	}
	return c.start(choice)
}

func (c *Collector) end(e *steno.Event) {
	g := c.at(e.Choice)
	if s, ok := e.Body.(*steno.Step); ok {
		g.answer.Finish, g.answer.Stop = s.Finish, s.Stop
		if len(s.Usage) > 0 {
			g.answer.Usage = s.Usage
		}
	}
	delete(c.open, e.Choice)
}

func (c *Collector) fail(e *steno.Event) {
	f := Error{Message: strings.Clone(e.Text)}
	if b, ok := e.Body.(*steno.Failure); ok {
		f.Status, f.Code = b.Status, b.Code
	}
	c.errors = append(c.errors, f)
	if g := c.open[e.Choice]; g != nil {
		g.loose = nil
	}
}

func (g *gathered) finished() Answer {
	a := g.answer
	for _, p := range g.parts {
		done := p.part
		if done.Kind == ToolCall {
			done.Arguments = p.text.String()
		} else {
			done.Text = p.text.String()
		}
		a.Parts = append(a.Parts, done)
	}
	return a
}

// add appends a part. It closes the loose one, save where the new part is a
// source: that is said about a text and does not interrupt it.
func (g *gathered) add(p Part) *growing {
	n := &growing{part: p}
	g.parts = append(g.parts, n)
	if p.Kind != Source {
		g.loose = nil
	}
	return n
}

// grow takes the start, delta or end of a text or reasoning block.
func (g *gathered) grow(kind Kind, e *steno.Event) {
	start := e.Type == steno.TextStart || e.Type == steno.ReasoningStart
	end := e.Type == steno.TextEnd || e.Type == steno.ReasoningEnd
	seal, _ := e.Body.(*steno.Seal)
	p := g.find(kind, e.Block)
	switch {
	case p != nil && p.sealed && !start:
		return // what comes after the end is refused (semantics C95)
	case p != nil && !p.sealed && (!start || e.Block != ""):
	case !start && e.Text == "" && (seal == nil || len(seal.Opaque) == 0):
		return // semantics A5: nothing opens nothing
	default:
		p = g.add(Part{Kind: kind})
		g.name(p, e.Block)
	}
	p.take(e, end)
	if seal != nil && len(seal.Opaque) > 0 {
		p.part.Opaque = seal.Opaque
	}
	if end {
		p.sealed = true
		if g.loose == p {
			g.loose = nil
		}
	}
}

// take adds the text of a delta. The text of an end is never a delta: where
// there is one it is the whole.
func (p *growing) take(e *steno.Event, end bool) {
	if e.Whole || end && e.Text != "" {
		p.text.Reset()
	}
	p.text.WriteString(e.Text)
}

func (g *gathered) find(kind Kind, block string) *growing {
	if block != "" {
		return g.blocks[blockKey{kind, block}]
	}
	if g.loose != nil && g.loose.part.Kind == kind {
		return g.loose
	}
	return nil
}

func (g *gathered) name(p *growing, block string) {
	if block == "" {
		g.loose = p
		return
	}
	g.blocks[blockKey{p.part.Kind, strings.Clone(block)}] = p
}

// call takes the start, a piece of the arguments, or the seal of a tool call.
func (g *gathered) call(e *steno.Event) {
	p := g.findCall(e)
	if p == nil {
		p = g.add(Part{Kind: ToolCall, Executor: steno.ExecutorClient})
		if e.Block != "" {
			g.name(p, e.Block)
		}
	}
	if p.part.ID == "" { // semantics A12: a later empty id erases nothing
		p.part.ID = strings.Clone(e.Call)
	}
	if p.part.Name == "" {
		p.part.Name = strings.Clone(e.Name)
	}
	if s, ok := e.Body.(*steno.Seal); ok {
		if s.Executor != "" {
			p.part.Executor = s.Executor
		}
		if len(s.Opaque) > 0 {
			p.part.Opaque = s.Opaque
		}
	}
	if !p.sealed {
		p.take(e, e.Type == steno.ToolCall)
	}
	p.sealed = p.sealed || e.Type == steno.ToolCall
}

// findCall returns the call an event belongs to: by its block, else by its id,
// else the newest. A start names a new call unless the one found is still open
// and has the same id or none (semantics A12).
func (g *gathered) findCall(e *steno.Event) *growing {
	var p *growing
	if e.Block != "" {
		p = g.blocks[blockKey{ToolCall, e.Block}]
	} else {
		for i := len(g.parts) - 1; i >= 0 && p == nil; i-- {
			q := g.parts[i]
			if q.part.Kind == ToolCall && (e.Call == "" || q.part.ID == e.Call) {
				p = q
			}
		}
	}
	switch {
	case p == nil:
		return nil
	case e.Type == steno.ToolStart && (p.sealed || e.Block == ""):
		return nil
	case e.Type == steno.ToolCall && p.sealed:
		return nil
	case e.Call != "" && p.part.ID != "" && e.Call != p.part.ID:
		return nil
	}
	return p
}

func (g *gathered) result(e *steno.Event) {
	p := Part{Kind: ToolResult, ID: strings.Clone(e.Call), Name: strings.Clone(e.Name)}
	if r, ok := e.Body.(*steno.Result); ok {
		p.Raw, p.Opaque = r.Raw, r.Opaque
	}
	if len(p.Raw) == 0 && e.Text != "" {
		p.Raw, _ = jsontext.AppendQuote(nil, e.Text)
	}
	g.add(p)
}

func (g *gathered) block(e *steno.Event) {
	kind := Opaque
	switch e.Type {
	case steno.Source:
		kind = Source
	case steno.File:
		kind = File
	}
	p := Part{Kind: kind, Name: strings.Clone(e.Name)}
	if b, ok := e.Body.(*steno.Block); ok {
		p.Type, p.Raw, p.Media, p.Data = b.Kind, b.Raw, b.Media, b.Data
	}
	g.add(p)
}
