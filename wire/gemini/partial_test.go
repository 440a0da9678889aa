package gemini

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// piece is one partial argument and the value it is a piece of.
type piece struct{ path, member string }

// arguments draws an object and the pieces that make it, in its order.
func drawObject(t *rapid.T, path string, depth int, pieces *[]piece) string {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "full name", "ünï"}), 1, 3, rapid.ID[string]).Draw(t, "names")
	var members []string
	for _, name := range names {
		at := path + "." + name
		if strings.Contains(name, " ") {
			at = path + "['" + name + "']"
		}
		members = append(members, fmt.Sprintf("%q:%s", name, drawValue(t, at, depth, pieces)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func drawValue(t *rapid.T, path string, depth int, pieces *[]piece) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case kind == 0 && depth > 0:
		return drawObject(t, path, depth-1, pieces)
	case kind == 1 && depth > 0:
		var elements []string
		for i := range rapid.IntRange(1, 3).Draw(t, "elements") {
			elements = append(elements, drawValue(t, fmt.Sprintf("%s[%d]", path, i), depth-1, pieces))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case kind == 2:
		*pieces = append(*pieces, piece{path, `"numberValue":1.50`})
		return "1.50"
	case kind == 3:
		*pieces = append(*pieces, piece{path, `"boolValue":true`})
		return "true"
	}
	whole := ""
	for range rapid.IntRange(1, 3).Draw(t, "deltas") {
		s := rapid.SampledFrom([]string{"", "x", `"\`, "é", "\n"}).Draw(t, "delta")
		quoted, _ := jsontext.AppendQuote(nil, s)
		*pieces = append(*pieces, piece{path, `"stringValue":` + string(quoted)})
		whole += s
	}
	quoted, _ := jsontext.AppendQuote(nil, whole)
	return string(quoted)
}

func assemble(pieces []piece) (written, whole string, lost bool) {
	p := &partial{}
	for _, x := range pieces {
		path, _ := jsontext.AppendQuote(nil, x.path)
		p.add([]byte(`{"jsonPath":` + string(path) + `,` + x.member + `}`))
		written += string(p.next())
	}
	p.end()
	written += string(p.next())
	return written, p.arguments(), p.lost
}

// TestPartialArguments: pieces in the order of the document are written down as
// they come and make exactly it; in any other order they make the same value,
// and what was written is told apart from it.
func TestPartialArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pieces []piece
		want := drawObject(t, "$", 3, &pieces)
		written, whole, lost := assemble(pieces)
		if written != want || whole != want || lost {
			t.Fatalf("written %s\nwhole   %s\nwant    %s", written, whole, want)
		}
		// Pieces of one string keep their order.
		byPath := map[string][]piece{}
		var paths []string
		for _, x := range pieces {
			if byPath[x.path] == nil {
				paths = append(paths, x.path)
			}
			byPath[x.path] = append(byPath[x.path], x)
		}
		var mixed []piece
		for _, path := range rapid.Permutation(paths).Draw(t, "order") {
			mixed = append(mixed, byPath[path]...)
		}
		_, whole, lost = assemble(mixed)
		a, b := jsontext.Value(whole), jsontext.Value(want)
		if err := a.Canonicalize(); err != nil || lost {
			t.Fatalf("%s: %v", whole, err)
		}
		if err := b.Canonicalize(); err != nil || string(a) != string(b) {
			t.Fatalf("got %s, want %s: %v", a, b, err)
		}
	})
}

func TestPartialArgumentsRefused(t *testing.T) {
	for _, pieces := range [][]piece{
		{{"", `"stringValue":"x"`}},
		{{"$", `"stringValue":"x"`}},
		{{"$.", `"stringValue":"x"`}},
		{{"$x", `"stringValue":"x"`}},
		{{"$[", `"numberValue":1`}},
		{{"$[-1]", `"numberValue":1`}},
		{{"$['a", `"numberValue":1`}},
		{{"$[99999999]", `"numberValue":1`}},
		{{"$.a" + strings.Repeat("[0]", maxDepth), `"numberValue":1`}},
		{{"$.a", `"numberValue":1`}, {"$.a.b", `"numberValue":1`}},
		{{"$.a.b", `"numberValue":1`}, {"$.a", `"numberValue":1`}},
		{{"$.a.b", `"numberValue":1`}, {"$.a[0]", `"numberValue":1`}},
		{{"$.a", `"numberValue":x`}},
		{{"$.a", `"futureValue":{}`}},
	} {
		if _, whole, lost := assemble(pieces); !lost {
			t.Errorf("%v: %s", pieces, whole)
		}
	}
}

// TestPartialArgumentsBackwards: what belongs further back makes the whole
// differ from what was written.
func TestPartialArgumentsBackwards(t *testing.T) {
	tests := []struct {
		pieces []piece
		whole  string
	}{
		{[]piece{{"$.a", `"stringValue":"x"`}, {"$.b", `"numberValue":1`}, {"$.a", `"stringValue":"y"`}}, `{"a":"xy","b":1}`},
		{[]piece{{"$.a[1]", `"numberValue":1`}, {"$.a[0]", `"numberValue":2`}}, `{"a":[2,1]}`},
		{[]piece{{"$.a", `"numberValue":1`}, {"$.a", `"numberValue":2`}}, `{"a":2}`},
		{[]piece{{"$.a.b", `"numberValue":1`}, {"$.c", `"numberValue":2`}, {"$.a.d", `"numberValue":3`}}, `{"a":{"b":1,"d":3},"c":2}`},
	}
	for _, tt := range tests {
		written, whole, lost := assemble(tt.pieces)
		if whole != tt.whole || written == whole || lost {
			t.Errorf("%v: written %s, whole %s, want %s", tt.pieces, written, whole, tt.whole)
		}
	}
}
