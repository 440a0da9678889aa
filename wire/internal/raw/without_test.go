package raw_test

import (
	"testing"

	"github.com/stenolog/steno/wire/internal/raw"
)

func TestWithout(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"a":1,"b": {"x":"\/"},"c":[]}`, `{"b":{"x":"\/"}}`},
		{`{"a":1}`, ``},
		{`{}`, ``},
		{`{"b":1,"b":2}`, `{"raw":"{\"b\":1,\"b\":2}"}`},
	} {
		if got := string(raw.Without([]byte(test.in), "a", "c")); got != test.want {
			t.Errorf("%s: %s, want %s", test.in, got, test.want)
		}
	}
}
