package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/sqlite"
)

// The budgets of a store, in bytes. A delta costs what it takes in a run of its
// own; text is counted apart.
const (
	perDelta   = 200
	perSegment = 2 // times the text
	overhead   = 64 << 10
)

// diskBytes returns the size of all files of a store.
func diskBytes(t *testing.T, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == sqlite.FileName+"-shm" {
			continue // an index in memory, which is made anew at each opening
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

// answer is a turn in events: parts finished text parts, a tool whose result
// is a blob, and then deltas of size bytes of text that does not compress well.
func answer(parts, deltas, size int) (events []*steno.Event) {
	random := rand.New(rand.NewPCG(1, 2))
	at := int64(1_700_000_000_000)
	add := func(e steno.Event) {
		e.Seq, e.At = int64(len(events))+1, at
		e.Turn, e.Message = 1, "2"
		at += 10 + random.Int64N(30)
		events = append(events, &e)
	}
	add(steno.Event{Type: steno.TurnStart})
	for p := range parts {
		part := fmt.Sprint(p)
		add(steno.Event{Type: steno.TextStart, Step: 1, Attempt: 1, Part: part, Block: part})
		add(steno.Event{Type: steno.TextDelta, Step: 1, Attempt: 1, Part: part, Block: part, Text: "finished"})
		add(steno.Event{Type: steno.TextEnd, Step: 1, Attempt: 1, Part: part, Block: part})
	}
	add(steno.Event{Type: steno.ToolResult, Step: 1, Attempt: 1, Part: "0", Call: "toolu_01", Body: &steno.Result{
		Outcome: steno.OutcomeOK, Blob: fmt.Sprintf("%064x", 1), Truncated: &steno.Truncation{Total: 5 << 20},
	}})
	text := make([]byte, size)
	for range deltas {
		for i := range text {
			text[i] = "abcdefghijklmnopqrstuvwxyz    "[random.IntN(30)]
		}
		add(steno.Event{Type: steno.TextDelta, Step: 1, Attempt: 1, Part: "50", Block: "50", Text: string(text)})
	}
	return events
}

// stream appends events, perCommit to a commit.
func stream(t *testing.T, s *sqlite.Store, branch string, events []*steno.Event, perCommit int) {
	t.Helper()
	for at := 0; at < len(events); at += perCommit {
		end := min(at+perCommit, len(events))
		if err := s.Append(t.Context(), branch, int64(at), events[at:end]); err != nil {
			t.Fatal(err)
		}
	}
}

// written returns the bytes of a closed store with one answer in it.
func written(t *testing.T, events []*steno.Event, perCommit int) int64 {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir, sqlite.Options{Relaxed: true})
	stream(t, s, "a", events, perCommit)
	if err := s.Close(); err != nil { // closing writes the log back
		t.Fatal(err)
	}
	return diskBytes(t, dir)
}

func TestG40BytesWhileOpen(t *testing.T) {
	half := written(t, answer(50, 10_000, 5), 1)
	whole := written(t, answer(50, 20_000, 5), 1)
	t.Logf("10,000 deltas: %d bytes; 20,000: %d, %d a delta", half, whole, whole/20_000)
	if limit := int64(20_000*(perDelta+5) + overhead); whole > limit {
		t.Errorf("%d bytes, at most %d", whole, limit)
	}
	if ratio := float64(whole) / float64(half); ratio >= 2.2 {
		t.Errorf("twice the deltas take %.2f times the bytes", ratio)
	}
}

// TestSegmentBytes packs answers of 100 KB in small deltas and of 10 MB and
// checks the file, then that deleting gives all of it back.
func TestSegmentBytes(t *testing.T) {
	for _, c := range []struct {
		name                    string
		deltas, size, perCommit int
	}{
		{"G40", 20_000, 5, 1},
		{"10 MB", 200_000, 50, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.deltas > 100_000 {
				t.Skip("10 MB take a while")
			}
			dir := t.TempDir()
			s := open(t, dir, sqlite.Options{Relaxed: true})
			empty := diskBytes(t, dir)
			events := answer(50, c.deltas, c.size)
			stream(t, s, "a", events, c.perCommit)
			if err := s.Compact(t.Context(), "a", int64(len(events))); err != nil {
				t.Fatal(err)
			}
			text := int64(c.deltas * c.size)
			got := diskBytes(t, dir)
			t.Logf("%d bytes of text take %d, %.2f times", text, got, float64(got)/float64(text))
			if limit := perSegment * text; got > limit {
				t.Errorf("%d bytes, at most %d", got, limit)
			}
			if info := infoOf(t, s, "a"); info.Bytes <= 0 || info.Bytes > got {
				t.Errorf("list says %d bytes of %d", info.Bytes, got)
			}
			count := int64(0)
			for e, err := range s.Read(t.Context(), "a", 0) {
				if err != nil {
					t.Fatal(err)
				}
				if want := events[count]; e.Seq != want.Seq || e.At != want.At || e.Text != want.Text {
					t.Fatalf("event %d came back as %+v", want.Seq, e)
				}
				count++
			}
			if count != int64(len(events)) {
				t.Errorf("%d events, want %d", count, len(events))
			}
			if err := s.Delete(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			if left := diskBytes(t, dir); left > empty+overhead {
				t.Errorf("%d bytes are left of %d, an empty store has %d", left, got, empty)
			}
		})
	}
}

func infoOf(t *testing.T, s *sqlite.Store, branch string) journal.Info {
	t.Helper()
	for info, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Branch == branch {
			return info
		}
	}
	t.Fatalf("no branch %s", branch)
	return journal.Info{}
}

// TestDeleteGivesBack deletes one of two branches that were never packed.
func TestDeleteGivesBack(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, sqlite.Options{Relaxed: true})
	stream(t, s, "a", answer(0, 20_000, 50), 10)
	stream(t, s, "b", answer(0, 2_000, 50), 10)
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	kept := infoOf(t, s, "b").Bytes
	if left := diskBytes(t, dir); left > 2*kept+overhead {
		t.Errorf("%d bytes are left, branch b takes %d", left, kept)
	}
	wal, err := os.Stat(filepath.Join(dir, sqlite.FileName+"-wal"))
	if err == nil && wal.Size() > 0 {
		t.Errorf("the log still has %d bytes", wal.Size())
	}
}
