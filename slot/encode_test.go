package slot

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/text"
)

func TestAppendObject(t *testing.T) {
	l := compiled[part](t)
	v := &part{
		ID: "tool:0", Type: "tool", Name: "a\"b", Text: text.Of("x\n\u2028"), Count: -3, Done: true,
		At: time.Unix(0, 0).UTC(), State: &state{Phase: "<p>", Bits: []uint16{1, 2}}, Labels: []string{"l\u2029"},
		Raw: jsontext.Value("{\n \"a\": 1,\r\n \"a\": 2 }"), internal: 7,
	}
	mask := func(names ...string) Mask {
		m, err := l.Mask(names...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		name, got, want string
	}{
		{
			"whole leaves zeros out", string(l.AppendWhole(nil, v)),
			`{"partID":"tool:0","type":"tool","name":"a\"b","text":"x\n\u2028","count":-3,"done":true,"at":"1970-01-01T00:00:00Z",` +
				`"state":{"phase":"<p>","pair":[{"A":0,"B":0},{"A":0,"B":0}],"bits":[1,2]},"labels":["l\u2029"],"raw":{"a":1,"a":2}}`,
		},
		{"mask names zeros", string(l.AppendObject(nil, v, mask("status", "count"))), `{"status":"","count":-3}`},
		{"hidden", string(l.AppendObject(nil, v, mask("internal"))), `{}`},
		{"none", string(l.AppendObject([]byte("x"), v, 0)), `x{}`},
		{"empty value", string(l.AppendWhole(nil, &part{})), `{}`},
		{"raw that is no JSON", string(l.AppendObject(nil, &part{Raw: jsontext.Value("{")}, mask("raw"))), `{"raw":null}`},
		{"reference", string(l.AppendObject(nil, &part{Extra: map[string]int{"b": 1, "a": 2}}, mask("extra"))), `{"extra":{"a":2,"b":1}}`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, c.got, c.want)
		}
	}
}

func TestAppendFieldOfEveryKind(t *testing.T) {
	type name string
	type value struct {
		B   bool
		I   int
		I8  int8
		I16 int16
		I32 int32
		I64 int64
		U   uint
		U8  uint8
		U16 uint16
		U32 uint32
		U64 uint64
		F   float64
		Inf float64
		S   name
		T   shout
		D   []byte
	}
	l, err := CompileKeyless[value]()
	if err != nil {
		t.Fatal(err)
	}
	v := &value{true, -1, -8, -16, -32, math.MinInt64, 1, 8, 16, 32, math.MaxUint64, 1.5, math.Inf(1), "n", "t", []byte("hi")}
	want := `{"B":true,"I":-1,"I8":-8,"I16":-16,"I32":-32,"I64":-9223372036854775808,"U":1,"U8":8,"U16":16,"U32":32,` +
		`"U64":18446744073709551615,"F":1.5,"Inf":null,"S":"n","T":"T!","D":"aGk="}`
	if got := string(l.AppendObject(nil, v, l.All())); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

// shout is a string with a text form of its own.
type shout string

func (s shout) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(s)) + "!"), nil }

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\x7f\"\\/\b\f\n\r\t", "\u2028\u2029", "é\U0001f600", "\xff\xc3", "\xed\xa0\x80", "a\xf0\x9f\x98"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendString([]byte("x"), s)[1:]
		if !json.Valid(got) || !utf8.Valid(got) {
			t.Fatalf("%q is no JSON", got)
		}
		if strings.ContainsFunc(string(got), func(r rune) bool { return r < ' ' || r == '\u2028' || r == '\u2029' }) {
			t.Fatalf("%q is not one line", got)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if want := string([]rune(s)); back != want {
			t.Fatalf("%q came back as %q", want, back)
		}
		if n := len(utf16.Encode([]rune(s))); UTF16Len(s) != n {
			t.Fatalf("UTF16Len %d, want %d", UTF16Len(s), n)
		}
	})
}
