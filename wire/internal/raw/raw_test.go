package raw

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestValue(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"object as it stands", ` {"a" : 1.50} `, `{"a" : 1.50}`},
		{"absent", "", ""},
		{"blank", " \n", ""},
		{"unbalanced", `[1}`, `"[1}"`},
		{"a name twice", `{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`},
		{"no UTF-8", "\"\xff\"", `"\"` + "\uFFFD" + `\""`},
		{"two values", `1 2`, `"1 2"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Value([]byte(tt.in))); got != tt.want {
				t.Errorf("Value(%q) = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestValueOwnsItsBytes(t *testing.T) {
	in := []byte(`{"a":1}`)
	v := Value(in)
	in[2] = 'b'
	if string(v) != `{"a":1}` {
		t.Errorf("value changed with its source: %s", v)
	}
}

func TestMember(t *testing.T) {
	dst := []byte(`{`)
	dst = Member(dst, "a", []byte(`[1]`))
	dst = Member(dst, "b\"", []byte(`tru}`))
	dst = append(dst, '}')
	if want := `{"a":[1],"b\"":"tru}"}`; string(dst) != want {
		t.Errorf("got %s, want %s", dst, want)
	}
}

func TestObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:       `{"a":1}`,
		`{"a":1,"a":2}`: `{"raw":"{\"a\":1,\"a\":2}"}`,
	} {
		if got := Object([]byte(in)); string(got) != want {
			t.Errorf("Object(%s) = %s, want %s", in, got, want)
		}
	}
}

func FuzzValue(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\ud800"]}`))
	f.Add([]byte("{\"a\":\xc3}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if v := Value(in); len(v) > 0 && !v.IsValid() {
			t.Errorf("Value(%q) = %q is not valid", in, v)
		}
		if v := jsontext.Value(append(Member([]byte("{"), string(in), in), '}')); len(Value(in)) > 0 && !v.IsValid() {
			t.Errorf("Member(%q) = %q is not valid", in, v)
		}
	})
}
