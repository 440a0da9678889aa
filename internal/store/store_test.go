package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir, Write: true, Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func create(t *testing.T, s *Store, title string) string {
	t.Helper()
	c, err := s.Create(t.Context(), api.NewConversation{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

const format = "openai-chat"

func delta(s string) string {
	return fmt.Sprintf("data: {\"id\":\"1\",\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", s)
}

const stop = "data: {\"id\":\"1\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

func say(t *testing.T, s *Store, id, text string) *api.Recorded {
	t.Helper()
	r, err := s.Record(t.Context(), id, format, strings.NewReader(delta(text)+stop))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func texts(t *testing.T, s *Store, id string) string {
	t.Helper()
	f, err := s.Messages(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range f.Messages {
		for _, c := range m.Chunks {
			fmt.Fprintf(&b, "%v|", c)
		}
	}
	return b.String()
}

func TestRecord(t *testing.T) {
	s := open(t, t.TempDir())
	id := create(t, s, "one")
	r := say(t, s, id, "hello")
	if r.Finish != steno.FinishComplete || r.First != 3 || r.Last <= r.First || r.Bytes == 0 {
		t.Errorf("recorded %+v", r)
	}
	if got := texts(t, s, id); !strings.Contains(got, "hello") {
		t.Errorf("messages are %s", got)
	}
	c, err := s.Get(t.Context(), id)
	if err != nil || c.Turns != 1 || c.Title != "one" || c.Running || c.Head != r.Last {
		t.Errorf("conversation %+v, %v", c, err)
	}
	if _, err := s.Record(t.Context(), "none", format, strings.NewReader("")); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("to none: %v", err)
	}
	if _, err := s.Record(t.Context(), id, "no-format", strings.NewReader("")); err == nil {
		t.Error("an unknown format was taken")
	}
}

// TestOneFeedsAtATime: a second answer while one comes is refused, and a
// reader that breaks off keeps what came.
func TestOneFeedsAtATime(t *testing.T) {
	s := open(t, t.TempDir())
	id := create(t, s, "")
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Record(t.Context(), id, format, r)
		done <- err
	}()
	if _, err := io.WriteString(w, delta("half")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(t.Context(), id, format, strings.NewReader(stop)); !errors.Is(err, steno.ErrConflict) {
		t.Errorf("a second answer: %v", err)
	}
	broken := errors.New("connection reset")
	w.CloseWithError(broken)
	if err := <-done; !errors.Is(err, broken) {
		t.Errorf("the first: %v", err)
	}
	if got := texts(t, s, id); !strings.Contains(got, "half") {
		t.Errorf("messages are %s", got)
	}
	say(t, s, id, "next")
}

// TestG45 deletes a conversation while its answer streams: what comes later
// brings nothing back, others work, and it stays deleted after a restart.
func TestG45(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id, other := create(t, s, "gone"), create(t, s, "other")
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Record(t.Context(), id, format, r)
		r.CloseWithError(err)
		done <- err
	}()
	for i := range 3 {
		if _, err := io.WriteString(w, delta(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if _, err := io.WriteString(w, delta(fmt.Sprint(i))); err != nil {
			break
		}
	}
	w.Close()
	if err := <-done; err == nil {
		t.Error("the deleted answer ended well")
	}
	say(t, s, other, "works")
	for range 2 {
		list, err := s.List(t.Context())
		if err != nil || len(list) != 1 || list[0].ID != other {
			t.Errorf("the list is %+v, %v", list, err)
		}
		if _, _, err := s.View(t.Context(), id); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("its view: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
	}
}

// TestComingAndGoing opens, deletes and ends conversations from many
// goroutines: no writer ever meets another, and nothing deleted comes back.
func TestComingAndGoing(t *testing.T) {
	s := open(t, t.TempDir())
	id := create(t, s, "stays")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				_, release, err := s.View(t.Context(), id)
				if err != nil {
					t.Error(err)
					return
				}
				release()
			}
		})
		wg.Go(func() {
			for range 3 {
				other, err := s.Create(t.Context(), api.NewConversation{})
				if err != nil {
					t.Error(err)
					return
				}
				_, release, err := s.View(t.Context(), other.ID)
				if err == nil {
					defer release()
				}
				if err := s.Delete(t.Context(), other.ID); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 10 { // as its timer would
				s.mu.Lock()
				c := s.mu.open[id]
				s.mu.Unlock()
				if c != nil {
					if err := c.end(true); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	say(t, s, id, "still works")
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

// TestCloseEndsTurns: a store that is closed in the middle of an answer leaves
// no turn open.
func TestCloseEndsTurns(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := create(t, s, "")
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Record(t.Context(), id, format, r)
		done <- err
	}()
	if _, err := io.WriteString(w, delta("half")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(texts(t, s, id), "half") })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	w.Close()
	<-done
	read, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	f, err := read.Messages(t.Context(), id)
	if err != nil || f.End != steno.FinishInterrupted {
		t.Errorf("it ended as %q, %v", f.End, err)
	}
	if _, err := read.Create(t.Context(), api.NewConversation{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a store open to read created: %v", err)
	}
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for range 1000 {
		if ready() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("it did not come")
}
