package scan

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type member struct{ Name, Value string }

func members(data string) (out []member, ok bool) {
	ok = Object([]byte(data), func(name, value []byte) bool {
		out = append(out, member{string(name), string(value)})
		return true
	})
	return out, ok
}

func TestObject(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []member
		ok   bool
	}{
		{`{}`, nil, true},
		{" \r\n\t{ } ", nil, true},
		{`{"a":1,"b" : "x\"}" , "c":[{"d":"]"}],"e":null}`, []member{{"a", "1"}, {"b", `"x\"}"`}, {"c", `[{"d":"]"}]`}, {"e", "null"}}, true},
		{`{"a\u0062":-1.5e3}`, []member{{"ab", "-1.5e3"}}, true},
		{`{"a":"\\"}`, []member{{"a", `"\\"`}}, true},
		{`{"a":1}{`, []member{{"a", "1"}}, false},
		{`{"a":1,}`, []member{{"a", "1"}}, false},
		{`{"a":1`, []member{{"a", "1"}}, false},
		{`{"a":}`, nil, false},
		{`{"a" 1}`, nil, false},
		{`{a:1}`, nil, false},
		{`{"a":"b`, nil, false},
		{`{"a":[1`, nil, false},
		{`[1]`, nil, false},
		{``, nil, false},
		{`{`, nil, false},
	} {
		if got, ok := members(test.in); ok != test.ok || cmp.Diff(test.want, got) != "" {
			t.Errorf("%s: %v, %v", test.in, got, ok)
		}
	}
}

func TestObjectStops(t *testing.T) {
	n := 0
	ok := Object([]byte(`{"a":1,"b":2,broken`), func(name, _ []byte) bool {
		n++
		return string(name) != "b"
	})
	if n != 2 || !ok {
		t.Errorf("%d members, %v", n, ok)
	}
}

func TestArray(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
		ok   bool
	}{
		{`[]`, nil, true},
		{` [ 1 , "a,]" ,{"b":[2]}, [] ] `, []string{"1", `"a,]"`, `{"b":[2]}`, "[]"}, true},
		{`[1] 2`, []string{"1"}, false},
		{`[1,]`, []string{"1"}, false},
		{`[1`, []string{"1"}, false},
		{`[`, nil, false},
		{`{}`, nil, false},
	} {
		var got []string
		ok := Array([]byte(test.in), func(v []byte) bool {
			got = append(got, string(v))
			return true
		})
		if ok != test.ok || cmp.Diff(test.want, got) != "" {
			t.Errorf("%s: %v, %v", test.in, got, ok)
		}
	}
}

func TestMember(t *testing.T) {
	data := []byte(`{"a":{"b":"x"},"a":1,"n":null}`)
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"a"}, `{"b":"x"}`},
		{[]string{"a", "b"}, `"x"`},
		{[]string{"n"}, "null"},
		{[]string{"b"}, ""},
		{[]string{"a", "c"}, ""},
		{[]string{"n", "c"}, ""},
		{nil, string(data)},
	} {
		if got := string(Member(data, test.names...)); got != test.want {
			t.Errorf("%v: %s", test.names, got)
		}
	}
	if !IsNull(nil) || !IsNull([]byte("null")) || IsNull([]byte("0")) {
		t.Error("IsNull")
	}
}

