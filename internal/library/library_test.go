package library

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/recorder"
)

// counting counts the events that are read of a journal.
type counting struct {
	journal.Journal
	read int
}

func (c *counting) Read(ctx context.Context, branch string, after int64) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		for e, err := range c.Journal.Read(ctx, branch, after) {
			c.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

func openJournal(t *testing.T, dir string) *counting {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir, sqlite.Options{Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &counting{Journal: s}
}

func openLibrary(t *testing.T, dir string, j journal.Journal) *Library {
	t.Helper()
	l, err := Open(t.Context(), dir, j, fatal(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func fatal(t *testing.T) func(error) { return func(err error) { t.Error(err) } }

// follow records events as the store does: entry and borders are kept live.
func follow(t *testing.T, l *Library, j journal.Journal, branch string, events []*steno.Event) Entry {
	t.Helper()
	e := Entry{ID: branch}
	r, err := recorder.Open(t.Context(), branch, recorder.Options{
		Journal: j,
		Committed: func(events []*steno.Event) {
			for _, ev := range events {
				e.Apply(ev)
			}
		},
		TurnEnded: func(c recorder.Checkpoint) {
			if err := l.PutCheckpoint(t.Context(), c); err != nil {
				t.Error(err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Record(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	if err := r.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	return e
}

func text(s string) *string { return &s }

// randomEvents draws what an entry and its borders are folded from.
func randomEvents(rt *rapid.T) []*steno.Event {
	pin := rapid.Bool().Draw(rt, "pin")
	events := []*steno.Event{
		{Type: steno.ConversationCreated, Body: &steno.Conversation{Format: 1, Owner: "me", Demo: rapid.Bool().Draw(rt, "demo")}},
	}
	for i := range rapid.IntRange(0, 30).Draw(rt, "events") {
		events = append(events, rapid.SampledFrom([]*steno.Event{
			{Type: steno.ConversationSettings, Body: &steno.Settings{Title: text(fmt.Sprint("title ", i))}},
			{Type: steno.ConversationSettings, Body: &steno.Settings{Model: text("m"), Pin: &pin}},
			{Type: steno.UserMessage, Text: "q"},
			{Type: steno.TurnStart},
			{Type: steno.StepStart},
			{Type: steno.TextDelta, Text: "x"},
			{Type: steno.Done},
			{Type: steno.QueueAdded, Text: "later"},
		}).Draw(rt, "event"))
	}
	return events
}

// state is everything a library holds.
func state(t *testing.T, l *Library) (entries []Entry, borders []recorder.Checkpoint) {
	t.Helper()
	entries, err := l.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for turn := range e.Turns + 1 {
			cp, err := l.Checkpoint(t.Context(), e.ID, turn)
			if err == nil {
				borders = append(borders, *cp)
			} else if !errors.Is(err, steno.ErrNotFound) {
				t.Fatal(err)
			}
		}
	}
	return entries, borders
}

// TestRebuildEqualsLive: a library made from the journals holds what one that
// was kept while they grew does, wherever it was left off.
func TestRebuildEqualsLive(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	live, behind := openLibrary(t, dir, j), openLibrary(t, t.TempDir(), j)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		defer forget(t, j, live)
		for range rapid.IntRange(1, 3).Draw(rt, "conversations") {
			n++
			follow(t, live, j, fmt.Sprint("c", n), randomEvents(rt))
			if rapid.Bool().Draw(rt, "index") {
				if err := behind.Index(t.Context(), j, fatal(t)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := behind.Index(t.Context(), j, fatal(t)); err != nil {
			t.Fatal(err)
		}
		entries, borders := state(t, live)
		again, bordersAgain := state(t, behind)
		if !reflect.DeepEqual(entries, again) {
			rt.Fatalf("entries\n%+v\nwant\n%+v", again, entries)
		}
		if !reflect.DeepEqual(borders, bordersAgain) {
			rt.Fatalf("borders\n%+v\nwant\n%+v", bordersAgain, borders)
		}
	})
}

// forget deletes all conversations.
func forget(t *testing.T, j journal.Journal, l *Library) {
	for info, err := range j.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Delete(t.Context(), info.Branch); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Index(t.Context(), j, fatal(t)); err != nil {
		t.Fatal(err)
	}
}

// turns are whole turns of an answer each.
func turns(n int) (events []*steno.Event) {
	for range n {
		events = append(events, &steno.Event{Type: steno.TurnStart}, &steno.Event{Type: steno.StepStart},
			&steno.Event{Type: steno.TextDelta, Text: "x"}, &steno.Event{Type: steno.Done})
	}
	return events
}

// TestIndexReadsOn: what is up to date is not read, what is behind from its
// last border on, and what is gone is forgotten.
func TestIndexReadsOn(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	l := openLibrary(t, dir, j)
	for _, id := range []string{"a", "b"} {
		follow(t, l, j, id, turns(50))
	}
	j.read = 0
	if err := l.Index(t.Context(), j, fatal(t)); err != nil || j.read != 0 {
		t.Errorf("%d events were read of what is up to date, %v", j.read, err)
	}
	entry, err := l.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	more := []*steno.Event{{Type: steno.Notice, Text: "n", Seq: entry.Seq + 1, Part: "0", Message: "50.9"}}
	if err := j.Append(t.Context(), "a", entry.Seq, more); err != nil {
		t.Fatal(err)
	}
	if err := l.Update(t.Context(), j, "a"); err != nil || j.read != 1 {
		t.Errorf("%d events were read for one, %v", j.read, err)
	}
	if e, err := l.Get(t.Context(), "a"); err != nil || e.Seq != entry.Seq+1 || e.Turns != 50 {
		t.Errorf("the entry is %+v, %v", e, err)
	}
	if err := j.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if err := l.Index(t.Context(), j, fatal(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Get(t.Context(), "b"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("what is gone: %v", err)
	}
	if _, err := l.Latest(t.Context(), "b"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("its borders: %v", err)
	}
	if err := l.Update(t.Context(), j, "b"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("Update of it: %v", err)
	}
}

// TestBrokenLibraryIsMadeAgain: it holds no fact of its own.
func TestBrokenLibraryIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	l := openLibrary(t, dir, j)
	want := follow(t, l, j, "a", turns(3))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	for name, harm := range map[string]func() error{
		"deleted": func() error { return os.Remove(path) },
		"overwritten": func() error {
			return os.WriteFile(path, []byte("no database at all, for long enough to be one"), 0o600)
		},
		"torn": func() error { return os.Truncate(path, 5000) },
		"of another version": func() error {
			l := openLibrary(t, dir, j)
			_, err := l.db.ExecContext(t.Context(), "PRAGMA user_version = 99")
			return errors.Join(err, l.Close())
		},
		"damaged inside": func() error {
			data, err := os.ReadFile(path)
			for i := 4096; i < len(data); i++ { // every page but the first
				data[i] ^= 0x5a
			}
			return errors.Join(err, os.WriteFile(path, data, 0o600))
		},
		"half made": func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := harm(); err != nil {
				t.Fatal(err)
			}
			l, err := Open(t.Context(), dir, j, fatal(t))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			got, err := l.Get(t.Context(), "a")
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("the entry is %+v, %v, want %+v", got, err, want)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestListOrder(t *testing.T) {
	dir := t.TempDir()
	l := openLibrary(t, dir, openJournal(t, dir))
	var want []Entry
	for i := range 20 {
		e := Entry{ID: fmt.Sprint(i), Updated: int64(i % 5), Pin: i%7 == 0}
		want = append(want, e)
		if err := l.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	Sort(want)
	if got, err := l.List(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("List gives\n%+v, %v\nSort\n%+v", got, err, want)
	}
}
