package recorder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/blob"
	"github.com/stenolog/steno/journal/sqlite"
)

// withCall records a turn up to a call that runs.
func withCall(t *testing.T, r *Recorder) {
	t.Helper()
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart),
		&steno.Event{Type: steno.ToolStart, Call: "c", Name: "t"}, &steno.Event{Type: steno.ToolCall, Call: "c", Text: "{}"})
}

func blobText(t *testing.T, s *blob.Store, name string) string {
	t.Helper()
	f, err := s.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLargeBodies: what is larger than MaxBody is a blob that its event names;
// of a text the event keeps a beginning that ends at a character.
func TestLargeBodies(t *testing.T) {
	long := strings.Repeat("é", MaxBody) // no character ends at MaxBody+1
	short := strings.Repeat("s", MaxBody)
	raw := `"` + long + `"`
	for name, c := range map[string]struct {
		event *steno.Event
		want  string // in the blob, "" for none
		kept  int    // of the text
		get   func(*steno.Event) string
	}{
		"result": {
			&steno.Event{Type: steno.ToolResult, Call: "c", Text: "x" + long}, "x" + long, MaxBody - 1,
			func(e *steno.Event) string { return e.Body.(*steno.Result).Blob },
		},
		"result that fits": {
			&steno.Event{Type: steno.ToolResult, Call: "c", Text: short}, "", MaxBody,
			func(e *steno.Event) string { b, _ := e.Body.(*steno.Result); return blobOf(b) },
		},
		"raw result": {
			&steno.Event{Type: steno.ToolResult, Call: "c", Body: &steno.Result{Raw: []byte(raw)}}, raw, 0,
			func(e *steno.Event) string { return e.Body.(*steno.Result).Blob },
		},
		"image in a result": {
			&steno.Event{Type: steno.ToolResult, Call: "c", Body: &steno.Result{Parts: []steno.Content{{Kind: "image", Data: []byte("png")}}}}, "png", 0,
			func(e *steno.Event) string { return e.Body.(*steno.Result).Parts[0].Blob },
		},
		"output": {
			&steno.Event{Type: steno.ToolOutput, Call: "c", Text: long}, long, MaxBody,
			func(e *steno.Event) string { return e.Body.(*steno.Output).Blob },
		},
		"bytes of output": {
			&steno.Event{Type: steno.ToolOutput, Call: "c", Body: &steno.Output{Stream: "stderr", Data: []byte(long)}}, long, 0,
			func(e *steno.Event) string { return e.Body.(*steno.Output).Blob },
		},
		"file": {
			&steno.Event{Type: steno.File, Name: "f", Body: &steno.Block{Media: "image/png", Data: []byte("bytes")}}, "bytes", 0,
			func(e *steno.Event) string { return e.Body.(*steno.Block).Blob },
		},
		"opaque block": {
			&steno.Event{Type: steno.Opaque, Body: &steno.Block{Raw: []byte(raw)}}, raw, 0,
			func(e *steno.Event) string { return e.Body.(*steno.Block).Blob },
		},
		"file of a person": {
			&steno.Event{Type: steno.UserMessage, Body: &steno.UserInput{Queued: true, Parts: []steno.Content{{Kind: "file", Data: []byte("pdf")}}}}, "pdf", 0,
			func(e *steno.Event) string { return e.Body.(*steno.UserInput).Parts[0].Blob },
		},
	} {
		t.Run(name, func(t *testing.T) {
			j, blobs := &memory{}, blob.New(t.TempDir())
			r := open(t, Options{Journal: j, Blobs: blobs})
			withCall(t, r)
			record(t, r, c.event)
			flush(t, r)
			kind := c.event.Type
			if kind == steno.UserMessage {
				kind = steno.QueueAdded
			}
			got := j.of(branch, kind)[0]
			if len(got.Text) != c.kept || !strings.HasPrefix(c.event.Text, got.Text) {
				t.Errorf("the event keeps %d bytes of text, want %d", len(got.Text), c.kept)
			}
			name := c.get(got)
			if c.want == "" && name == "" {
				return
			}
			if text := blobText(t, blobs, name); text != c.want {
				t.Errorf("the blob has %d bytes, want %d", len(text), len(c.want))
			}
		})
	}
}

func blobOf(r *steno.Result) string {
	if r == nil {
		return ""
	}
	return r.Blob
}

// TestG40 streams 20,000 deltas into a message that holds 50 parts and one
// result of 5 MB: on disk is the text once, at most 200 bytes a delta and the
// result once, and deleting gives it back.
func TestG40(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 commits take a while")
	}
	const deltas, size = 20_000, 5 << 20
	dir := t.TempDir()
	s := openStore(t, dir)
	blobs := blob.New(filepath.Join(dir, "blobs"))
	r := open(t, Options{Journal: s, Blobs: blobs})
	record(t, r, ev(steno.TurnStart), ev(steno.StepStart))
	for i := range 50 {
		record(t, r, &steno.Event{Type: steno.TextDelta, Block: fmt.Sprint("b", i), Text: "part"})
	}
	result := noise(size)
	record(t, r, &steno.Event{Type: steno.ToolStart, Call: "c", Name: "t"}, &steno.Event{Type: steno.ToolCall, Call: "c", Text: "{}"},
		&steno.Event{Type: steno.ToolResult, Call: "c", Text: result})
	for i := range deltas {
		record(t, r, &steno.Event{Type: steno.TextDelta, Block: "last", Text: "12345"})
		if i%10 == 0 { // commits of few, as while it streams
			flush(t, r)
		}
	}
	closed(t, r)
	if err := s.Close(); err != nil { // it writes its log back
		t.Fatal(err)
	}
	journal, _ := diskSize(t, dir, "blobs")
	if limit := int64(deltas*(200+5) + 2*MaxBody + 64<<10); journal > limit {
		t.Errorf("the journal takes %d bytes, at most %d", journal, limit)
	}
	_, large := diskSize(t, dir, "blobs")
	if large > size+size/10 {
		t.Errorf("the blobs take %d bytes for a result of %d", large, size)
	}
	t.Logf("%d bytes of journal, %d of blobs", journal, large)
	s = openStore(t, dir)
	r = open(t, Options{Journal: s, Blobs: blobs})
	closed(t, r)
	if err := s.Delete(t.Context(), branch); err != nil {
		t.Fatal(err)
	}
	if left, _ := diskSize(t, dir, "blobs"); left > 200<<10 {
		t.Errorf("a deleted branch leaves %d bytes", left)
	}
}

// openStore opens a store that is closed with the test.
func openStore(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir, sqlite.Options{Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// noise is text that does not pack well.
func noise(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = 33 + byte(x>>24)%90
	}
	return string(b)
}

// diskSize returns the bytes of the files in dir, and of those below sub.
func diskSize(t *testing.T, dir, sub string) (rest, below int64) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		if strings.HasPrefix(path, filepath.Join(dir, sub)) {
			below += info.Size()
		} else {
			rest += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rest, below
}
