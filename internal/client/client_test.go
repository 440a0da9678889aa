package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake serves h and gives a client of it.
func fake(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	ts := httptest.NewServer(h)
	c := New(ts.URL, "secret")
	t.Cleanup(func() { c.Close(); ts.Close() })
	return c
}

func TestCallsNameWhatTheyWant(t *testing.T) {
	var got string
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Authorization") + " " + string(body)
		if strings.HasSuffix(r.URL.Path, "/v1/conversations") && r.Method == "GET" || r.URL.Path == "/v1/play" && r.Method == "GET" || r.URL.Path == "/v1/tokens" && r.Method == "GET" {
			io.WriteString(w, "[]")
			return
		}
		io.WriteString(w, `{"id":"c1","deleted":4,"secret":"s","url":"u","messages":[],"branches":[],"conversation":"c1"}`)
	})
	ctx := context.Background()
	for _, k := range []struct {
		call func() error
		want string
	}{
		{func() error { _, err := c.List(ctx); return err }, "GET /v1/conversations Bearer secret "},
		{func() error { _, err := c.Create(ctx, api.NewConversation{Title: "T"}); return err }, `POST /v1/conversations Bearer secret {"title":"T"}`},
		{func() error { _, err := c.Get(ctx, "a/b"); return err }, "GET /v1/conversations/a%2Fb Bearer secret "},
		{func() error { return c.Delete(ctx, "c1") }, "DELETE /v1/conversations/c1 Bearer secret "},
		{func() error { _, err := c.DeleteDemos(ctx); return err }, "DELETE /v1/demos Bearer secret "},
		{func() error { _, err := c.Messages(ctx, "c1"); return err }, "GET /v1/conversations/c1/messages Bearer secret "},
		{func() error { _, err := c.Record(ctx, "c1", "a&b", strings.NewReader("xyz")); return err }, "POST /v1/conversations/c1/record?from=a%26b Bearer secret xyz"},
		{func() error { _, err := c.Recordings(ctx); return err }, "GET /v1/play Bearer secret "},
		{func() error { _, err := c.Play(ctx, api.PlayRequest{Wait: true}); return err }, `POST /v1/play Bearer secret {"wait":true}`},
		{func() error { _, err := c.Verify(ctx); return err }, "GET /v1/verify Bearer secret "},
		{func() error { _, err := c.Tokens(ctx); return err }, "GET /v1/tokens Bearer secret "},
		{func() error { _, err := c.AddToken(ctx, "n", "read"); return err }, `POST /v1/tokens Bearer secret {"name":"n","scope":"read"}`},
		{func() error { return c.RevokeToken(ctx, "n") }, "DELETE /v1/tokens/n Bearer secret "},
		{func() error { _, err := c.SignInLink(ctx); return err }, "POST /v1/sign-in-links Bearer secret "},
	} {
		if err := k.call(); err != nil || got != k.want {
			t.Errorf("%q (%v), want %q", got, err, k.want)
		}
	}
	b, err := c.Blob(ctx, "abc")
	if err != nil || got != "GET /v1/blobs/abc Bearer secret " {
		t.Fatalf("%q %v", got, err)
	}
	b.Close()
}

func TestErrorsAreThoseOfTheServer(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(404)
		io.WriteString(w, `{"error":{"code":"not-found","what":"x","detail":"conversation c1"}}`)
	})
	_, err := c.Get(context.Background(), "c1")
	if !errors.Is(err, steno.ErrNotFound) || err.Error() != "not found: conversation c1" || catalogue.Of(err).Exit != 4 {
		t.Errorf("%v", err)
	}
	c = fake(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "<html>", 502) })
	if _, err = c.Get(context.Background(), "c1"); catalogue.Of(err).Code != catalogue.Internal || !strings.Contains(err.Error(), "502") {
		t.Errorf("%v", err)
	}
	c = fake(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://evil.example/", 302) })
	if _, err = c.Get(context.Background(), "c1"); err == nil {
		t.Error("the token went elsewhere")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = c.Get(ctx, "c1"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// line writes one event of a stream.
func line(w io.Writer, seq int) {
	fmt.Fprintf(w, `{"seq":%d,"type":"text-delta","text":"x"}`+"\n", seq)
}

func seqs(t *testing.T, c *Client, after int64, follow bool, stopAt int64) (got []int64, err error) {
	t.Helper()
	for e, err := range c.Events(context.Background(), "c1", after, follow) {
		if err != nil {
			return got, err
		}
		if got = append(got, e.Seq); e.Seq == stopAt {
			break
		}
	}
	return got, nil
}

func TestEvents(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "after=1" {
			t.Errorf("asked %s", r.URL.RawQuery)
		}
		io.WriteString(w, "\n")
		line(w, 2)
		io.WriteString(w, "\n")
		line(w, 3)
	})
	got, err := seqs(t, c, 1, false, 0)
	if fmt.Sprint(got) != "[2 3]" || err != nil {
		t.Errorf("%v %v", got, err)
	}
}

func TestEventsThatFailMidway(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		line(w, 1)
		io.WriteString(w, `{"error":{"code":"corrupt","detail":"run 4"}}`+"\n")
	})
	for _, follow := range []bool{false, true} {
		got, err := seqs(t, c, 0, follow, 0)
		if fmt.Sprint(got) != "[1]" || !errors.Is(err, steno.ErrCorrupt) {
			t.Errorf("follow %v: %v %v", follow, got, err)
		}
	}
	c = fake(t, func(w http.ResponseWriter, r *http.Request) {
		line(w, 1)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	if got, err := seqs(t, c, 0, false, 0); fmt.Sprint(got) != "[1]" || err == nil {
		t.Errorf("a cut answer passes for whole: %v %v", got, err)
	}
}

func TestAFollowedStreamIsResumedWithoutGapOrRepeat(t *testing.T) {
	var n atomic.Int64
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		var after int
		fmt.Sscanf(r.URL.Query().Get("after"), "%d", &after)
		switch n.Add(1) {
		case 1:
			line(w, after+1)
			io.WriteString(w, `{"seq":2,"type":"te`) // cut inside of a line
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(503)
			io.WriteString(w, `{"error":{"code":"draining"}}`)
		case 3:
			line(w, after) // repeated by a server that counts otherwise
			line(w, after+1)
		default:
			line(w, after+1)
			line(w, after+2)
		}
	})
	got, err := seqs(t, c, 0, true, 4)
	if fmt.Sprint(got) != "[1 2 3 4]" || err != nil {
		t.Errorf("%v %v", got, err)
	}
}

