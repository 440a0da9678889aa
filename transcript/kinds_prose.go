package transcript

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/text"
)

// Prose is the node of a text or thinking part.
type Prose struct {
	Kind    steno.Kind `json:"kind" slot:"immutable"`
	Step    uint32     `json:"step" slot:"immutable"`
	Attempt uint32     `json:"attempt" slot:"immutable"`
	Block   string     `json:"block" slot:"immutable"`
	State   PartState  `json:"state"`
	Text    text.Text  `json:"text" slot:"append"`
	// Redacted says that there is opaque data and no text.
	Redacted bool `json:"redacted"`
	// Content is what a user's message has beside its text.
	Content []steno.Content `json:"content" slot:"ref"`
	// Seal is the provider's own data, or nil. Views have no use for it.
	Seal *steno.Seal `json:"-" slot:"ref"`
}

var proseLayout = layout[Prose]()

// proseKind defines text and thinking. The text of a user's message is a text
// part too.
func proseKind(k steno.Kind) projection.Kind[steno.Event] {
	types := on(steno.TextStart, steno.TextDelta, steno.TextEnd, steno.UserMessage)
	if k == steno.KindThinking {
		types = on(steno.ReasoningStart, steno.ReasoningDelta, steno.ReasoningEnd)
	}
	return projection.Of(projection.Definition[steno.Event, Prose]{
		Kind:      string(k),
		On:        types,
		MatchInto: matchProse,
		Start:     func(e *steno.Event, _ projection.Reader) Prose { return startProse(e, k) },
		Amend:     amendProse,
		Cadence:   deltaCadence,
		Equal: func(a, b *Prose) bool {
			return a.State == b.State && a.Seal == b.Seal && a.Redacted == b.Redacted && a.Text.Equal(b.Text)
		},
		Layout: proseLayout,
	})
}

func matchProse(e *steno.Event, c *projection.Claim) bool {
	c.Collection, c.ID, c.Role = Parts(e.Message), e.Part, projection.Update
	switch e.Type {
	case steno.TextStart, steno.ReasoningStart:
		c.Role = projection.Start
	case steno.UserMessage:
		c.ID, c.Role = "0", projection.Start
	}
	return true
}

func startProse(e *steno.Event, k steno.Kind) Prose {
	p := Prose{Kind: k, Step: e.Step, Attempt: e.Attempt, Block: strings.Clone(e.Block)}
	if e.Type == steno.UserMessage {
		p.Step, p.Attempt = 0, 0
		p.State = Sealed
		p.Text = p.Text.Append(e.Text)
		if in, ok := e.Body.(*steno.UserInput); ok {
			p.Content = in.Parts
		}
	}
	return p
}

func amendProse(p *Prose, e *steno.Event) {
	switch {
	case p.State == Sealed:
	case e.Type.IsDelta():
		p.Text = p.Text.Append(e.Text)
	default:
		p.State = Sealed
		if e.Whole {
			p.Text = text.Text{}.Append(e.Text)
		}
		if seal, ok := e.Body.(*steno.Seal); ok && len(seal.Opaque) > 0 {
			p.Seal = seal
		}
		p.Redacted = p.Text.Len() == 0 && p.Seal != nil
	}
}

// deltaCadence lets the deltas of a part wait for a frame; its start and end
// are facts.
func deltaCadence(e *steno.Event) projection.Cadence {
	if e.Type.IsDelta() {
		return projection.Frame
	}
	return projection.Immediate
}

// parts returns what the node is as plain values: a text or thinking part and
// what stands beside it.
func (p *Prose) parts(ordinal string) []steno.Part {
	out := steno.Part{
		Kind: p.Kind, Ordinal: ordinal, Step: p.Step, Attempt: p.Attempt, Block: p.Block,
		Text: p.Text, Sealed: p.State == Sealed,
	}
	if p.Seal != nil {
		out.Opaque, out.Provider, out.Model = p.Seal.Opaque, p.Seal.Provider, p.Seal.Model
	}
	if len(p.Content) == 0 {
		return []steno.Part{out}
	}
	return append([]steno.Part{out}, contentParts(p.Content)...)
}

// contentParts returns the pieces of a user's message that are not its text.
func contentParts(content []steno.Content) []steno.Part {
	var out []steno.Part
	counts := map[steno.Kind]int{steno.KindText: 1}
	for _, c := range content {
		p := steno.Part{Kind: steno.KindFile, Sealed: true}
		if c.Kind == "text" {
			p.Kind, p.Text = steno.KindText, text.Of(c.Text)
		} else {
			p.Text = text.Of(c.Name)
			p.Content = &steno.Block{Kind: c.Kind, Media: c.Media, Blob: c.Blob, Data: c.Data}
		}
		p.Ordinal = strconv.Itoa(counts[p.Kind])
		counts[p.Kind]++
		out = append(out, p)
	}
	return out
}

// opaqueOf returns the provider's data of a seal that may be nil.
func opaqueOf(s *steno.Seal) (opaque jsontext.Value, provider, model string) {
	if s == nil {
		return nil, "", ""
	}
	return s.Opaque, s.Provider, s.Model
}
