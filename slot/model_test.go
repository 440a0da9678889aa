package slot

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// One delta to one of 10,000 values writes one slot, restructures nothing and
// allocates only as its text grows (C74, C82).
func TestC74DeltaAmongTenThousand(t *testing.T) {
	for _, size := range []int{1, 100, 10_000} {
		c, err := NewCollection[int](compiled[row](t))
		must(t, err)
		ids := make([]int, size)
		for i := range ids {
			ids[i] = i
		}
		must(t, c.Set(rows(ids...)))
		told := 0
		c.Item(size / 2).Subscribe(func(Update[int, row]) { told++ })
		c.Subscribe(func([]Update[int, row]) {})
		delta := func(v *row) { v.Text = v.Text.Append("abcd") }
		before := c.Metrics()
		const deltas = 1 << 16
		allocs := testing.AllocsPerRun(1, func() {
			for range deltas / 2 {
				_, _ = c.Modify(size/2, delta)
			}
		})
		if allocs > 40 { // one for each doubling of the text
			t.Errorf("M=%d: %v allocations in %d deltas", size, allocs, deltas/2)
		}
		before.Writes += deltas
		before.Slots += deltas
		if c.Metrics() != before || told != deltas {
			t.Errorf("M=%d: %+v, want %+v; told %d", size, c.Metrics(), before, told)
		}
	}
}

// Any sequence of writes leaves the collection as a plain slice would be, and
// a reader that applies what it is told has the same.
func TestCollectionAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := NewCollection[int](compiled[row](t))
		if err != nil {
			t.Fatal(err)
		}
		var model []row
		mirror := make(map[int]row)
		c.Subscribe(func(updates []Update[int, row]) {
			for _, u := range updates {
				if u.Op&Removed != 0 {
					delete(mirror, u.Item.Key())
				}
			}
			for _, u := range updates {
				if u.Op&Removed == 0 {
					mirror[u.Item.Key()] = u.Item.Value()
				}
			}
		})
		var held []frozen
		id := rapid.IntRange(0, 8)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			step(t, c, &model, id)
			if got := c.Values(); !slices.EqualFunc(got, model, sameRow) {
				t.Fatalf("got %v, want %v", got, model)
			}
			if len(mirror) != len(model) {
				t.Fatalf("mirror has %d of %d", len(mirror), len(model))
			}
			for at, v := range model {
				i := c.Item(v.ID)
				if i.Position() != at || !sameRow(mirror[v.ID], v) || !sameRow(*i.Frozen(), v) {
					t.Fatalf("%v at %d: item %v at %d, mirror %v", v, at, i.Value(), i.Position(), mirror[v.ID])
				}
			}
			if rapid.Bool().Draw(t, "freeze") {
				held = append(held, frozen{c.set.Frozen(), slices.Clone(model)})
			}
		}
		for _, f := range held {
			f.check(t)
		}
	})
}

// frozen is a set's values and what they were when they were taken.
type frozen struct {
	values Vector[any]
	model  []row
}

func (f frozen) check(t *rapid.T) {
	if f.values.Len() != len(f.model) {
		t.Fatalf("frozen %d of %d", f.values.Len(), len(f.model))
	}
	for at, x := range f.values.All() {
		if !sameRow(*x.(*row), f.model[at]) {
			t.Fatalf("frozen %v at %d, want %v", x, at, f.model[at])
		}
	}
}

func sameRow(a, b row) bool {
	return a.ID == b.ID && a.Kind == b.Kind && a.Name == b.Name && a.Text.Equal(b.Text)
}

func step(t *rapid.T, c *Collection[int, row], model *[]row, id *rapid.Generator[int]) {
	key, anchor := id.Draw(t, "key"), id.Draw(t, "anchor")
	at := slices.IndexFunc(*model, func(v row) bool { return v.ID == key })
	to := slices.IndexFunc(*model, func(v row) bool { return v.ID == anchor })
	v := row{ID: key, Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")}
	switch rapid.IntRange(0, 6).Draw(t, "op") {
	case 0:
		if (c.Insert(v) == nil) != (at < 0) {
			t.Fatal("insert")
		}
		if at < 0 {
			*model = append(*model, v)
		}
	case 1:
		if (c.InsertBefore(anchor, v) == nil) != (at < 0 && to >= 0) {
			t.Fatal("insert before")
		}
		if at < 0 && to >= 0 {
			*model = slices.Insert(*model, to, v)
		}
	case 2:
		if c.Remove(key) != (at >= 0) {
			t.Fatal("remove")
		}
		if at >= 0 {
			*model = slices.Delete(slices.Clone(*model), at, at+1)
		}
	case 3, 4:
		old := slices.Clone(*model)
		if at >= 0 && to >= 0 && at != to {
			moved := (*model)[at]
			*model = slices.Delete(*model, at, at+1)
			to = slices.IndexFunc(*model, func(v row) bool { return v.ID == anchor })
			*model = slices.Insert(*model, to, moved)
		}
		if c.MoveBefore(key, anchor) == slices.EqualFunc(old, *model, sameRow) {
			t.Fatal("move")
		}
	case 5:
		changed := at >= 0 && (*model)[at].Name != v.Name
		if written, err := c.Modify(key, func(r *row) { r.Name = v.Name }); err != nil || written != changed {
			t.Fatal("modify")
		}
		if changed {
			(*model)[at].Name = v.Name
		}
	case 6:
		*model = nil
		for _, id := range rapid.SliceOfDistinct(id, func(i int) int { return i }).Draw(t, "set") {
			*model = append(*model, row{ID: id, Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")})
		}
		if err := c.Set(*model); err != nil {
			t.Fatal(err)
		}
	}
}