func TestFollowingNeedsAServerOnce(t *testing.T) {
	ts := httptest.NewServer(http.NotFoundHandler())
	ts.Close()
	c := New(ts.URL, "")
	if _, err := seqs(t, c, 0, true, 0); catalogue.Of(err) == nil || catalogue.Of(err).Code != catalogue.NoServer {
		t.Errorf("%v", err)
	}
}

func TestEachLineTakesLongLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	var got []int
	err := eachLine(strings.NewReader("a\n"+long+"\n\nb\ncut"), func(l []byte) error {
		got = append(got, len(l))
		return nil
	})
	if fmt.Sprint(got) != fmt.Sprintf("[1 %d 1]", len(long)) || err != nil {
		t.Errorf("%v %v", got, err)
	}
}

func TestChanges(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, ": open\n\nevent: changed\ndata: {\"id\":\"c1\",\"conversation\":{\"id\":\"c1\",\"head\":3,\"created\":0,\"updated\":0}}\n\nevent: deleted\ndata: {\"id\":\"c2\"}\n\nretry: 1000\n\n")
	})
	var got []string
	for ch := range c.Changes(context.Background()) {
		got = append(got, fmt.Sprint(ch.ID, ch.Conversation != nil))
	}
	if strings.Join(got, " ") != "c1true c2false" {
		t.Errorf("%v", got)
	}
}

func TestFind(t *testing.T) {
	ctx := context.Background()
	find := func(status int, body string) (*Client, error) {
		ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		defer ts.Close()
		dir := t.TempDir()
		if err := WriteInfo(dir, Info{PID: os.Getpid(), Address: strings.TrimPrefix(ts.URL, "http://"), Token: "t"}); err != nil {
			t.Fatal(err)
		}
		c, err := Find(ctx, dir, "")
		if c != nil {
			c.Close()
		}
		return c, err
	}
	if c, err := find(200, "[]"); c == nil || err != nil {
		t.Errorf("a live one: %v", err)
	}
	if c, err := find(401, `{"error":{"code":"signed-out"}}`); c != nil || err != nil {
		t.Errorf("another's server: %v", err)
	}
	if c, err := find(404, "not steno"); c != nil || err != nil {
		t.Errorf("another program: %v", err)
	}
	if c, err := find(503, `{"error":{"code":"overload"}}`); c != nil || err == nil {
		t.Error("a busy server is no server")
	}
	dir := t.TempDir()
	if c, err := Find(ctx, dir, ""); c != nil || err != nil {
		t.Errorf("no file: %v", err)
	}
	WriteInfo(dir, Info{PID: 1, Address: "127.0.0.1:1", Token: "t"})
	if c, err := Find(ctx, dir, ""); c != nil || err != nil {
		t.Errorf("a stale file: %v", err)
	}
	if RemoveInfo(dir, 2); !exists(dir) {
		t.Error("another's file was removed")
	}
	if RemoveInfo(dir, 1); exists(dir) {
		t.Error("the file is left")
	}
}

func exists(dir string) bool {
	_, err := ReadInfo(dir)
	return err == nil
}

// A server that was killed leaves its file; what listens at its port then may
// take connections and say nothing.
func TestFindTellsAStuckServerFromNone(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	dir := t.TempDir()
	if err := WriteInfo(dir, Info{PID: 1, Address: ln.Addr().String(), Token: "t"}); err != nil {
		t.Fatal(err)
	}
	if c, err := Find(context.Background(), dir, ""); c != nil || err != nil {
		t.Errorf("nobody holds the lock: %v, %v", c, err)
	}
	lock, err := config.Acquire(context.Background(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var e *catalogue.Error
	if _, err := Find(context.Background(), dir, ""); !errors.As(err, &e) || e.Code != catalogue.Overload || !strings.Contains(e.Detail, ln.Addr().String()) {
		t.Errorf("a server that does not answer: %v", err)
	}
}

// An id that is no path would be redirected to another address.
func TestAnIDThatIsNoPathIsNotFound(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/conversations/{id}", func(http.ResponseWriter, *http.Request) { t.Error("it was asked for") })
	c := fake(t, mux.ServeHTTP)
	for _, id := range []string{"..", "."} {
		if _, err := c.Get(context.Background(), id); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestABodyThatCannotBeReadIsNotTheServersFault(t *testing.T) {
	c := fake(t, func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	broken := errors.New("the disk is gone")
	if _, err := c.Record(context.Background(), "c1", "x", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
