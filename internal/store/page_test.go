package store

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/view"
)

// get asks a conversation's view.
func get(t *testing.T, s *Store, id, target string) *httptest.ResponseRecorder {
	t.Helper()
	h, release, err := s.View(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	out := httptest.NewRecorder()
	if err := h(out, httptest.NewRequest(http.MethodGet, target, nil)); err != nil {
		out.WriteHeader(catalogue.Of(err).Status)
	}
	return out
}

// ask records turns in which a person asks and the agent answers.
func ask(t *testing.T, s *Store, id string, from, to int) {
	t.Helper()
	c, err := s.acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer c.release()
	for i := from; i <= to; i++ {
		err := c.recorder.Record(t.Context(),
			&steno.Event{Type: steno.UserMessage, Text: fmt.Sprint("question ", i)}, &steno.Event{Type: steno.TurnStart},
			&steno.Event{Type: steno.StepStart}, &steno.Event{Type: steno.ReasoningDelta, Text: "hm"},
			&steno.Event{Type: steno.TextDelta, Text: fmt.Sprint("answer ", i)}, &steno.Event{Type: steno.StepEnd}, &steno.Event{Type: steno.Done})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.recorder.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestPages: every turn that has ended is a page that never changes; all pages
// in a row are the whole conversation.
func TestPages(t *testing.T) {
	s := open(t, t.TempDir())
	id := create(t, s, "")
	ask(t, s, id, 1, 7)
	var joined view.Replica
	for turn := 1; turn <= 7; turn++ {
		out := get(t, s, id, fmt.Sprint("/pages/", turn))
		if out.Code != http.StatusOK || out.Header().Get("Cache-Control") != "private, max-age=31536000, immutable" {
			t.Fatalf("page %d: %d %v", turn, out.Code, out.Header())
		}
		if err := joined.Apply(out.Body.Bytes()); err != nil {
			t.Fatal(err)
		}
		if joined.Window.First != uint32(turn) || joined.Window.Older != (turn > 1) {
			t.Errorf("page %d has window %+v", turn, joined.Window)
		}
	}
	if got, want := canonical(t, &joined), snapshot(t, s, id); got != want {
		t.Errorf("the pages are\n%s\nthe whole is\n%s", got, want)
	}
	before := get(t, s, id, "/pages/7").Body.String()
	c, err := s.acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer c.release()
	if err := c.recorder.Record(t.Context(), &steno.Event{Type: steno.UserMessage, Text: "more"}, &steno.Event{Type: steno.TurnStart}); err != nil {
		t.Fatal(err)
	}
	if err := c.recorder.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := get(t, s, id, "/pages/7").Body.String(); after != before {
		t.Error("the page of an ended turn changed")
	}
	for target, want := range map[string]int{
		"/pages/8": http.StatusConflict, "/pages/9": http.StatusNotFound, "/pages/0": http.StatusNotFound,
		"/pages/x": http.StatusNotFound, "/pages/-1": http.StatusNotFound, "/snapshot?window=0": http.StatusBadRequest,
	} {
		if got := get(t, s, id, target).Code; got != want {
			t.Errorf("%s is answered %d, want %d", target, got, want)
		}
	}
}

func canonical(t *testing.T, r *view.Replica) string {
	t.Helper()
	b, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// snapshot is what the largest window shows.
func snapshot(t *testing.T, s *Store, id string) string {
	t.Helper()
	var r view.Replica
	if err := r.Apply(get(t, s, id, "/snapshot?window=200").Body.Bytes()); err != nil {
		t.Fatal(err)
	}
	return canonical(t, &r)
}

// TestOpeningCostsTheWindow: of a conversation of 1,000 turns only the events
// behind the window's border are folded, and what it shows is the same.
func TestOpeningCostsTheWindow(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := create(t, s, "")
	ask(t, s, id, 1, 1000)
	want := snapshot(t, s, id)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	border, err := s.border(t.Context(), id)
	if err != nil || border.Turn != 1000-openWindow {
		t.Fatalf("it opens at %+v, %v", border, err)
	}
	if got := snapshot(t, s, id); got != want {
		t.Errorf("opened again it shows\n%.3000s\nwant\n%.3000s", got, want)
	}
	c, err := s.acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer c.release()
	head, err := c.recorder.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What was folded is what stands behind the border, of 1,000 turns of 12 events.
	if events := head - border.Seq; events > openWindow*13 {
		t.Errorf("%d events of %d are folded", events, head)
	}
	var page view.Replica
	if err := page.Apply(get(t, s, id, "/pages/500").Body.Bytes()); err != nil || len(page.Nodes("messages")) != 2 {
		t.Errorf("page 500 has %d messages, %v", len(page.Nodes("messages")), err)
	}
}