func TestString(t *testing.T) {
	for in, want := range map[string]string{
		`"a"`: "a", `""`: "", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00e9\u4e2d"`: "é中",
		`"\ud83d\ude42"`: "🙂", `"\ud83d"`: "\uFFFD", `"\ud83dx"`: "\uFFFDx", `"\ude42"`: "\uFFFD",
		`"\ud83d\ud83d\ude42"`: "\uFFFD🙂", `"\u12"`: "\uFFFD12", "\"\xff\"": "\uFFFD", "\"\xf0\x9f\"": "\uFFFD",
		`1`: "", `null`: "", `"`: "", ``: "", `"\x"`: "x",
	} {
		if got := String([]byte(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestInt(t *testing.T) {
	for _, test := range []struct {
		in string
		n  int64
		ok bool
	}{
		{"0", 0, true},
		{"42", 42, true},
		{"-7", -7, true},
		{"999999999999999999", 999999999999999999, true},
		{"1e3", 0, false},
		{"1.0", 0, false},
		{"-", 0, false},
		{"", 0, false},
		{"null", 0, false},
		{`"1"`, 0, false},
		{"9999999999999999999", 0, false},
	} {
		if n, ok := Int([]byte(test.in)); ok != test.ok || ok && n != test.n {
			t.Errorf("%s: %d, %v", test.in, n, ok)
		}
	}
}

// TestA15Carry: a text cut into deltas at any byte, or between the two escapes
// of a surrogate pair, is the same text.
func TestA15Carry(t *testing.T) {
	for _, test := range []struct {
		parts []string
		want  string
	}{
		{[]string{`"a\ud83d"`, `"\ude42b"`}, "a🙂b"},
		{[]string{`"\ud83d"`, `""`, `"\ude42"`}, "🙂"},
		{[]string{`"\ud83d"`, `"x"`}, "\uFFFDx"},
		{[]string{`"\ud83d"`}, "\uFFFD"},
		{[]string{"\"\xf0\"", "\"\x9f\"", "\"\x99\"", "\"\x82\""}, "🙂"},
		{[]string{"\"\xf0\x9f\"", `"x"`}, "\uFFFDx"},
		{[]string{"\"\xf0\x9f\"", `"\n"`}, "\uFFFD\n"},
		{[]string{`"\ud83d"`, `"\ud83d"`, `"\ude42"`}, "\uFFFD🙂"},
	} {
		var c Carry
		var got []byte
		for _, p := range test.parts {
			got = AppendString(got, []byte(p), &c)
			if !utf8.Valid(got) {
				t.Errorf("%q: %q on the way", test.parts, got)
			}
		}
		if got = c.Flush(got); string(got) != test.want || c.Pending() {
			t.Errorf("%q: %q, want %q", test.parts, got, test.want)
		}
	}
}

func TestA15AnyCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		rest := []byte(want)
		var c Carry
		var got []byte
		for len(rest) > 0 {
			n := rapid.IntRange(0, len(rest)).Draw(t, "cut")
			got = AppendText(got, rest[:n], &c)
			rest = rest[n:]
			if !utf8.Valid(got) {
				t.Fatalf("%q is not valid", got)
			}
		}
		if got = c.Flush(got); string(got) != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func TestScanDoesNotAllocate(t *testing.T) {
	data := []byte(`{"type":"delta","index":0,"delta":{"text":"a\u00e9\nb"},"x":[1,2]}`)
	dst := make([]byte, 0, 64)
	var c Carry
	if n := testing.AllocsPerRun(100, func() {
		var delta []byte
		Object(data, func(name, value []byte) bool {
			if string(name) == "delta" {
				delta = value
			}
			return true
		})
		dst = AppendString(dst[:0], Member(delta, "text"), &c)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzScan holds the scanner to a real JSON reader: on what that accepts both
// see the same members, elements and strings; on anything else the scanner
// must merely survive.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"\ud83d\ude42"}],"c":null}`, `[ "x", -1.5e+3 ]`, `"\\\""`, `{"\u0061":{}}`, `{]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var names, values []string
		isObject := Object(data, func(name, value []byte) bool {
			names, values = append(names, string(name)), append(values, string(value))
			return true
		})
		var elements []string
		isArray := Array(data, func(v []byte) bool {
			elements = append(elements, string(v))
			return true
		})
		text := AppendString(nil, bytes.TrimSpace(data), nil)
		if !utf8.Valid(text) {
			t.Fatalf("text %q", text)
		}
		var c Carry
		if !utf8.Valid(AppendText(nil, data, &c)) {
			t.Fatal("text is not valid")
		}

		dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
		value, err := dec.ReadValue()
		if err != nil || len(bytes.TrimSpace(data[dec.InputOffset():])) > 0 {
			return
		}
		switch value.Kind() {
		case '{':
			wantNames, wantValues := walk(t, value)
			if !isObject || cmp.Diff(wantNames, names) != "" || cmp.Diff(wantValues, values) != "" {
				t.Errorf("members %q %q, want %q %q", names, values, wantNames, wantValues)
			}
		case '[':
			if _, want := walk(t, value); !isArray || cmp.Diff(want, elements) != "" {
				t.Errorf("elements %q, want %q", elements, want)
			}
		case '"':
			if want, err := jsontext.AppendUnquote(nil, value); err != nil || !bytes.Equal(want, text) {
				t.Errorf("text %q, want %q", text, want)
			}
		}
	})
}

// walk returns the names and the raw values one level down.
func walk(t *testing.T, value jsontext.Value) (names, values []string) {
	dec := jsontext.NewDecoder(strings.NewReader(string(value)), jsontext.AllowDuplicateNames(true))
	open, err := dec.ReadToken()
	if err != nil {
		t.Fatal(err)
	}
	object := open.Kind() == '{'
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		if object {
			name, err := dec.ReadToken()
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name.String())
		}
		v, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, string(v))
	}
	return names, values
}
