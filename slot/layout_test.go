package slot

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/stenolog/steno/text"
)

// part is the layout of seed 3 in Go.
type part struct {
	ID       string         `json:"partID" slot:"key"`
	Type     string         `json:"type" slot:"tag"`
	CallID   string         `json:"id,omitzero" slot:"immutable"`
	Name     string         `json:"name,omitzero" slot:"immutable"`
	Text     text.Text      `json:"text,omitzero" slot:"append"`
	Status   string         `json:"status,omitzero"`
	Count    int            `json:"count,omitzero"`
	Done     bool           `json:"done,omitzero"`
	At       time.Time      `json:"at,omitzero"`
	State    *state         `json:"state,omitzero"`
	Labels   []string       `json:"labels,omitzero"`
	Raw      jsontext.Value `json:"raw,omitzero"`
	Extra    any            `json:"extra,omitzero" slot:"ref"`
	internal int
	Scratch  map[string]int `slot:"-"`
}

type state struct {
	Phase string    `json:"phase"`
	Pair  [2]nested `json:"pair"`
	Bits  []uint16  `json:"bits"`
}

type nested struct {
	A int8
	B int64
}

// tester is what *testing.T and *rapid.T share.
type tester interface {
	Helper()
	Fatal(args ...any)
}

func compiled[V any](t tester) *Layout[V] {
	t.Helper()
	l, err := Compile[V]()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayoutRefusals(t *testing.T) {
	refuse := func(name string, compile func() error, want string) {
		t.Run(name, func(t *testing.T) {
			err := compile()
			if !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v, want an ErrLayout with %q", err, want)
			}
		})
	}
	refuse("C65 no key", errorOf(Compile[struct{ A int }]), "no key")
	refuse("C65 two keys", errorOf(Compile[struct {
		A int `slot:"key"`
		B int `slot:"key"`
	}]), "second key")
	refuse("C65 key in a keyless layout", errorOf(CompileKeyless[struct {
		A int `slot:"key"`
	}]), "a key in a keyless")
	refuse("C73 65 fields", func() error {
		_, err := CompileKeyless[wide]()
		return err
	}, "at most 64")
	refuse("two tags", errorOf(CompileKeyless[struct {
		A string `slot:"tag"`
		B string `slot:"tag"`
	}]), "second tag")
	refuse("no struct", errorOf(CompileKeyless[int]), "not a struct")
	refuse("unknown option", errorOf(CompileKeyless[struct {
		A int `slot:"keys"`
	}]), `"keys"`)
	refuse("options at odds", errorOf(CompileKeyless[struct {
		A string `slot:"append,immutable"`
	}]), "immutable")
	refuse("same name", errorOf(CompileKeyless[struct {
		A int `json:"B"`
		B int
	}]), `"B"`)
	refuse("append of a number", errorOf(CompileKeyless[struct {
		A int `slot:"append"`
	}]), "append-only")
	refuse("tag at odds inside", errorOf(CompileKeyless[struct {
		A struct {
			B int `slot:"-,key"`
		}
	}]), "stands alone")
	refuse("text that is a key", errorOf(CompileKeyless[struct {
		A string `slot:"append,key"`
	}]), "append-only text is no key")
	refuse("embedded pointer", errorOf(CompileKeyless[struct{ *eight }]), "embedded by pointer")
	refuse("map", errorOf(CompileKeyless[struct{ A map[string]int }]), "not marked ref")
	refuse("func in a struct", errorOf(CompileKeyless[struct{ A struct{ F func() } }]), "not marked ref")
	refuse("interface in a slice", errorOf(CompileKeyless[struct{ A []any }]), "not marked ref")
	refuse("recursive", errorOf(CompileKeyless[struct{ A *list }]), "recursive")
	refuse("ref of a number", errorOf(CompileKeyless[struct {
		A int `slot:"ref"`
	}]), "no reference")
}

type list struct{ Next *list }

func errorOf[V any](compile func() (*Layout[V], error)) func() error {
	return func() error {
		_, err := compile()
		return err
	}
}

type eight struct{ A, B, C, D, E, F, G, H int }

