package sse_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stenolog/steno/sse"
)

type got struct {
	Name, ID, Data, Stray string
	Unterminated          bool
}

// read feeds pieces to a fresh reader and copies the events out.
func read(t testing.TB, pieces ...[]byte) []got {
	t.Helper()
	var r sse.Reader
	var out []got
	emit := func(e sse.Event) {
		out = append(out, got{string(e.Name), string(e.ID), string(e.Data), string(e.Stray), e.Unterminated})
	}
	for _, p := range pieces {
		p = bytes.Clone(p)
		if err := r.Feed(p, emit); err != nil {
			t.Fatal(err)
		}
		clear(p) // whatever the reader kept of p is now wrong
	}
	if err := r.Close(emit); err != nil {
		t.Fatal(err)
	}
	return out
}

func bytewise(p []byte) [][]byte {
	var out [][]byte
	for i := range p {
		out = append(out, p[i:i+1])
	}
	return out
}

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []got
	}{
		{"empty", "", nil},
		{"one", "data: a\n\n", []got{{Data: "a"}}},
		{"no blank after the colon", "data:a\n\n", []got{{Data: "a"}}},
		{"only one blank is taken", "data:  a \n\n", []got{{Data: " a "}}},
		{"field without colon", "data\n\n", []got{{}}},
		{"empty data", "data:\n\n", []got{{}}},
		{"two empty lines", "data\ndata\n\n", []got{{Data: "\n"}}},
		{"name, id", "event: e\nid: 7\ndata: a\n\ndata: b\n\n", []got{{Name: "e", ID: "7", Data: "a"}, {ID: "7", Data: "b"}}},
		{"id is emptied", "id: 7\ndata: a\n\nid\ndata: b\n\n", []got{{ID: "7", Data: "a"}, {Data: "b"}}},
		{"id with NUL is void", "id: 7\ndata: a\n\nid: 8\x00\ndata: b\n\n", []got{{ID: "7", Data: "a"}, {ID: "7", Data: "b"}}},
		{"event without data is none, its id counts", "event: e\nid: 7\n\ndata: b\n\n", []got{{ID: "7", Data: "b"}}},
		{"CR", "data: a\rdata: b\r\rdata: c\r\r", []got{{Data: "a\nb"}, {Data: "c"}}},
		{"CRLF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []got{{Data: "a\nb"}, {Data: "c"}}},
		{"mixed ends", "data: a\r\ndata: b\n\rdata: c\r\r\n", []got{{Data: "a\nb"}, {Data: "c"}}},
		{"comment", ": hello\ndata: a\n:\n\n", []got{{Data: "a"}}},
		{"byte order mark", "\uFEFFdata: a\n\n", []got{{Data: "a"}}},
		{"a second mark is text", "\uFEFF\uFEFFdata: a\n\n", []got{{Stray: "\uFEFFdata: a"}}},
		{"part of a mark", "\xEF\xBBdata: a\n\n", []got{{Stray: "\xEF\xBBdata: a"}}},
		{"a mark and nothing else", "\uFEFF", nil},
		{"part of a mark and nothing else", "\xEF", []got{{Stray: "\xEF"}}},
		{"stray lines", "{\"error\":1}\ndata: a\nfoo: b\n\n bar\n", []got{{Stray: `{"error":1}`}, {Stray: "foo: b"}, {Data: "a"}, {Stray: " bar"}}},
		{"fields are case sensitive", "Data: a\n\n", []got{{Stray: "Data: a"}}},
		{"unterminated event", "data: a\n", []got{{Data: "a", Unterminated: true}}},
		{"unterminated line", "event: e\nid: 9\ndata: a\ndata: b", []got{{Name: "e", ID: "9", Data: "a\nb", Unterminated: true}}},
		{"unterminated without data", "event: e", nil},
		{"terminated by CR", "data: a\r\r", []got{{Data: "a"}}},
		{"other line separators are text", "data: a\u2028b\u2029c\u0085d\x0be\x0cf\x00\n\n", []got{{Data: "a\u2028b\u2029c\u0085d\x0be\x0cf\x00"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := []byte(test.in)
			if d := cmp.Diff(test.want, read(t, in)); d != "" {
				t.Fatalf("whole: -want +got\n%s", d)
			}
			if d := cmp.Diff(test.want, read(t, bytewise(in)...)); d != "" {
				t.Errorf("bytewise: -want +got\n%s", d)
			}
			for i := range in {
				for j := i; j < len(in); j++ {
					if d := cmp.Diff(test.want, read(t, in[:i], in[i:j], in[j:])); d != "" {
						t.Fatalf("C92 cut at %d and %d: -want +got\n%s", i, j, d)
					}
				}
			}
		})
	}
}

func TestReaderRetryAndID(t *testing.T) {
	var r sse.Reader
	none := func(sse.Event) {}
	for _, test := range []struct {
		in    string
		id    string
		retry time.Duration
	}{
		{"retry: 1500\nid: 1\ndata: a\n\n", "1", 1500 * time.Millisecond},
		{"retry: x\nretry:\nretry: -1\nretry: 99999999999999999999\n\n", "1", 1500 * time.Millisecond},
		{"id: 2\ndata: half of an eve", "1", 1500 * time.Millisecond},
	} {
		if err := r.Feed([]byte(test.in), none); err != nil {
			t.Fatal(err)
		}
		if string(r.ID()) != test.id || r.Retry() != test.retry {
			t.Errorf("after %q: id %q, retry %v", test.in, r.ID(), r.Retry())
		}
	}
	// A connection that broke inside an event goes on before it.
	if err := r.Close(none); err != nil {
		t.Fatal(err)
	}
	if err := r.Feed([]byte("data: a\n\n"), func(e sse.Event) {
		if string(e.ID) != "1" {
			t.Errorf("id %q of the next stream", e.ID)
		}
	}); err != nil || string(r.ID()) != "1" {
		t.Errorf("id %q, %v", r.ID(), err)
	}
}

// TestC93LargeEvent: an event of 1 MiB in pieces of 256 bytes, and the memory
// that takes: each byte is copied at most once per doubling of two buffers.
func TestC93LargeEvent(t *testing.T) {
	payload := strings.Repeat("x", 1<<20)
	in := []byte("data: " + payload + "\n\n")
	allocs := testing.AllocsPerRun(1, func() {
		var r sse.Reader
		n := 0
		for p := range slices.Chunk(in, 256) {
			if err := r.Feed(p, func(e sse.Event) { n += len(e.Data) }); err != nil {
				t.Fatal(err)
			}
		}
		if n != len(payload) {
			t.Fatalf("%d bytes", n)
		}
	})
	if allocs > 100 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestReaderDoesNotAllocatePerEvent(t *testing.T) {
	var r sse.Reader
	in := []byte("event: e\nid: 17\ndata: {\"a\":1}\n\n: c\ndata: x\r\ndata: y\r\n\r\n")
	n := 0
	emit := func(e sse.Event) { n += len(e.Data) }
	feed := func() {
		if r.Feed(in[:20], emit) != nil || r.Feed(in[20:], emit) != nil {
			t.Fatal("error")
		}
	}
	feed()
	if allocs := testing.AllocsPerRun(100, feed); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestReaderLimit(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want int
	}{
		{"a line", "data: " + strings.Repeat("x", 100) + "\n\ndata: b\n\n", 0},
		{"a line without end", strings.Repeat("x", 101), 0},
		{"an event of many lines", "data: a\n\n" + strings.Repeat("data: 123456789\n", 11) + "\ndata: b\n\n", 1},
		{"as large as may be", "data: " + strings.Repeat("x", 94) + "\n\ndata: b\n\n", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, size := range []int{1, 7, len(test.in)} {
				var r sse.Reader
				sse.SetLimit(&r, 100)
				n := 0
				var err error
				for p := range slices.Chunk([]byte(test.in), size) {
					if err = r.Feed(p, func(sse.Event) { n++ }); err != nil {
						break
					}
				}
				if n != test.want {
					t.Errorf("pieces of %d: %d events, want %d", size, n, test.want)
				}
				if test.want == 2 {
					if err != nil {
						t.Error(err)
					}
					continue
				}
				if !errors.Is(err, sse.ErrTooLarge) || !strings.Contains(err.Error(), "100") {
					t.Errorf("pieces of %d: error %v", size, err)
				}
				if again := r.Feed([]byte("data: b\n\n"), nil); !errors.Is(again, sse.ErrTooLarge) {
					t.Errorf("the error is not final: %v", again)
				}
				if closing := r.Close(nil); !errors.Is(closing, sse.ErrTooLarge) {
					t.Errorf("Close: %v", closing)
				}
			}
		})
	}
}

func TestWriter(t *testing.T) {
	out, err := sse.Append(nil, sse.Event{Name: []byte("e"), ID: []byte("b:7"), Data: []byte(`{"a":1}`)})
	if want := "id: b:7\nevent: e\ndata: {\"a\":1}\n\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v", out, err)
	}
	if got := string(sse.AppendComment(nil, "a\nb\r\nc")); got != ": a b  c\n\n" {
		t.Errorf("comment %q", got)
	}
	if got := string(sse.AppendRetry(nil, 1500*time.Millisecond)); got != "retry: 1500\n\n" {
		t.Errorf("retry %q", got)
	}
	if got := string(sse.AppendRetry(nil, -time.Second)); got != "retry: 0\n\n" {
		t.Errorf("retry %q", got)
	}
	for _, e := range []sse.Event{
		{Data: []byte("a\nb")},
		{Data: []byte("a\r")},
		{Name: []byte("\n")},
		{ID: []byte("1\r2")},
		{ID: []byte("1\x002")},
	} {
		if out, err := sse.Append([]byte("x"), e); !errors.Is(err, sse.ErrLine) || string(out) != "x" {
			t.Errorf("%+v: %q, %v", e, out, err)
		}
	}
}

