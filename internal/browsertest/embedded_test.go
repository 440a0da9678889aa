package browsertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/recorder"
	"github.com/stenolog/steno/view"
	"github.com/stenolog/steno/web"
)

// A program that embeds the page and one view has no list and no player: the
// conversation in the address has the whole width, the front page says how to
// get to it.
func TestEmbeddedAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := sqlite.Open(ctx, t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rec, err := recorder.Open(ctx, "hello", recorder.Options{Journal: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close(ctx) })
	live, stop, err := view.Follow(ctx, rec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	mux := http.NewServeMux()
	mux.Handle("/v1/conversations/hello/view", live)
	mux.Handle("/", web.Handler())
	server := httptest.NewServer(mux)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })

	p := newPage(t, nil)
	for _, width := range []int64{1200, 390} {
		p.size(width, 800)
		p.navigate(server.URL + "/c/hello")
		if err := rec.Record(ctx, &steno.Event{Type: steno.UserMessage, Text: "is it there?"}); err != nil {
			t.Fatal(err)
		}
		p.wait("the conversation is shown", `document.querySelector('[data-ready=true]')?.textContent.includes('is it there?')`)
		p.wait("nothing is beside it", `!document.querySelector('[data-testid=list], .back') && document.querySelector('main').getBoundingClientRect().width === innerWidth`)
		p.navigate(server.URL + "/")
		p.wait("the front page says so", `document.querySelector('[data-testid=empty] h1')?.textContent === 'One conversation at a time' && probe.onScreen(document.querySelector('h1'))`)
		if eval[bool](p, `!!document.querySelector('[data-testid=play-front], [data-testid=list]')`) {
			t.Error("a list or a player is offered")
		}
	}
	p.noTrouble()
}
