package transcript

import (
	"errors"
	"strings"
	"testing"

	"github.com/stenolog/steno"
)

// TestReadSourceNames checks each loose name against the event's own form.
func TestReadSourceNames(t *testing.T) {
	for _, x := range []struct{ loose, own string }{
		{`{"type":"user-message","message":"m1","text":"go"}`, `{"type":"user-message","message":"m1","text":"go"}`},
		{`{"type":"user-message","text":"go","queued":true,"by":"ann"}`, `{"type":"user-message","text":"go","body":{"by":"ann","queued":true}}`},
		{`{"type":"turn-start","message":"m2","takes":"u2"}`, `{"type":"turn-start","message":"m2","body":{"takes":"u2"}}`},
		{`{"type":"turn-end","reason":"length"}`, `{"type":"turn-end","body":{"reason":"length"}}`},
		{`{"type":"attempt-start","n":2}`, `{"type":"attempt-start","attempt":2}`},
		{`{"type":"tool-call","id":"c","name":"a","arguments":"{\"b\":1}"}`, `{"type":"tool-call","call":"c","name":"a","text":"{\"b\":1}"}`},
		{`{"type":"tool-call","id":7,"arguments":{"b": 1}}`, `{"type":"tool-call","call":"7","text":"{\"b\": 1}"}`},
		{`{"type":"tool-call","id":null,"name":null}`, `{"type":"tool-call"}`},
		{`{"type":"tool-result","id":"c","result":"r","isError":true}`, `{"type":"tool-result","call":"c","text":"r","body":{"isError":true}}`},
		{`{"type":"tool-result","id":"c","result":[1, 2]}`, `{"type":"tool-result","call":"c","text":"[1, 2]"}`},
		{`{"type":"shell-output","id":"c","text":"o","stream":"stderr"}`, `{"type":"tool-output","call":"c","text":"o","body":{"stream":"stderr"}}`},
		{`{"type":"permission-denied","id":"c"}`, `{"type":"tool-result","call":"c","body":{"outcome":"denied"}}`},
		{`{"type":"permission-asked","id":"p","call":"c","what":"w"}`, `{"type":"permission-asked","call":"c","body":{"id":"p","what":"w"}}`},
		{`{"type":"error","message":"bad","statusCode":503,"retryable":true}`, `{"type":"error","text":"bad","body":{"status":503,"retryable":true}}`},
		{`{"type":"error","message":"m1","text":"bad"}`, `{"type":"error","message":"m1","text":"bad"}`},
		{`{"type":"reasoning-end","opaque":{"signature":"s"}}`, `{"type":"reasoning-end","body":{"opaque":{"signature":"s"}}}`},
		{`{"type":"text-delta","text":"a","at":"2030-01-01T00:00:01Z"}`, `{"at":1893456001000,"type":"text-delta","text":"a"}`},
		{`{"type":"text-delta","text":"a","at":12,"seq":3,"colour":"red"}`, `{"seq":3,"at":12,"type":"text-delta","text":"a"}`},
		{`{"type":"queue-withdrawn","id":"q1"}`, `{"type":"queue-withdrawn","body":{"item":"q1"}}`},
		{`{"type":"opaque","kind":"k","raw":{"a":1}}`, `{"type":"opaque","body":{"kind":"k","raw":{"a":1}}}`},
		{`{"type":"step-start","provider":"p","model":"m"}`, `{"type":"step-start","body":{"provider":"p","model":"m"}}`},
		{`{"type":"novel","text":"a"}`, `{"type":"novel","text":"a"}`},
		{`{"type":"novel","depth":3}`, `{"type":"novel","body":{"type":"novel","depth":3}}`},
		{`{"type":"novel","body":{"a":1}}`, `{"type":"novel","body":{"a":1}}`},
		{`{"type":"tool-result","call":"c","body":{"isError":true}}`, `{"type":"tool-result","call":"c","body":{"isError":true}}`},
	} {
		if got := strings.TrimSpace(dump(read(t, x.loose))); got != x.own {
			t.Errorf("%s\nis   %s\nwant %s", x.loose, got, x.own)
		}
	}
}

// TestReadSourceTwoEvents checks the lines that say two things.
func TestReadSourceTwoEvents(t *testing.T) {
	got := dump(read(t, `{"type":"step-finish","finish":"length"}
{"type":"reasoning-delta","block":"0","text":"a","opaque":{"signature":"s"}}`))
	want := `{"type":"step-end","body":{"finish":"length"}}
{"type":"queue-taken"}
{"type":"reasoning-delta","block":"0","text":"a"}
{"type":"reasoning-end","block":"0","body":{"opaque":{"signature":"s"}}}
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestReadSourceLines checks what counts as a line.
func TestReadSourceLines(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	got := read(t, "\ufeff{\"type\":\"done\"}\r\n\n  \n{\"type\":\"text-delta\",\"text\":\""+long+"\"}")
	if len(got) != 2 || got[0].Type != steno.Done || got[1].Text != long {
		t.Errorf("%d events", len(got))
	}
}

// TestReadSourceErrors checks that an error names its place.
func TestReadSourceErrors(t *testing.T) {
	for _, x := range []struct {
		input        string
		line, column int
	}{
		{"{\"type\":\"done\"}\n{\"type\":", 2, 9},
		{"nonsense", 1, 2},
		{"[1]", 1, 1},
		{"{\"text\":\"a\"}", 1, 1},
		{"{\"type\":\"done\",\"seq\":\"x\"}", 1, 22},
		{"{\"type\":\"done\",\"at\":\"soon\"}", 1, 16},
		{"{\"type\":\"done\"} x", 1, 17},
		{"{\"type\":\"turn-end\",\"body\":7}", 1, 20},
	} {
		count := 0
		err := ReadSource(strings.NewReader(x.input), func(*steno.Event) { count++ })
		var at *SourceError
		if !errors.As(err, &at) || at.Line != x.line || at.Column != x.column {
			t.Errorf("%q: %v", x.input, err)
		}
	}
	if err := ReadSource(failing{}, discard); !errors.Is(err, errFailing) {
		t.Errorf("a failing reader: %v", err)
	}
	if err := ReadSource(endless{}, discard); !errors.Is(err, steno.ErrTooLarge) {
		t.Errorf("an endless line: %v", err)
	}
}

var errFailing = errors.New("failing")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// FuzzFold reads, normalises and folds any bytes: nothing panics, the laws hold
// and what was written can be read.
func FuzzFold(f *testing.F) {
	for _, l := range lines {
		f.Add([]byte(strings.ReplaceAll(strings.Join(splitLines(l.source), "\n"), "'", `"`)))
	}
	f.Add([]byte(`{"type":"dropped","body":{"reason":"x","event":{"type":"\ud800"}}}`))
	f.Add([]byte("{\"type\":\"opaque\",\"raw\":{\"a\":1,\"a\":\"\xff\"}}"))
	f.Fuzz(func(t *testing.T, input []byte) {
		var source []*steno.Event
		if err := ReadSource(strings.NewReader(string(input)), func(e *steno.Event) { source = append(source, e.Clone()) }); err != nil {
			var at *SourceError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("an error without a place: %v", err)
			}
		}
		events := normalise(source...)
		checkLaws(t, events)
		for _, m := range reference(events) {
			Chunks(m.Parts)
		}
	})
}
