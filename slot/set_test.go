package slot

import (
	"slices"
	"testing"
)

// counter is a cell that knows how often it was frozen.
type counter struct{ value, frozen int }

func (c *counter) Freeze() any {
	c.frozen++
	return c.value
}

func filled(b *Board[int], n int) *Set[int] {
	s := b.NewSet()
	for i := range n {
		s.Insert(i, &counter{value: i}, nil)
	}
	b.Settle()
	return s
}

func TestSetRefusals(t *testing.T) {
	var b Board[int]
	s, other := filled(&b, 3), filled(&b, 3)
	gone := s.Get(1)
	if !s.Remove(gone) || s.Remove(gone) {
		t.Fatal("remove twice")
	}
	b.Settle()
	s.Wrote(gone)
	for name, done := range map[string]bool{
		"taken key":            s.Insert(0, &counter{}, nil) != nil,
		"before a removed one": s.Insert(9, &counter{}, gone) != nil,
		"before a foreign one": s.Insert(9, &counter{}, other.Get(0)) != nil,
		"move a removed one":   s.Move(gone, nil),
		"move a foreign one":   s.Move(other.Get(0), nil),
		"move to a removed":    s.Move(s.Get(0), gone),
		"remove a foreign one": s.Remove(other.Get(0)),
		"something pending":    b.Pending(),
	} {
		if done {
			t.Error(name)
		}
	}
	if s.Len() != 2 || other.Len() != 3 || s.Get(9) != nil || gone.Position() != -1 {
		t.Fatal("something changed")
	}
}

func TestC14UntouchedValuesAreNotFrozenAgain(t *testing.T) {
	var b Board[int]
	s := filled(&b, 100)
	s.Frozen()
	s.Get(7).Cell().(*counter).value = -7
	s.Wrote(s.Get(7))
	s.Wrote(s.Get(7))
	s.Frozen()
	s.Remove(s.Get(0))
	s.Move(s.Last(), s.At(0))
	s.Insert(100, &counter{value: 100}, nil)
	v := s.Frozen()
	if v.Len() != 100 || v.At(0) != 99 || v.At(7) != -7 || v.At(99) != 100 {
		t.Fatalf("%d values: %v %v %v", v.Len(), v.At(0), v.At(7), v.At(99))
	}
	for i := range s.Len() {
		n, want := s.At(i), 1
		if n.Key() == 7 {
			want = 2
		}
		if got := n.Cell().(*counter).frozen; got != want {
			t.Fatalf("%d was frozen %d times", n.Key(), got)
		}
	}
}

func TestSettleJoinsOps(t *testing.T) {
	var b Board[int]
	s := filled(&b, 4)
	s.Wrote(s.Get(0))
	s.Move(s.Get(0), nil)
	s.Wrote(s.Get(1))
	s.Remove(s.Get(1))
	s.Wrote(s.Insert(10, &counter{}, nil))
	s.Remove(s.Insert(11, &counter{}, nil))
	s.Wrote(s.Get(2))
	want := []struct {
		key int
		op  Op
	}{{0, Written | Moved}, {1, Removed}, {10, Inserted}, {2, Written}}
	got := b.Settle()
	if len(got.Changes) != len(want) || len(got.Sets) != 1 {
		t.Fatalf("%d changes of %d sets", len(got.Changes), len(got.Sets))
	}
	for i, c := range got.Changes {
		if c.Slot.Key() != want[i].key || c.Op != want[i].op {
			t.Fatalf("%d: %s, want %v", c.Slot.Key(), describe(c.Op), want[i])
		}
	}
	if m := b.Metrics; m.Slots != 2 || m.Writes != 4 {
		t.Fatalf("%+v", m)
	}
	if b.Pending() || len(b.Settle().Changes) != 0 {
		t.Fatal("told twice")
	}
}

func TestDiscard(t *testing.T) {
	var b Board[int]
	s := filled(&b, 2)
	s.Wrote(s.Get(0))
	s.Remove(s.Get(1))
	b.Discard()
	if b.Pending() {
		t.Fatal("still pending")
	}
	s.Wrote(s.Get(0))
	if got := b.Settle(); len(got.Changes) != 1 || got.Changes[0].Op != Written {
		t.Fatalf("%d changes", len(got.Changes))
	}
}

func TestArrange(t *testing.T) {
	var b Board[int]
	s := filled(&b, 4)
	zero, three := s.Get(0), s.Get(3)
	s.Frozen()
	cell := func(int) Cell { return &counter{} }
	if s.Arrange([]int{0, 1, 2, 3}, cell) || b.Pending() {
		t.Fatal("the same arrangement is a change")
	}
	if !s.Arrange([]int{3, 8, 0}, cell) {
		t.Fatal("no change")
	}
	if s.At(0) != three || s.At(2) != zero || s.Get(1) != nil || s.Last() != zero {
		t.Fatal("slots did not stay")
	}
	if v := s.Frozen(); !slices.Equal([]any{v.At(0), v.At(1), v.At(2)}, []any{3, 0, 0}) {
		t.Fatal("frozen")
	}
	if !s.Arrange([]int{3, 8}, cell) || s.Frozen().Len() != 2 {
		t.Fatal("cut")
	}
	if !s.Arrange([]int{3, 8, 9}, cell) || s.Frozen().Len() != 3 {
		t.Fatal("grown")
	}
}

func TestSettleAllocatesNothing(t *testing.T) {
	var b Board[int]
	s := filled(&b, 10_000)
	n := s.Get(5000)
	if got := testing.AllocsPerRun(100, func() {
		s.Wrote(n)
		b.Settle()
	}); got != 0 {
		t.Fatalf("%v allocations", got)
	}
}