type wide struct {
	P0, P1, P2, P3, P4, P5, P6, P7 int
	Q0, Q1, Q2, Q3, Q4, Q5, Q6, Q7 int
	R0, R1, R2, R3, R4, R5, R6, R7 int
	S0, S1, S2, S3, S4, S5, S6, S7 int
	T0, T1, T2, T3, T4, T5, T6, T7 int
	U0, U1, U2, U3, U4, U5, U6, U7 int
	V0, V1, V2, V3, V4, V5, V6, V7 int
	eight
	One int
}

func TestC73SixtyFourFieldsFit(t *testing.T) {
	type most struct {
		W wide `slot:"-"`

		P0, P1, P2, P3, P4, P5, P6, P7 int
		Q0, Q1, Q2, Q3, Q4, Q5, Q6, Q7 int
		R0, R1, R2, R3, R4, R5, R6, R7 int
		S0, S1, S2, S3, S4, S5, S6, S7 int
		T0, T1, T2, T3, T4, T5, T6, T7 int
		U0, U1, U2, U3, U4, U5, U6, U7 int
		V0, V1, V2, V3, V4, V5, V6, V7 int
		eight
	}
	l, err := CompileKeyless[most]()
	if err != nil {
		t.Fatal(err)
	}
	if l.Len() != MaxFields || l.All() != ^Mask(0) {
		t.Fatalf("%d fields, mask %x", l.Len(), l.All())
	}
	var a, b most
	b.H = 1
	if d := l.Diff(&a, &b); d != 1<<63 {
		t.Fatalf("diff %x, want the last bit", d)
	}
}

func TestLayoutNames(t *testing.T) {
	type embedded struct {
		X int `json:"x"`
	}
	type value struct {
		embedded
		eight  `json:"-"`
		A      int `json:"a,omitzero"`
		B      int
		Hidden int `json:"-"`
		_      int
	}
	l, err := CompileKeyless[value]()
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Names(l.All()); !reflect.DeepEqual(got, []string{"x", "eight", "a", "B", "Hidden"}) {
		t.Fatalf("names %q", got)
	}
	if got := l.Names(l.Visible()); !reflect.DeepEqual(got, []string{"x", "a", "B"}) {
		t.Fatalf("visible %q", got)
	}
	m, err := l.Mask("B", "x")
	if err != nil || m != 0b1001 || m.Len() != 2 || !m.Has(3) || m.Has(1) {
		t.Fatalf("mask %b, %v", m, err)
	}
	if _, err := l.Mask("nope"); !errors.Is(err, ErrLayout) {
		t.Fatalf("unknown name: %v", err)
	}
}

func TestC67Diff(t *testing.T) {
	l := compiled[part](t)
	base := func() *part {
		return &part{
			ID: "text:0", Type: "tool", CallID: "c1", Name: "bash", Text: text.Of("x"),
			State:  &state{Phase: "run", Pair: [2]nested{{1, 2}, {3, 4}}, Bits: []uint16{1}},
			Labels: []string{"a"}, internal: 1,
		}
	}
	for _, c := range []struct {
		name string
		edit func(*part)
		want []string
	}{
		{"C67 immutable fields only", func(p *part) { p.CallID, p.Name = "c2", "grep" }, nil},
		{"C67 key", func(p *part) { p.ID = "text:1" }, []string{"partID"}},
		{"C67 tag", func(p *part) { p.Type = "text" }, l.Names(l.All())},
		{"nested array", func(p *part) { p.State.Pair[1].B = 5 }, []string{"state"}},
		{"nested slice", func(p *part) { p.State.Bits[0] = 2 }, []string{"state"}},
		{"nested pointer gone", func(p *part) { p.State = nil }, []string{"state"}},
		{"slice element", func(p *part) { p.Labels[0] = "b" }, []string{"labels"}},
		{"slice grown", func(p *part) { p.Labels = append(p.Labels, "b") }, []string{"labels"}},
		{"text and scalar", func(p *part) { p.Text, p.Count = p.Text.Append("y"), 3 }, []string{"text", "count"}},
		{"unexported", func(p *part) { p.internal = 2 }, []string{"internal"}},
		{"raw", func(p *part) { p.Raw = jsontext.Value(`{}`) }, []string{"raw"}},
		{"reference", func(p *part) { p.Extra = new(int) }, []string{"extra"}},
		{"left out", func(p *part) { p.Scratch = map[string]int{} }, nil},
		{"nil and empty slice", func(p *part) { p.Raw = jsontext.Value{} }, nil},
		{"same instant elsewhere", func(p *part) { p.At = p.At.In(time.FixedZone("x", 3600)) }, []string{"at"}},
		{"same content", func(p *part) { p.Text = text.Of(strings.Clone("x")) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := base(), base()
			c.edit(b)
			got := l.Names(l.Diff(a, b))
			if len(got) == 0 {
				got = nil
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Fatalf("differ in %q, want %q", got, c.want)
			}
			if l.Equivalent(a, b) != (c.want == nil) {
				t.Fatalf("Equivalent is %v", l.Equivalent(a, b))
			}
		})
	}
}

