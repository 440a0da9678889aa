package transcript

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/text"
)

// Single is the node of a part that one event holds whole: an error, a system
// event, a file, a source, or a block that has no kind of its own. Which fields
// are set follows from Kind.
type Single struct {
	Kind    steno.Kind `json:"kind" slot:"immutable"`
	Step    uint32     `json:"step" slot:"immutable"`
	Attempt uint32     `json:"attempt" slot:"immutable"`
	Block   string     `json:"block" slot:"immutable"`
	State   PartState  `json:"state"`

	// Message, StatusCode and Code belong to an error.
	Message    string `json:"message"`
	StatusCode int    `json:"statusCode"`
	Code       string `json:"code"`
	// Notice says which system event it was, Text what it said.
	Notice string `json:"notice"`
	Text   string `json:"text"`
	// Name, Media and Blob belong to a file.
	Name  string `json:"name"`
	Media string `json:"media"`
	Blob  string `json:"blob"`
	// Type is the provider's word for a source or an opaque block, Raw the
	// block; Title and URL are taken from a source's.
	Type  string         `json:"type"`
	Title string         `json:"title"`
	URL   string         `json:"url"`
	Raw   jsontext.Value `json:"raw" slot:"ref"`
	// Content is the event's body of a file, source or opaque part.
	Content *steno.Block `json:"-" slot:"ref"`
}

var singleLayout = layout[Single]()

// singleKind defines a kind whose parts are whole from the start.
func singleKind(k steno.Kind, fill func(*Single, *steno.Event), types ...steno.Type) projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, Single]{
		Kind:  string(k),
		On:    on(types...),
		Match: matchSingle,
		Start: func(e *steno.Event, _ projection.Reader) Single {
			s := Single{Kind: k, Step: e.Step, Attempt: e.Attempt, Block: strings.Clone(e.Block), State: Sealed}
			s.Content, _ = e.Body.(*steno.Block)
			fill(&s, e)
			return s
		},
		Layout: singleLayout,
	})
}

func matchSingle(e *steno.Event) (projection.Claim, bool) {
	return projection.Claim{Collection: Parts(e.Message), ID: e.Part, Role: projection.Start}, true
}

func errorKind() projection.Kind[steno.Event] {
	return singleKind(steno.KindError, func(s *Single, e *steno.Event) {
		s.Message = strings.Clone(e.Text)
		if f, ok := e.Body.(*steno.Failure); ok {
			s.StatusCode, s.Code = f.Status, f.Code
		}
	}, steno.Error)
}

func systemKind() projection.Kind[steno.Event] {
	return singleKind(steno.KindSystem, func(s *Single, e *steno.Event) {
		s.Notice, s.Text = e.Type.String(), strings.Clone(e.Text)
	}, steno.Notice, steno.ModelChanged, steno.ConfigReload, steno.Cancelled)
}

func fileKind() projection.Kind[steno.Event] {
	return singleKind(steno.KindFile, func(s *Single, e *steno.Event) {
		s.Text, s.Name = strings.Clone(e.Text), strings.Clone(e.Name)
		if b := s.Content; b != nil {
			s.Type, s.Media, s.Blob = b.Kind, b.Media, b.Blob
		}
	}, steno.File)
}

func sourceKind() projection.Kind[steno.Event] {
	return singleKind(steno.KindSource, func(s *Single, e *steno.Event) {
		fillRaw(s, e)
		var about struct {
			Title string `json:"title"`
			URL   string `json:"url"`
			URI   string `json:"uri"`
		}
		if s.Raw == nil || json.Unmarshal(s.Raw, &about, lenient) != nil {
			return // a source in a form of its own is shown raw
		}
		s.Title, s.URL = about.Title, about.URL
		if s.URL == "" {
			s.URL = about.URI
		}
	}, steno.Source)
}

func opaqueKind() projection.Kind[steno.Event] {
	return singleKind(steno.KindOpaque, fillRaw, steno.Opaque)
}

func fillRaw(s *Single, e *steno.Event) {
	s.Text, s.Name = strings.Clone(e.Text), strings.Clone(e.Name)
	if b := s.Content; b != nil {
		s.Type, s.Raw = b.Kind, b.Raw
	}
}

// part returns what the node is as a plain value.
func (s *Single) part(ordinal string) steno.Part {
	return steno.Part{
		Kind: s.Kind, Ordinal: ordinal, Step: s.Step, Attempt: s.Attempt, Block: s.Block, Sealed: true,
		Text: text.Of(s.Message + s.Text), Status: s.StatusCode, Notice: s.Notice, Content: s.Content,
	}
}
