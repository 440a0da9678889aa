package lines

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno"
)

func read(r *Reader, pieces ...string) (out []string, err error) {
	emit := func(line []byte) { out = append(out, string(line)) }
	for _, p := range pieces {
		if e := r.Feed([]byte(p), emit); e != nil {
			err = e
		}
	}
	r.Close(emit)
	return out, err
}

func TestLines(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n\r\n \n", nil},
		{"a\nb\n", []string{"a", "b"}},
		{"a\r\n b \r\nc", []string{"a", "b", "c"}},
		{"a\rb\n", []string{"a\rb"}},
	}
	for _, tt := range tests {
		for i := range len(tt.in) + 1 {
			got, err := read(new(Reader), tt.in[:i], tt.in[i:])
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q cut at %d: %q, %v, want %q", tt.in, i, got, err, tt.want)
			}
		}
	}
}

func TestLineTooLarge(t *testing.T) {
	r := Reader{limit: 4}
	for _, pieces := range [][]string{{"ab\nabcde\nf\n"}, {"ab\nabc", "de\nf\n"}, {"ab\nabc", "de", "\nf"}} {
		got, err := read(&r, pieces...)
		if !errors.Is(err, steno.ErrTooLarge) || !slices.Equal(got, []string{"ab"}) {
			t.Errorf("%q: got %q, %v", pieces, got, err)
		}
	}
	if got, err := read(&r, "cd\n"); err != nil || !slices.Equal(got, []string{"cd"}) {
		t.Errorf("after Close: %q, %v", got, err)
	}
}

func TestLinesDoNotAllocate(t *testing.T) {
	r := new(Reader)
	in := []byte(strings.Repeat("0123456789\n", 100) + "abc")
	emit := func([]byte) {}
	if n := testing.AllocsPerRun(50, func() { r.Feed(in, emit) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\n\nb"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		var want []string
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				want = append(want, string(line))
			}
		}
		i := int(at) % (len(data) + 1)
		if got, err := read(new(Reader), string(data[:i]), string(data[i:])); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