func TestDiffComparesNumbersByBits(t *testing.T) {
	type value struct {
		F float64
		N [3]uint8
	}
	l, err := CompileKeyless[value]()
	if err != nil {
		t.Fatal(err)
	}
	nan := &value{F: math.NaN()}
	if !l.Equivalent(nan, &value{F: math.NaN()}) {
		t.Fatal("NaN differs from itself: it would be told for ever")
	}
	if l.Equivalent(&value{}, &value{F: math.Copysign(0, -1)}) || l.Equivalent(&value{}, &value{N: [3]uint8{0, 0, 1}}) {
		t.Fatal("a difference is not seen")
	}
}

func TestReferences(t *testing.T) {
	type value struct {
		P *int           `slot:"ref"`
		M map[string]int `slot:"ref"`
		F func()         `slot:"ref"`
		S []int          `slot:"ref"`
		I any            `slot:"ref"`
		N struct {
			M map[string]int `slot:"ref"`
			C *int           `slot:"-"`
			O [6]byte
		}
	}
	l, err := CompileKeyless[value]()
	if err != nil {
		t.Fatal(err)
	}
	call := func() { t.Log("called") }
	fresh := func() *value {
		v := &value{P: new(int), M: map[string]int{}, F: call, S: []int{1}, I: new(int)}
		v.N.M, v.N.C = map[string]int{}, new(int)
		return v
	}
	a, b := fresh(), fresh()
	if got := l.Names(l.Diff(a, b)); !slices.Equal(got, []string{"P", "M", "S", "I", "N"}) {
		t.Fatalf("equal content elsewhere: %v differ", got)
	}
	b = &value{P: a.P, M: a.M, F: a.F, S: a.S, I: a.I, N: a.N}
	b.N.C = new(int)
	if got := l.Names(l.Diff(a, b)); len(got) > 0 {
		t.Fatalf("the same references: %v differ", got)
	}
	b.N.O[5], b.F = 1, nil
	if got := l.Names(l.Diff(a, b)); !slices.Equal(got, []string{"F", "N"}) {
		t.Fatalf("%v differ", got)
	}
	if l.Visible() != l.All()&^(1<<2) {
		t.Fatalf("a function is visible: %v", l.Names(l.Visible()))
	}
}

// A shape is its layout, for callers that do not know the type.
func TestShape(t *testing.T) {
	l := compiled[part](t)
	s := l.Shape()
	a, b := &part{ID: "x", Text: text.Of("ab")}, &part{ID: "x", Text: text.Of("abc"), Status: "done"}
	f, _ := l.Field("text")
	suffix, grown := s.Grown(a, b, f)
	if s.Diff(a, b) != l.Diff(a, b) || suffix != "c" || !grown || s.Text(b, f) != "abc" || !s.Appendable(f) || s.Appendable(0) {
		t.Fatal("comparing")
	}
	if s.Text(b, 0) != "" || s.Len() != l.Len() || s.Visible() != l.Visible() || s.Name(f) != "text" {
		t.Fatal("describing")
	}
	if got := string(s.AppendWhole(s.AppendField(nil, b, f), a)); got != `"abc"{"partID":"x","text":"ab"}` {
		t.Fatal(got)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a value of another type")
		}
	}()
	s.Text(new(state), f)
}

func TestC66DiffIsZeroWhereEquivalent(t *testing.T) {
	l := compiled[part](t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPart(t), drawPart(t)
		checkC66(t, l, a, b)
		c := *a
		checkC66(t, l, a, &c)
	})
}

func FuzzC66(f *testing.F) {
	f.Add([]byte("some bytes to draw from"))
	l := compiled[part](f)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkC66(t, l, drawPart(t), drawPart(t)) }))
}

