package slot

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno/text"
)

type row struct {
	ID   int    `slot:"key"`
	Kind string `slot:"tag"`
	Call string `slot:"immutable"`
	Name string
	Text text.Text `slot:"append"`
}

func rows(ids ...int) []row {
	values := make([]row, len(ids))
	for i, id := range ids {
		values[i] = row{ID: id, Name: fmt.Sprint("n", id)}
	}
	return values
}

// bench is a collection and what its subscribers were told.
type bench struct {
	*Collection[int, row]
	structures int
	wholes     [][]Update[int, row]
}

func newBench(t tester, ids ...int) *bench {
	t.Helper()
	c, err := NewCollection[int](compiled[row](t))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Collection: c}
	if err := c.Set(rows(ids...)); err != nil {
		t.Fatal(err)
	}
	c.SubscribeStructure(func() { b.structures++ })
	c.Subscribe(func(u []Update[int, row]) { b.wholes = append(b.wholes, slices.Clone(u)) })
	return b
}

// told returns what the subscribers of the whole were told since, as text.
func (b *bench) told() string {
	var out []string
	for _, updates := range b.wholes {
		var words []string
		for _, u := range updates {
			words = append(words, fmt.Sprintf("%d:%s", u.Item.Key(), describe(u.Op)))
		}
		slices.Sort(words)
		out = append(out, strings.Join(words, " "))
	}
	b.wholes = nil
	return strings.Join(out, " | ")
}

func describe(op Op) string {
	var words []string
	for bit, name := range []string{"inserted", "written", "moved", "removed"} {
		if op&(1<<bit) != 0 {
			words = append(words, name)
		}
	}
	return strings.Join(words, "+")
}

func (b *bench) ids() []int {
	var ids []int
	for _, v := range b.Values() {
		ids = append(ids, v.ID)
	}
	return ids
}

func wantIDs(t *testing.T, b *bench, want ...int) {
	t.Helper()
	if got := b.ids(); !slices.Equal(got, want) {
		t.Fatalf("order %v, want %v", got, want)
	}
	for at, i := range b.Items() {
		if i.Position() != at || b.Item(i.Key()) != i {
			t.Fatalf("item %d stands at %d, knows %d", i.Key(), at, i.Position())
		}
	}
}

