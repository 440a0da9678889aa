package text

import (
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	var zero Text
	if zero.String() != "" || zero.Len() != 0 || zero.Append("").String() != "" {
		t.Fatal("the zero value is not empty")
	}
	hello := zero.Append("he").Append("llo")
	if hello.String() != "hello" || hello.Len() != 5 {
		t.Fatalf("%q", hello)
	}
	if !hello.Equal(Of("hello")) || hello.Equal(Of("help!")) || !zero.Equal(Of("")) {
		t.Fatal("Equal")
	}
	if grown := Of("a").Append("b"); grown.String() != "ab" {
		t.Fatalf("%q", grown)
	}
}

// Two appends to one prefix share it, but not what follows.
func TestBranches(t *testing.T) {
	prefix := Of("").Append("shared ")
	left, right := prefix.Append("left"), prefix.Append("right")
	again := left.Append(" on")
	if prefix.String() != "shared " || left.String() != "shared left" || right.String() != "shared right" || again.String() != "shared left on" {
		t.Fatalf("%q %q %q %q", prefix, left, right, again)
	}
	if unsafe.StringData(left.String()) != unsafe.StringData(prefix.String()) {
		t.Error("the first branch copied")
	}
	if unsafe.StringData(right.String()) == unsafe.StringData(prefix.String()) {
		t.Error("the second branch did not copy")
	}
}

func TestAppendCopiesItsArgument(t *testing.T) {
	buf := []byte("delta")
	x := Of("a ").Append(unsafe.String(&buf[0], len(buf)))
	copy(buf, "xxxxx")
	if x.String() != "a delta" {
		t.Fatalf("%q", x)
	}
}

func TestTextInJSON(t *testing.T) {
	type value struct{ T Text }
	b, err := json.Marshal(value{Of("a\"é")})
	if err != nil || string(b) != `{"T":"a\"é"}` {
		t.Fatalf("%s, %v", b, err)
	}
	var v value
	if err := json.Unmarshal(b, &v); err != nil || v.T.String() != "a\"é" {
		t.Fatalf("%q, %v", v.T, err)
	}
	v.T = v.T.Append("!")
	if v.T.String() != "a\"é!" {
		t.Fatalf("%q", v.T)
	}
}

// Whatever is appended to whichever of the texts there are, all of them stay
// what a plain string would be.
func TestTextsAreStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, model := []Text{{}}, []string{""}
		delta := rapid.OneOf(rapid.StringN(0, 4, -1), rapid.StringN(50, 200, -1))
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at := len(texts) - 1
			if rapid.IntRange(0, 3).Draw(t, "branch") == 0 {
				at = rapid.IntRange(0, at).Draw(t, "at")
			}
			s := delta.Draw(t, "delta")
			texts, model = append(texts, texts[at].Append(s)), append(model, model[at]+s)
		}
		for i, x := range texts {
			if x.String() != model[i] || x.Len() != len(model[i]) || !x.Equal(Of(model[i])) {
				t.Fatalf("text %d is %q, want %q", i, x, model[i])
			}
		}
	})
}

func TestC82MillionDeltas(t *testing.T) {
	const deltas, size = 1_000_000, 16
	delta := strings.Repeat("x", size-1) + "\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var held, whole Text
	for i := range deltas {
		if i == deltas/2 {
			held = whole
		}
		whole = whole.Append(delta)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4*deltas*size {
		t.Errorf("allocated %d bytes for %d", allocated, deltas*size)
	}
	if want := strings.Repeat(delta, deltas); whole.String() != want || held.String() != want[:len(want)/2] {
		t.Fatal("the text is not its deltas")
	}
}

func TestAppendAllocatesOnlyRooms(t *testing.T) {
	x := Of(strings.Repeat("x", 1<<16)).Append("y")
	if n := testing.AllocsPerRun(1000, func() { x = x.Append("abcd") }); n != 0 {
		t.Fatalf("%v allocations an append", n)
	}
}

// Many goroutines grow one prefix at once while others read it.
func TestConcurrentBranches(t *testing.T) {
	prefix := Of("").Append(strings.Repeat("p", 100))
	want := prefix.String()
	const branches, deltas = 8, 500
	grown := make([]Text, branches)
	var all sync.WaitGroup
	for i := range branches {
		all.Go(func() {
			x := prefix
			for range deltas {
				x = x.Append(string(rune('a' + i)))
				if prefix.String() != want || !strings.HasPrefix(x.String(), want) {
					t.Error("the prefix changed")
					return
				}
			}
			grown[i] = x
		})
	}
	all.Wait()
	for i, x := range grown {
		if x.String() != want+strings.Repeat(string(rune('a'+i)), deltas) {
			t.Errorf("branch %d is %q", i, x.String())
		}
	}
}

// A reader may hold a text that its writer goes on growing.
func TestReadersOfAGrowingText(t *testing.T) {
	const deltas = 2000
	versions := make(chan Text, deltas)
	go func() {
		defer close(versions)
		var x Text
		for range deltas {
			x = x.Append("ab")
			versions <- x
		}
	}()
	n := 0
	for x := range versions {
		n++
		if x.Len() != 2*n || strings.Count(x.String(), "ab") != n {
			t.Fatalf("version %d is %q", n, x.String())
		}
	}
	if n != deltas {
		t.Fatalf("%d versions", n)
	}
}