// checkC66 compares the layout with reflection.
func checkC66(t *rapid.T, l *Layout[part], a, b *part) {
	diff := l.Diff(a, b)
	if (diff == 0) != l.Equivalent(a, b) {
		t.Fatalf("Diff %b but Equivalent %v", diff, l.Equivalent(a, b))
	}
	x, y := plain(*a), plain(*b)
	if same := reflect.DeepEqual(x, y); same != (diff == 0) {
		t.Fatalf("Diff %v of\n%+v\n%+v", l.Names(diff), x, y)
	}
	if a.Type == b.Type {
		return
	}
	if diff != l.All() {
		t.Fatalf("another tag, but only %v differ", l.Names(diff))
	}
}

// plain brings a part to a form that reflect.DeepEqual compares as a layout
// should.
func plain(p part) any {
	p.CallID, p.Name, p.Scratch = "", "", nil
	s := p.Text.String()
	p.Text = text.Text{}
	p.Labels = append([]string{}, p.Labels...)
	return []any{p, s}
}

func drawPart(t *rapid.T) *part {
	word := rapid.SampledFrom([]string{"", "a", "b", "ab"})
	p := &part{
		ID: word.Draw(t, "id"), Type: rapid.SampledFrom([]string{"text", "tool"}).Draw(t, "type"),
		CallID: word.Draw(t, "call"), Name: word.Draw(t, "name"), Text: text.Of(word.Draw(t, "text")),
		Status: word.Draw(t, "status"), Count: rapid.IntRange(0, 1).Draw(t, "count"), Done: rapid.Bool().Draw(t, "done"),
		Labels: rapid.SliceOfN(word, 0, 2).Draw(t, "labels"),
	}
	if rapid.Bool().Draw(t, "has state") {
		p.State = &state{Phase: word.Draw(t, "phase"), Bits: rapid.SliceOfN(rapid.Uint16Max(1), 1, 2).Draw(t, "bits")}
		p.State.Pair[1].A = rapid.Int8Range(0, 1).Draw(t, "a")
	}
	return p
}

func TestGrown(t *testing.T) {
	l := compiled[part](t)
	field, _ := l.Field("text")
	status, _ := l.Field("status")
	a := &part{Text: text.Of("ab")}
	for _, c := range []struct {
		name   string
		b      text.Text
		suffix string
		ok     bool
	}{
		{"in place", a.Text.Append("cd"), "cd", true},
		{"same", a.Text, "", true},
		{"elsewhere", text.Of("abé"), "é", true},
		{"shorter", text.Of("a"), "", false},
		{"other", text.Of("xbcd"), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			suffix, ok := l.Grown(a, &part{Text: c.b}, field)
			if suffix != c.suffix || ok != c.ok {
				t.Fatalf("Grown = %q, %v", suffix, ok)
			}
		})
	}
	if _, ok := l.Grown(a, a, status); ok || l.Appendable(status) || !l.Appendable(field) {
		t.Fatal("a field that is not append-only grew")
	}
}

// A text that grew in place is known by where its bytes are: the same prefix
// is never compared byte by byte, which overwriting it would show.
func TestGrownInPlaceDoesNotCompare(t *testing.T) {
	l, err := CompileKeyless[struct {
		S string `slot:"append"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	type value = struct {
		S string `slot:"append"`
	}
	buf := []byte("abcdef")
	a, b := &value{S: unsafe.String(&buf[0], 3)}, &value{S: unsafe.String(&buf[0], 6)}
	if suffix, ok := l.Grown(a, b, 0); !ok || suffix != "def" {
		t.Fatalf("Grown = %q, %v", suffix, ok)
	}
}

func TestLayoutAllocatesNothing(t *testing.T) {
	l := compiled[part](t)
	a := &part{ID: "text:0", Type: "text", Text: text.Of(strings.Repeat("x", 1000)), State: &state{Bits: []uint16{1}}, Labels: []string{"a"}}
	b := *a
	b.Text = b.Text.Append("!")
	field, _ := l.Field("text")
	buf := make([]byte, 0, 4096)
	mask, _ := l.Mask("partID", "text", "count", "done")
	if n := testing.AllocsPerRun(100, func() {
		l.Diff(a, &b)
		l.Equivalent(a, &b)
		l.Grown(a, &b, field)
		buf = l.AppendObject(buf[:0], &b, mask)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