func wantTold(t *testing.T, b *bench, want string) {
	t.Helper()
	if got := b.told(); got != want {
		t.Fatalf("told %q, want %q", got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestC51SetKeepsSlots(t *testing.T) {
	b := newBench(t, 1, 2)
	items := b.Items()
	one, two := b.Item(1), b.Item(2)
	must(t, b.Set([]row{{ID: 1, Name: "x"}, {ID: 2, Name: "y"}}))
	if now := b.Items(); &now[0] != &items[0] || now[0] != one || now[1] != two {
		t.Fatal("the slots are not the same")
	}
	if one.Value().Name != "x" || two.Value().Name != "y" || b.structures != 0 {
		t.Fatalf("%+v, %d structural deliveries", b.Values(), b.structures)
	}
	wantTold(t, b, "1:written 2:written")
}

func TestC52SetPermutesSlots(t *testing.T) {
	b := newBench(t, 1, 2, 3)
	before := []*Item[int, row]{b.Item(1), b.Item(2), b.Item(3)}
	must(t, b.Set(rows(3, 1, 2)))
	wantIDs(t, b, 3, 1, 2)
	if now := b.Items(); now[0] != before[2] || now[1] != before[0] || now[2] != before[1] {
		t.Fatal("the slots are not the same")
	}
	if b.structures != 1 || len(b.wholes) != 1 {
		t.Fatalf("%d structural deliveries, %d of the whole", b.structures, len(b.wholes))
	}
}

func TestC53SetOfDuplicateKeys(t *testing.T) {
	b := newBench(t, 1, 2)
	before, metrics := b.Values(), b.Metrics()
	if err := b.Set([]row{{ID: 1, Name: "x"}, {ID: 3}, {ID: 3}}); !errors.Is(err, ErrKeyTaken) {
		t.Fatalf("error %v", err)
	}
	if !reflect.DeepEqual(b.Values(), before) || b.Metrics() != metrics {
		t.Fatal("something changed")
	}
	wantTold(t, b, "")
}

func TestC54UpdateEquivalent(t *testing.T) {
	b := newBench(t, 1)
	old := b.Item(1).Frozen()
	written, err := b.Update(row{ID: 1, Name: "n1", Call: "other"})
	must(t, err)
	if written || b.Item(1).Frozen() != old || b.Metrics().Suppressed != 1 {
		t.Fatalf("written %v, suppressed %d", written, b.Metrics().Suppressed)
	}
	wantTold(t, b, "")
}

func TestC55MissingKey(t *testing.T) {
	b := newBench(t, 1)
	updated, err := b.Update(row{ID: 2})
	must(t, err)
	modified, err := b.Modify(2, func(*row) { t.Error("called") })
	must(t, err)
	if updated || modified {
		t.Fatal("a missing key was written")
	}
	wantTold(t, b, "")
}

func TestC56ModifyOfTheKey(t *testing.T) {
	b := newBench(t, 1)
	before := b.Values()
	written, err := b.Modify(1, func(v *row) { v.ID, v.Name = 2, "x" })
	if written || !errors.Is(err, ErrKeyChanged) || !reflect.DeepEqual(b.Values(), before) {
		t.Fatalf("written %v, error %v, %v", written, err, b.Values())
	}
	wantTold(t, b, "")
}

func TestC57RefusedInsertsLeaveNoTrace(t *testing.T) {
	b := newBench(t, 1)
	x := byName(t, b.Collection)
	if err := b.Insert(row{ID: 1, Name: "new"}); !errors.Is(err, ErrKeyTaken) {
		t.Fatalf("existing key: %v", err)
	}
	if err := b.InsertBefore(9, row{ID: 2, Name: "new"}); !errors.Is(err, ErrNoAnchor) {
		t.Fatalf("missing anchor: %v", err)
	}
	if err := b.InsertAfter(9, row{ID: 2, Name: "new"}); !errors.Is(err, ErrNoAnchor) {
		t.Fatalf("missing anchor: %v", err)
	}
	wantIDs(t, b, 1)
	wantTold(t, b, "")
	if x.Has("new") || !x.Has("n1") || x.Len() != 1 {
		t.Fatal("the index has a trace")
	}
}

func TestC58InsertMoveRemove(t *testing.T) {
	b := newBench(t, 1, 3)
	must(t, b.InsertBefore(3, row{ID: 2}))
	must(t, b.InsertAfter(3, row{ID: 4}))
	must(t, b.InsertAfter(2, row{ID: 5}))
	wantIDs(t, b, 1, 2, 5, 3, 4)
	b.wholes = nil
	for _, c := range []struct {
		name string
		move func() bool
		want bool
		ids  []int
	}{
		{"before its follower", func() bool { return b.MoveBefore(2, 5) }, false, []int{1, 2, 5, 3, 4}},
		{"before itself", func() bool { return b.MoveBefore(2, 2) }, false, []int{1, 2, 5, 3, 4}},
		{"after its leader", func() bool { return b.MoveAfter(2, 1) }, false, []int{1, 2, 5, 3, 4}},
		{"after itself", func() bool { return b.MoveAfter(2, 2) }, false, []int{1, 2, 5, 3, 4}},
		{"missing anchor", func() bool { return b.MoveBefore(2, 9) }, false, []int{1, 2, 5, 3, 4}},
		{"missing key", func() bool { return b.MoveEnd(9) }, false, []int{1, 2, 5, 3, 4}},
		{"forward", func() bool { return b.MoveBefore(2, 4) }, true, []int{1, 5, 3, 2, 4}},
		{"back", func() bool { return b.MoveBefore(2, 1) }, true, []int{2, 1, 5, 3, 4}},
		{"after", func() bool { return b.MoveAfter(2, 5) }, true, []int{1, 5, 2, 3, 4}},
		{"end", func() bool { return b.MoveEnd(1) }, true, []int{5, 2, 3, 4, 1}},
		{"end again", func() bool { return b.MoveEnd(1) }, false, []int{5, 2, 3, 4, 1}},
		{"remove", func() bool { return b.Remove(2) }, true, []int{5, 3, 4, 1}},
		{"remove twice", func() bool { return b.Remove(2) }, false, []int{5, 3, 4, 1}},
	} {
		b.structures = 0
		if got := c.move(); got != c.want || (b.structures == 1) != c.want {
			t.Fatalf("%s: %v, %d structural deliveries", c.name, got, b.structures)
		}
		wantIDs(t, b, c.ids...)
	}
}

func TestC59RemovedThenUsedAgain(t *testing.T) {
	b := newBench(t, 1)
	old := b.Item(1)
	var told []Op
	old.Subscribe(func(u Update[int, row]) { told = append(told, u.Op) })
	b.Remove(1)
	must(t, b.Insert(row{ID: 1, Name: "again"}))
	_, err := b.Update(row{ID: 1, Name: "more"})
	must(t, err)
	if b.Item(1) == old || old.Value().Name != "n1" || old.Position() != -1 {
		t.Fatalf("old slot %+v at %d", old.Value(), old.Position())
	}
	// It is told that it was removed (the B table) and is silent from then on.
	if !slices.Equal(told, []Op{Removed}) {
		t.Fatalf("old slot was told %v", told)
	}
	wantTold(t, b, "1:removed | 1:inserted | 1:written")
}

func TestC59InOneBatch(t *testing.T) {
	b := newBench(t, 1)
	must(t, b.Batch(func() error {
		b.Remove(1)
		return b.Insert(row{ID: 1})
	}))
	wantTold(t, b, "1:inserted 1:removed")
}

func TestC60SetSettlesOnce(t *testing.T) {
	b := newBench(t, 1, 2, 3)
	must(t, b.Set([]row{{ID: 4}, {ID: 3, Name: "n3"}, {ID: 1, Name: "x"}}))
	wantTold(t, b, "1:written+moved 2:removed 3:moved 4:inserted")
	wantIDs(t, b, 4, 3, 1)
	if b.structures != 1 {
		t.Fatalf("%d structural deliveries", b.structures)
	}
}

func TestC61Counters(t *testing.T) {
	b := newBench(t)
	must(t, b.Set(rows(1)))
	for range 2 {
		_, err := b.Update(row{ID: 1, Name: "x"})
		must(t, err)
	}
	must(t, b.Insert(row{ID: 2}))
	b.MoveEnd(1)
	b.Remove(1)
	if want := (Metrics{Writes: 1, Slots: 1, Structures: 4, Suppressed: 1}); b.Metrics() != want {
		t.Fatalf("%+v, want %+v", b.Metrics(), want)
	}
}

func TestC62IdenticalSet(t *testing.T) {
	b := newBench(t, 1, 2, 3, 4, 5)
	before := b.Metrics()
	must(t, b.Set(rows(1, 2, 3, 4, 5)))
	before.Suppressed += 5
	if b.Metrics() != before {
		t.Fatalf("%+v, want %+v", b.Metrics(), before)
	}
	wantTold(t, b, "")
}

func TestC63ClearTwice(t *testing.T) {
	b := newBench(t, 1, 2)
	must(t, b.Clear())
	wantTold(t, b, "1:removed 2:removed")
	must(t, b.Clear())
	wantTold(t, b, "")
	if b.structures != 1 || b.Len() != 0 {
		t.Fatalf("%d structural deliveries, %d values", b.structures, b.Len())
	}
}

func TestImmutableFieldsStay(t *testing.T) {
	b := newBench(t)
	must(t, b.Insert(row{ID: 1, Kind: "tool", Call: "c1"}))
	must(t, b.Set([]row{{ID: 1, Kind: "tool", Call: "c2", Name: "x"}}))
	_, err := b.Update(row{ID: 1, Kind: "tool", Call: "c3", Name: "y"})
	must(t, err)
	if v, _ := b.Get(1); v.Call != "c1" || v.Name != "y" {
		t.Fatalf("%+v", v)
	}
	_, err = b.Update(row{ID: 1, Kind: "text", Call: "c4"})
	must(t, err)
	if v, ok := b.Get(1); !ok || v.Call != "c4" {
		t.Fatalf("another variant kept the call: %+v", v)
	}
}

func TestCollectionKeyType(t *testing.T) {
	if _, err := NewCollection[string](compiled[row](t)); !errors.Is(err, ErrLayout) {
		t.Fatalf("error %v", err)
	}
	l, err := CompileKeyless[struct{ A int }]()
	must(t, err)
	if _, err := NewCollection[int](l); !errors.Is(err, ErrLayout) {
		t.Fatalf("error %v", err)
	}
}
