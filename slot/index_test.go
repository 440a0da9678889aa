package slot

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// byName indexes rows by their name, none for an empty one.
func byName(t tester, c *Collection[int, row]) *Index[int, row, string] {
	t.Helper()
	m, err := c.Layout().Mask("Name")
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewIndex(c, m, func(v *row) ([]string, error) {
		if v.Name == "" {
			return nil, nil
		}
		return []string{v.Name}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func members(x *Index[int, row, string], label string) []int {
	ids := []int{}
	for _, i := range x.Members(label) {
		ids = append(ids, i.Key())
	}
	return ids
}

func TestC68TagChangeRefreshesIndexes(t *testing.T) {
	b := newBench(t)
	tag, err := b.Layout().Mask("Kind")
	must(t, err)
	x, err := NewIndex(b.Collection, tag, func(v *row) ([]string, error) { return []string{v.Kind + v.Name}, nil })
	must(t, err)
	must(t, b.Insert(row{ID: 1, Kind: "text"}))
	_, err = b.Update(row{ID: 1, Kind: "tool"})
	must(t, err)
	if x.Has("text") || !x.Has("tool") {
		t.Fatal("the index missed the tag")
	}
	// Every field counts as changed, so an index that reads others is asked too.
	calls := 0
	name, err := b.Layout().Mask("Name")
	must(t, err)
	_, err = NewIndex(b.Collection, name, func(*row) ([]string, error) { calls++; return nil, nil })
	must(t, err)
	_, err = b.Update(row{ID: 1, Kind: "text"})
	must(t, err)
	if calls != 2 {
		t.Fatalf("%d calls, want one for what was there and one for the tag", calls)
	}
}

func TestC69LabelsOnlyWhereTheirFieldsChanged(t *testing.T) {
	b := newBench(t, 1, 2, 3)
	m, err := b.Layout().Mask("Name")
	must(t, err)
	calls := 0
	_, err = NewIndex(b.Collection, m, func(v *row) ([]string, error) { calls++; return []string{v.Name}, nil })
	must(t, err)
	calls = 0
	_, err = b.Modify(2, func(v *row) { v.Text = v.Text.Append("x") })
	must(t, err)
	_, err = b.Update(row{ID: 1, Name: "n1"})
	must(t, err)
	if calls != 0 {
		t.Fatalf("%d calls for another field and for an equivalent value", calls)
	}
	must(t, b.Set([]row{{ID: 1, Name: "n1"}, {ID: 2, Name: "other"}, {ID: 3, Name: "n3"}}))
	if calls != 1 {
		t.Fatalf("%d calls for one changed name", calls)
	}
}

func TestC69EachFieldIsComparedOnce(t *testing.T) {
	b := newBench(t, 1, 2)
	byName(t, b.Collection)
	counts := make([]int, b.layout.Len())
	for i := range b.layout.fields {
		equal := b.layout.fields[i].equal
		b.layout.fields[i].equal = func(x, y unsafe.Pointer) bool {
			counts[i]++
			return equal(x, y)
		}
	}
	once := []int{1, 1, 1, 1, 1}
	_, err := b.Update(row{ID: 1, Name: "x"})
	must(t, err)
	if !slices.Equal(counts, once) {
		t.Fatalf("%v comparisons of %v", counts, b.layout.Names(b.layout.All()))
	}
	clear(counts)
	_, err = b.Update(row{ID: 1, Name: "x"})
	must(t, err)
	if once[2] = 0; !slices.Equal(counts, once) { // nothing changed: the immutable field is not looked at
		t.Fatalf("%v comparisons of %v", counts, b.layout.Names(b.layout.All()))
	}
}

func TestC70SharedLabel(t *testing.T) {
	b := newBench(t)
	x := byName(t, b.Collection)
	must(t, b.Set([]row{{ID: 1, Name: "a"}, {ID: 2, Name: "a"}, {ID: 3, Name: "a"}, {ID: 4}}))
	if got := members(x, "a"); !slices.Equal(got, []int{1, 2, 3}) {
		t.Fatalf("members %v", got)
	}
	b.MoveEnd(1)
	if got := members(x, "a"); !slices.Equal(got, []int{2, 3, 1}) {
		t.Fatalf("members %v", got)
	}
	b.Remove(2)
	_, err := b.Update(row{ID: 3, Name: "b"})
	must(t, err)
	if !x.Has("a") || !x.Has("b") || x.Len() != 2 {
		t.Fatal("the last holder lost its label")
	}
	must(t, b.Set([]row{{ID: 3, Name: "b"}}))
	if x.Has("a") || x.Len() != 1 {
		t.Fatal("a label outlived its last holder")
	}
}

func TestC72FailingLabels(t *testing.T) {
	b := newBench(t, 1, 2)
	first := byName(t, b.Collection)
	m, err := b.Layout().Mask("Name")
	must(t, err)
	fail := errors.New("fail")
	labels := func(v *row) ([]string, error) {
		switch v.Name {
		case "bad":
			return nil, fail
		case "worse":
			panic(fail)
		}
		return []string{v.Name}, nil
	}
	second, err := NewIndex(b.Collection, m, labels)
	must(t, err)
	before, metrics := b.Values(), b.Metrics()
	for _, name := range []string{"bad", "worse"} {
		for op, write := range map[string]func() error{
			"update": func() error { _, err := b.Update(row{ID: 1, Name: name}); return err },
			"modify": func() error { _, err := b.Modify(1, func(v *row) { v.Name = name }); return err },
			"insert": func() error { return b.Insert(row{ID: 3, Name: name}) },
			"before": func() error { return b.InsertBefore(1, row{ID: 3, Name: name}) },
			"set":    func() error { return b.Set([]row{{ID: 4, Name: "new"}, {ID: 2, Name: name}, {ID: 1, Name: "x"}}) },
		} {
			if err := recovered(write); !errors.Is(err, fail) {
				t.Errorf("%s %s: error %v", name, op, err)
			}
			if !reflect.DeepEqual(b.Values(), before) || b.Metrics() != metrics {
				t.Fatalf("%s %s: something changed", name, op)
			}
			for _, x := range []*Index[int, row, string]{first, second} {
				if x.Len() != 2 || !x.Has("n1") || !x.Has("n2") {
					t.Fatalf("%s %s: the index changed", name, op)
				}
			}
		}
	}
	wantTold(t, b, "")
	_, err = b.Update(row{ID: 1, Name: "good"})
	must(t, err)
	if !first.Has("good") || !second.Has("good") || second.Has("n1") {
		t.Fatal("the indexes no longer work")
	}
}

// recovered returns a panic with an error as that error.
func recovered(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return f()
}

func TestIndexOfWhatIsThere(t *testing.T) {
	b := newBench(t, 1, 2)
	fail := errors.New("fail")
	all := b.Layout().All()
	if _, err := NewIndex(b.Collection, all, func(*row) ([]int, error) { return nil, fail }); !errors.Is(err, fail) {
		t.Fatalf("error %v", err)
	}
	must(t, b.Insert(row{ID: 3, Name: "n3"})) // the failed index is not asked
	_, err := NewIndex(b.Collection, all, func(*row) ([]int, error) { return nil, b.Insert(row{ID: 4}) })
	if !errors.Is(err, ErrBusy) {
		t.Fatalf("a write from inside: %v", err)
	}
	if x := byName(t, b.Collection); x.Len() != 3 {
		t.Fatalf("%d labels", x.Len())
	}
}

// An index always equals the one made anew.
func TestC70IndexAgainstAFreshOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := NewCollection[int](compiled[row](t))
		if err != nil {
			t.Fatal(err)
		}
		x := byName(t, c)
		var model []row
		id := rapid.IntRange(0, 5)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			step(t, c, &model, id)
			want := make(map[string][]int)
			for _, v := range model {
				want[v.Name] = append(want[v.Name], v.ID)
			}
			if x.Len() != len(want) {
				t.Fatalf("%d labels, want %v", x.Len(), want)
			}
			for label, ids := range want {
				if got := members(x, label); !slices.Equal(got, ids) {
					t.Fatalf("members of %q: %v, want %v", label, got, ids)
				}
			}
		}
	})
}