// TestWrittenIsRead: what Append takes, Feed gives back, in any cutting.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			return strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(rapid.String().Draw(t, "line"))
		})
		var stream []byte
		var want, have []got
		id := ""
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			e := got{Name: line.Draw(t, "name"), ID: line.Draw(t, "id"), Data: line.Draw(t, "data")}
			var err error
			if stream, err = sse.Append(stream, sse.Event{Name: []byte(e.Name), ID: []byte(e.ID), Data: []byte(e.Data)}); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "comment") {
				stream = sse.AppendComment(stream, rapid.String().Draw(t, "text"))
			}
			if e.ID == "" {
				e.ID = id
			}
			id = e.ID
			want = append(want, e)
		}
		var r sse.Reader
		for len(stream) > 0 {
			n := rapid.IntRange(1, len(stream)).Draw(t, "cut")
			if err := r.Feed(stream[:n], func(e sse.Event) {
				have = append(have, got{string(e.Name), string(e.ID), string(e.Data), string(e.Stray), e.Unterminated})
			}); err != nil {
				t.Fatal(err)
			}
			stream = stream[n:]
		}
		if d := cmp.Diff(want, have); d != "" {
			t.Fatal(d)
		}
	})
}

func shared(t testing.TB, name string) []byte {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	p, err := os.ReadFile(filepath.Join(root, name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the shared cases are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestG01CutLineEnds(t *testing.T) {
	in := shared(t, "cases/give/G01/wire.sse")
	want := read(t, in)
	if len(want) != 7 {
		t.Fatalf("%d events", len(want))
	}
	for _, e := range want {
		if !json.Valid([]byte(e.Data)) || e.Stray != "" {
			t.Errorf("%+v", e)
		}
	}
	if d := cmp.Diff(want, read(t, bytewise(in)...)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, read(t, bytes.SplitAfter(in, []byte("\r"))...)); d != "" {
		t.Error(d)
	}
}

func TestG02LongLine(t *testing.T) {
	in := shared(t, "cases/give/G02/wire.sse")
	whole := read(t, in)
	largest := 0
	for _, e := range whole {
		largest = max(largest, len(e.Data))
	}
	if largest < 81920 || whole[len(whole)-1].Data != "[DONE]" {
		t.Errorf("%d events, largest %d, last %q", len(whole), largest, whole[len(whole)-1].Data)
	}
	if d := cmp.Diff(whole, read(t, bytewise(in)...)); d != "" {
		t.Error(d)
	}
}

func TestG04PayloadsAreNotForged(t *testing.T) {
	var payloads, have []string
	if err := json.Unmarshal(shared(t, "cases/give/G04/payloads.json"), &payloads); err != nil {
		t.Fatal(err)
	}
	var stream []byte
	for _, p := range payloads {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if stream, err = sse.Append(stream, sse.Event{Data: line}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range read(t, bytewise(stream)...) {
		var p string
		if err := json.Unmarshal([]byte(e.Data), &p); err != nil || e.Name != "" || e.ID != "" || e.Stray != "" {
			t.Errorf("%+v: %v", e, err)
		}
		have = append(have, p)
	}
	if d := cmp.Diff(payloads, have); d != "" {
		t.Error(d)
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{"", "data: a\r\n\r\nevent: b\rid: 1\rdata: c\r\r", "\uFEFFdata\n\n:x\nfoo\ndata: y", "\xef\xbbretry: 5\n\n"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		want := read(t, in)
		if d := cmp.Diff(want, read(t, bytewise(in)...)); d != "" {
			t.Fatalf("bytewise: %s", d)
		}
		var pieces [][]byte
		for p := range slices.Chunk(in, int(size)+1) {
			pieces = append(pieces, p)
		}
		if d := cmp.Diff(want, read(t, pieces...)); d != "" {
			t.Fatalf("pieces: %s", d)
		}
		total := 0
		for _, e := range want {
			total += len(e.Data) + len(e.Stray)
		}
		if total > len(in) {
			t.Errorf("%d bytes out of %d", total, len(in))
		}
	})
}
