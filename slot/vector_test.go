package slot

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// contents walks the vector both ways there are.
func contents(t tester, v Vector[int]) []int {
	t.Helper()
	got := make([]int, 0, v.Len())
	for i, x := range v.All() {
		if i != len(got) || v.At(i) != x {
			t.Fatal("All and At disagree at", i)
		}
		got = append(got, x)
	}
	return got
}

// Every version of a vector stays what it was, whichever version the next one
// was made from.
func TestVectorAgainstASlice(t *testing.T) {
	type version struct {
		vector Vector[int]
		model  []int
	}
	rapid.Check(t, func(t *rapid.T) {
		versions := []version{{}}
		next := 0
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			from := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "from")]
			v, model := from.vector, slices.Clone(from.model)
			if len(model) > 0 && rapid.Bool().Draw(t, "with") {
				at := rapid.IntRange(0, len(model)-1).Draw(t, "at")
				next++
				v, model[at] = v.With(at, next), next
			} else {
				for range rapid.SampledFrom([]int{1, 31, 32, 33, 1000}).Draw(t, "append") {
					next++
					v, model = v.Append(next), append(model, next)
				}
			}
			versions = append(versions, version{v, model})
		}
		for _, x := range versions {
			if got := contents(t, x.vector); !slices.Equal(got, x.model) {
				t.Fatalf("a version of %d elements changed", len(x.model))
			}
		}
	})
}

func TestVectorOfFourLevels(t *testing.T) {
	const n = vectorWidth*vectorWidth*vectorWidth + 2*vectorWidth + 1
	edges := []int{0, 1, 31, 32, 33, 1023, 1024, 1025, 1055, 1056, 1057, 32767, 32768, 32769, 32799, 32800, 32801, n - 1, n}
	old := make(map[int]Vector[int], len(edges))
	var v Vector[int]
	for i := range n {
		if slices.Contains(edges, i) {
			old[i] = v
		}
		v = v.Append(i)
	}
	old[n] = v
	changed := v
	for _, at := range edges[:len(edges)-1] {
		changed = changed.With(at, -at)
	}
	for size, v := range old {
		if v.Len() != size {
			t.Fatalf("length %d, want %d", v.Len(), size)
		}
		for i, x := range contents(t, v) {
			if x != i {
				t.Fatalf("of %d: %d at %d", size, x, i)
			}
		}
	}
	for i, x := range contents(t, changed) {
		if want := i; x != want && (x != -i || !slices.Contains(edges, i)) {
			t.Fatalf("changed: %d at %d", x, i)
		}
	}
	for _, at := range edges[:len(edges)-1] {
		if changed.At(at) != -at {
			t.Fatalf("changed: %d at %d", changed.At(at), at)
		}
	}
}

func TestVectorAllStops(t *testing.T) {
	var v Vector[int]
	for i := range 100 {
		v = v.Append(i)
	}
	n := 0
	for range v.All() {
		if n++; n == 40 {
			break
		}
	}
	if n != 40 {
		t.Fatalf("%d elements", n)
	}
}
