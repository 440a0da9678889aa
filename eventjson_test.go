package steno_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
)

// What a provider wrote comes back in every byte, however odd: a signature is
// made over bytes, not over what they mean.
func TestEventJSONKeepsRawValues(t *testing.T) {
	for name, raw := range map[string]string{
		"an escape nobody needs": `{"path":"a\/b"}`,
		"an escaped letter":      `{"name":"caf\u00e9"}`,
		"an upper-case escape":   `{"c":"\u00E9\u001F"}`,
		"an escaped name":        `{"\u0061":1}`,
		"a long number":          `{"n":1.50E+0200000000000000000001}`,
		"a name twice":           `{"a":1,"a":2}`,
		"a separator":            "{\"s\":\"\u2028\"}",
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range []*steno.Event{
				{Type: steno.Opaque, Body: &steno.Block{Kind: "k", Raw: jsontext.Value(raw)}},
				{Type: steno.ReasoningEnd, Body: &steno.Seal{Opaque: jsontext.Value(raw)}},
				{Type: steno.StepEnd, Body: &steno.Step{Usage: jsontext.Value(raw)}},
				{Type: steno.Unknown, Body: &steno.Unrecognised{Name: "from-later", Raw: jsontext.Value(raw)}},
			} {
				written, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				var got steno.Event
				if err := json.Unmarshal(written, &got); err != nil {
					t.Fatalf("%s: %v", written, err)
				}
				if diff := cmp.Diff(e, &got); diff != "" {
					t.Errorf("%s: %s: (-want +got)\n%s", e.Type, written, diff)
				}
			}
		})
	}
}

// A list of events, as a program may write, keeps them too.
func TestEventJSONKeepsRawValuesInside(t *testing.T) {
	type list struct {
		Events []*steno.Event `json:"events"`
	}
	const raw = `{"path":"a\/b"}`
	written, err := json.Marshal(list{[]*steno.Event{{Type: steno.Opaque, Body: &steno.Block{Raw: jsontext.Value(raw)}}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"events":[{"type":"opaque","body":{"raw":` + raw + `}}]}`; string(written) != want {
		t.Errorf("got %s, want %s", written, want)
	}
}

// Whatever can be read is written so that it reads the same.
func FuzzEventJSON(f *testing.F) {
	for t := range steno.Type(steno.TypeCount) {
		f.Add([]byte(`{"seq":1,"at":2,"type":"` + t.String() + `","turn":1,"text":"é","body":{}}`))
	}
	f.Add([]byte(`{"type":"opaque","body":{"kind":"k","raw":{"a":"\/","a":[1e9999,null]}}}`))
	f.Add([]byte(`{"type":"from-later","body":"\ud800"}`))
	f.Add([]byte(`{"type":"tool-output","body":{"data":"//8="}}`))
	f.Add([]byte(`{"type":"text-delta","body":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e steno.Event
		if json.Unmarshal(data, &e) != nil {
			return
		}
		written, err := json.Marshal(&e)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", data, err)
		}
		var again steno.Event
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s was written as %s: %v", data, written, err)
		}
		rewritten, err := json.Marshal(&again)
		if err != nil || string(rewritten) != string(written) {
			t.Errorf("%s\nwas written as %s\nand then as    %s (%v)", data, written, rewritten, err)
		}
	})
}
