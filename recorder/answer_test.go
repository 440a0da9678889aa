package recorder

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/blob"
	"github.com/stenolog/steno/wire/formats"
)

// recordings are answers in several providers' formats.
func recordings(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../internal/player/recordings/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := make(map[string][]byte)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = data
	}
	return all
}

// rawBytes joins the blobs that the events name, in order.
func rawBytes(t *testing.T, blobs *blob.Store, events []*steno.Event) []byte {
	t.Helper()
	var all strings.Builder
	for _, e := range events {
		if s, ok := e.Body.(*steno.Step); ok && s.Raw != "" {
			all.WriteString(blobText(t, blobs, s.Raw))
		}
	}
	return []byte(all.String())
}

func answer(t *testing.T, r *Recorder, data []byte, cuts []int) {
	t.Helper()
	a := r.Answer(t.Context(), &formats.Auto{})
	from := 0
	for _, cut := range append(cuts, len(data)) {
		if n, err := a.Write(data[from:cut]); err != nil || n != cut-from {
			t.Fatalf("Write: %d, %v", n, err)
		}
		from = cut
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := a.Write([]byte("x")); !errors.Is(err, steno.ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
}

// TestRawBytesComeBack: the bytes of an answer are kept exactly, however they
// were cut, also where several answers follow each other or one breaks off.
func TestRawBytesComeBack(t *testing.T) {
	all := recordings(t)
	names := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(rt *rapid.T) {
		whole := all[rapid.SampledFrom(names).Draw(rt, "recording")]
		if rapid.Bool().Draw(rt, "broken off") {
			whole = whole[:rapid.IntRange(1, len(whole)).Draw(rt, "end")]
		}
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(whole)), 0, 20).Draw(rt, "cuts")
		slices.Sort(cuts)
		j, blobs := &memory{}, blob.New(t.TempDir())
		r := open(t, Options{Journal: j, Blobs: blobs})
		record(t, r, ev(steno.TurnStart))
		answer(t, r, whole, cuts)
		record(t, r, ev(steno.Done))
		closed(t, r)
		if got := rawBytes(t, blobs, j.events[branch]); !bytes.Equal(got, whole) {
			rt.Fatalf("%d bytes came back of %d", len(got), len(whole))
		}
		if left, err := blobs.Streams(); len(left) > 0 || err != nil {
			rt.Fatalf("streams are left: %v, %v", left, err)
		}
	})
}

// TestSalvage: an answer that a crash cut keeps what was on disk of its bytes,
// and its turn is ended; streams of other branches are left alone.
func TestSalvage(t *testing.T) {
	dir := t.TempDir()
	blobs := blob.New(dir)
	j := &memory{}
	r := open(t, Options{Journal: j, Blobs: blobs})
	record(t, r, ev(steno.TurnStart))
	data := bytes.Repeat([]byte(`data: {"id":"1","choices":[{"delta":{"content":"some text "}}]}`+"\n\n"), 3000)
	a := r.Answer(t.Context(), &formats.Auto{})
	if _, err := a.Write(data); err != nil {
		t.Fatal(err)
	}
	flush(t, r)
	// The process dies here: the answer is not closed, the recorder neither.
	for _, other := range []string{branch + ".x", branch + ".1.1", "other.1"} {
		s, err := blobs.Stream(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write([]byte("theirs")); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fork := &memory{events: map[string][]*steno.Event{branch: j.events[branch]}}
	again := open(t, Options{Journal: fork, Blobs: blob.New(dir)})
	got := rawBytes(t, blobs, fork.events[branch])
	if kept := len(data) / blob.BlockSize * blob.BlockSize; len(got) != kept || !bytes.HasPrefix(data, got) {
		t.Errorf("%d bytes were salvaged of %d, want the %d in whole blocks", len(got), len(data), kept)
	}
	left, err := blobs.Streams()
	if err != nil || len(left) != 3 {
		t.Errorf("streams left: %v, %v", left, err)
	}
	ends := fork.of(branch, steno.TurnEnd)
	if len(ends) != 1 || ends[0].Body.(*steno.Turn).Reason != steno.FinishInterrupted {
		t.Errorf("ends: %v", ends)
	}
	record(t, again, ev(steno.TurnStart))
	answer(t, again, []byte("data: [DONE]\n\n"), nil)
	flush(t, again)
}

// TestAnswerFails: when nothing can be recorded any more Write says so, and
// what came stays on disk for the next Open.
func TestAnswerFails(t *testing.T) {
	full := errors.New("full")
	j, blobs := &memory{}, blob.New(t.TempDir())
	r := open(t, Options{Journal: j, Blobs: blobs})
	record(t, r, ev(steno.TurnStart))
	a := r.Answer(t.Context(), &formats.Auto{})
	chunk := []byte(`data: {"id":"1","choices":[{"delta":{"content":"x"}}]}` + "\n\n")
	if _, err := a.Write(chunk); err != nil {
		t.Fatal(err)
	}
	j.mu.Lock()
	j.fail = full
	j.mu.Unlock()
	_ = r.Sync(t.Context())
	var err error
	for err == nil {
		_, err = a.Write(chunk)
	}
	if !errors.Is(err, full) || !errors.Is(err, steno.ErrClosed) {
		t.Errorf("Write returned %v", err)
	}
	if err := a.Close(); !errors.Is(err, full) {
		t.Errorf("Close returned %v", err)
	}
	j.fail = nil
	open(t, Options{Journal: j, Blobs: blobs})
	if got := rawBytes(t, blobs, j.events[branch]); !bytes.HasPrefix(got, chunk) {
		t.Errorf("kept is %q", got)
	}
}

// TestAnswerWithoutBlobs: the events are all there, the bytes are not.
func TestAnswerWithoutBlobs(t *testing.T) {
	for name, data := range recordings(t) {
		with, without := &memory{}, &memory{}
		for j, blobs := range map[*memory]*blob.Store{with: blob.New(t.TempDir()), without: nil} {
			r := open(t, Options{Journal: j, Blobs: blobs})
			answer(t, r, data, nil)
			closed(t, r)
			for _, e := range j.events[branch] {
				if s, ok := e.Body.(*steno.Step); ok {
					c := *s
					c.Raw = ""
					e.Body = &c
				}
				e.At = 0
			}
		}
		got, want := types(without.events[branch]), types(with.events[branch])
		if got != want {
			t.Errorf("%s: without blobs\n%s\nwith\n%s", name, got, want)
		}
	}
}

// types lists the types of events; a usage that only names raw bytes is none.
func types(events []*steno.Event) string {
	var b strings.Builder
	for _, e := range events {
		if s, ok := e.Body.(*steno.Step); ok && e.Type == steno.Usage && len(s.Usage) == 0 {
			continue
		}
		b.WriteString(e.Type.String() + " " + e.Text + "\n")
	}
	return b.String()
}

// TestAnswerContext: an answer ends with its context.
func TestAnswerContext(t *testing.T) {
	j, blobs := &memory{gate: make(chan struct{})}, blob.New(t.TempDir())
	r := open(t, Options{Journal: j, Blobs: blobs})
	ctx, cancel := context.WithCancel(t.Context())
	a := r.Answer(ctx, &formats.Auto{})
	chunk := []byte(`data: {"id":"1","choices":[{"delta":{"content":"` + strings.Repeat("x", 64<<10) + `"}}]}` + "\n\n")
	cancel()
	var err error
	for err == nil { // until it blocks
		_, err = a.Write(chunk)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Write returned %v", err)
	}
	if err := a.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close returned %v", err)
	}
	close(j.gate)
}
