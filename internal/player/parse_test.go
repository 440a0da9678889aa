package player

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
)

const chunk = `data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}`

func TestBadScripts(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"nothing", "\n\n", "nothing to play"},
		{"title only", `{"title":"T"}`, "nothing to play"},
		{"no JSON", `{"type":"turn-start"}` + "\nhello", "line 2"},
		{"neither", `{"pause":3}`, "neither an answer nor an event"},
		{"late title", `{"type":"turn-start"}` + "\n" + `{"title":"T"}`, "line 2: neither"},
		{"both", `{"type":"text-delta","play":"a"}`, "both"},
		{"negative pause", `{"pause":-1,"type":"turn-start"}`, "pause: -1 ms"},
		{"endless pause", `{"pause":9223372036854775807,"type":"turn-start"}`, "ms is not between"},
		{"body of another", `{"type":"text-delta","body":{}}`, "carries no body"},
		{"unknown file", `{"play":"../secret"}`, "not found"},
		{"unknown format", `{"play":"a","format":"telex"}`, "unsupported"},
		{"no format", `{"play":"b"}`, "cannot be told"},
		{"bad timing", `{"play":"c","format":"gemini"}`, "timing line 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := FromFiles([]File{
				{Name: "s.script.jsonl", Data: []byte(tc.script)},
				{Name: "a", Format: "gemini", Data: []byte("x")},
				{Name: "b", Data: []byte("hello")},
				{Name: "c", Data: []byte("x"), Timing: []byte("[]")},
			})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestTiming(t *testing.T) {
	for _, tc := range []struct {
		name, timing string
		want         []mark
		err          string
	}{
		{"in order", "[1,0]\n[4,250]\n", []mark{{1, 0}, {9, ms(250)}}, ""},
		{"all", "[9,5]", []mark{{9, ms(5)}}, ""},
		{"empty", " \n", nil, "no lines"},
		{"not growing", "[4,0]\n[4,1]", nil, "line 2: does not follow"},
		{"back in time", "[4,9]\n[5,8]", nil, "line 2: does not follow"},
		{"beyond the end", "[10,0]", nil, "10 bytes of an answer of 9"},
		{"negative", "[-1,0]", nil, "does not follow"},
		{"three", "[1,2,3]", nil, "not [bytes, ms]"},
		{"a fraction", "[1,2.5]", nil, "line 1"},
		{"too long", "[1,99999999999]", nil, "is not between"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseTiming([]byte(tc.timing), 9)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got %v, want %q in it", err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(mark{})); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestDefaultPace(t *testing.T) {
	for _, tc := range []struct {
		name, data string
		want       []string
	}{
		{"events", "event: a\ndata: 1\n\ndata: 2\n\ndata: 3", []string{"event: a\ndata: 1\n\n", "data: 2\n\n", "data: 3"}},
		{"events of another system", "data: 1\r\n\r\ndata: 2\r\n\r\n", []string{"data: 1\r\n\r\n", "data: 2\r\n\r\n"}},
		{"lines", "{1}\n{2}\n", []string{"{1}\n", "{2}\n"}},
		{"no frames", strings.Repeat("x", maxPiece+1), []string{strings.Repeat("x", maxPiece), "x"}},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			from := 0
			for i, m := range evenly([]byte(tc.data)) {
				got = append(got, tc.data[from:m.end])
				from = m.end
				if want := time.Duration(i+1) * time.Second / DefaultRate; m.at != want {
					t.Errorf("piece %d comes at %v, want %v", i, m.at, want)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFromFiles: an answer is a turn by itself, unless a script plays it.
func TestFromFiles(t *testing.T) {
	scripts, err := FromFiles([]File{
		{Name: "a.sse", Data: []byte(chunk)},
		{Name: "day.script.jsonl", Data: []byte(`{"type":"user-message","text":"hi"}` + "\n" + `{"play":"b.sse"}` + "\n" + `{"play":"b.sse"}`)},
		{Name: "b.sse", Format: "auto", Data: []byte(chunk)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range scripts {
		names = append(names, s.Name+" "+strings.Join(s.Formats, ","))
	}
	if diff := cmp.Diff([]string{"a.sse openai-chat", "day openai-chat"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f := folded(t, scripts[0])
	if last := f.journal[len(f.journal)-1]; last.Type != steno.TurnEnd {
		t.Errorf("ends with %s", last.Type)
	}
	if f = folded(t, scripts[1]); f.answers != 2 {
		t.Errorf("%d answers, want 2", f.answers)
	}
	if _, err := FromFiles([]File{{Name: "x", Data: []byte("?")}}); !errors.Is(err, steno.ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}

func FuzzFromFiles(f *testing.F) {
	f.Add([]byte(`{"title":"T"}`+"\n"+`{"pause":1,"play":"a","format":"gemini"}`), []byte(chunk), []byte("[3,1]"))
	f.Add([]byte(`{"type":"tool-output","call":"c","body":{"stream":"stderr"}}`), []byte("{}"), []byte(""))
	f.Fuzz(func(t *testing.T, script, data, timing []byte) {
		scripts, err := FromFiles([]File{
			{Name: "s.script.jsonl", Data: script},
			{Name: "a", Format: "openai-chat", Data: data, Timing: timing},
		})
		if err != nil {
			return
		}
		for _, s := range scripts {
			for i := range s.steps {
				a := s.steps[i].answer
				if a != nil && len(a.data) > 0 && a.marks[len(a.marks)-1].end != len(a.data) {
					t.Errorf("%s: not all of the answer is played", s.Name)
				}
			}
			if err := Play(t.Context(), s, new(fold), 0); err != nil {
				t.Error(err)
			}
		}
	})
}
