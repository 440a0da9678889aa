package steno

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// eventJSON is the written form of an event: one object, the body nested.
type eventJSON struct {
	Seq     int64          `json:"seq,omitzero"`
	At      int64          `json:"at,omitzero"`
	Type    string         `json:"type"`
	Choice  uint32         `json:"choice,omitzero"`
	Turn    uint32         `json:"turn,omitzero"`
	Step    uint32         `json:"step,omitzero"`
	Attempt uint32         `json:"attempt,omitzero"`
	Message string         `json:"message,omitzero"`
	Part    string         `json:"part,omitzero"`
	Block   string         `json:"block,omitzero"`
	Call    string         `json:"call,omitzero"`
	Name    string         `json:"name,omitzero"`
	Text    string         `json:"text,omitzero"`
	Whole   bool           `json:"whole,omitzero"`
	Body    jsontext.Value `json:"body,omitzero"`
}

// asHeard keeps the provider's JSON in a body as it came: its strings with their
// escapes, and names that are there twice.
var asHeard = json.JoinOptions(
	jsontext.PreserveRawStrings(true),
	jsontext.AllowDuplicateNames(true),
)

// MarshalJSONTo writes e as one JSON object. The provider's JSON in its body
// keeps every token; only white space between tokens is lost.
func (e *Event) MarshalJSONTo(enc *jsontext.Encoder) error {
	w := eventJSON{
		Seq: e.Seq, At: e.At, Type: e.Type.String(), Choice: e.Choice,
		Turn: e.Turn, Step: e.Step, Attempt: e.Attempt,
		Message: e.Message, Part: e.Part, Block: e.Block, Call: e.Call,
		Name: e.Name, Text: e.Text, Whole: e.Whole,
	}
	if u, ok := e.Body.(*Unrecognised); ok && e.Type == Unknown {
		w.Type, w.Body = u.Name, u.Raw
	} else if e.Body != nil {
		b, err := json.Marshal(e.Body, asHeard)
		if err != nil {
			return fmt.Errorf("event %d (%s): body: %w", e.Seq, e.Type, err)
		}
		w.Body = b
	}
	return json.MarshalEncode(enc, &w, asHeard)
}

// UnmarshalJSONFrom reads what MarshalJSONTo wrote. A type this version does
// not know is kept, name and body, as [Unrecognised].
func (e *Event) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var r eventJSON
	if err := json.UnmarshalDecode(dec, &r, asHeard); err != nil {
		return err
	}
	*e = Event{
		Seq: r.Seq, At: r.At, Type: TypeNamed(r.Type), Choice: r.Choice,
		Turn: r.Turn, Step: r.Step, Attempt: r.Attempt,
		Message: r.Message, Part: r.Part, Block: r.Block, Call: r.Call,
		Name: r.Name, Text: r.Text, Whole: r.Whole,
	}
	if e.Type == Unknown {
		e.Body = &Unrecognised{Name: r.Type, Raw: r.Body}
		return nil
	}
	if len(r.Body) == 0 {
		return nil
	}
	b := NewBody(e.Type)
	if b == nil {
		return fmt.Errorf("event %d: %s carries no body", e.Seq, e.Type)
	}
	if err := json.Unmarshal(r.Body, b, asHeard); err != nil {
		return fmt.Errorf("event %d (%s): body: %w", e.Seq, e.Type, err)
	}
	e.Body = b
	return nil
}
