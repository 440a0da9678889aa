package browsertest

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/config"
	"github.com/stenolog/steno/internal/server"
	"github.com/stenolog/steno/internal/store"
	"github.com/stenolog/steno/web"
)

// site is a server with its store, which can be cut off and started again at
// the same address.
type site struct {
	t         *testing.T
	dir, addr string
	auth      *config.Auth

	store *store.Store
	srv   *server.Server
	conns *conns
	stop  func()
}

// newSite starts a server over an empty store.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), addr: "127.0.0.1:0"}
	var err error
	if s.auth, err = config.OpenAuth(s.dir, nil); err != nil {
		t.Fatal(err)
	}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

// start opens the store and serves it.
func (s *site) start() {
	s.t.Helper()
	ctx := context.Background()
	var err error
	if s.store, err = store.Open(ctx, store.Options{Dir: s.dir, Write: true, Relaxed: true, Log: slog.New(slog.DiscardHandler)}); err != nil {
		s.t.Fatal(err)
	}
	var ln net.Listener
	for range 200 {
		if ln, err = net.Listen("tcp", s.addr); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond) // the address is still being given up
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	s.conns = &conns{Listener: ln, open: make(map[net.Conn]bool)}
	s.srv = server.New(server.Options{
		Store: s.store, Views: s.store, Auth: s.auth, Page: web.Handler(), Addr: s.addr,
		Grace: time.Second,
	})
	ctx, cancel := context.WithCancel(ctx)
	var served sync.WaitGroup
	served.Go(func() { _ = s.srv.Serve(ctx, s.conns) }) // a listener that is closed under it is no failure here
	db := s.store
	s.stop = sync.OnceFunc(func() {
		cancel()
		served.Wait()
		if err := db.Close(); err != nil {
			s.t.Errorf("close the store: %v", err)
		}
	})
}

// kill breaks every connection in the middle of whatever it carries, as the
// death of the process would, and opens the store again.
func (s *site) kill() {
	s.conns.Close()
	s.conns.cut()
	s.stop()
	s.start()
}

// conversation makes an empty conversation.
func (s *site) conversation(title string) string {
	s.t.Helper()
	c, err := s.store.Create(context.Background(), api.NewConversation{Title: title})
	if err != nil {
		s.t.Fatal(err)
	}
	return c.ID
}

// line is one line of a script the player plays.
type line struct {
	Pause int64  `json:"pause,omitzero"` // milliseconds before it
	Type  string `json:"type,omitzero"`
	Title string `json:"title,omitzero"`

	Block string         `json:"block,omitzero"`
	Call  string         `json:"call,omitzero"`
	Name  string         `json:"name,omitzero"`
	Text  string         `json:"text,omitzero"`
	Body  jsontext.Value `json:"body,omitzero"`
}

// play plays source events into a new conversation. With wait it returns when
// all of them are in it.
func (s *site) play(lines []line, wait bool) string {
	s.t.Helper()
	var script strings.Builder
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			s.t.Fatal(err)
		}
		script.Write(append(text, '\n'))
	}
	c, err := s.store.Play(context.Background(), api.PlayRequest{
		Files: []api.PlayFile{{Name: "test.script.jsonl", Data: []byte(script.String())}}, Wait: wait,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return c.ID
}

// answer is a provider's answer that a test writes piece by piece.
type answer struct {
	t    *testing.T
	w    *io.PipeWriter
	next int // index of the next block
	done chan error
}

// answer begins an answer in a conversation, recorded while it is written.
func (s *site) answer(id string) *answer {
	s.t.Helper()
	r, w := io.Pipe()
	a := &answer{t: s.t, w: w, done: make(chan error, 1)}
	db := s.store
	go func() {
		_, err := db.Record(context.Background(), id, "anthropic-messages", r)
		r.CloseWithError(io.ErrClosedPipe)
		a.done <- err
	}()
	s.t.Cleanup(func() { w.Close() })
	a.send("message_start", map[string]any{"message": map[string]any{"id": "msg_1", "role": "assistant", "model": "test-model", "content": []any{}}})
	return a
}

func (a *answer) send(event string, body map[string]any) {
	a.t.Helper()
	if err := a.write(event, body); err != nil {
		a.t.Fatalf("write an answer: %v", err)
	}
}

func (a *answer) write(event string, body map[string]any) error {
	body["type"] = event
	data, err := json.Marshal(body)
	if err == nil {
		_, err = io.WriteString(a.w, "event: "+event+"\ndata: "+string(data)+"\n\n")
	}
	return err
}

// start begins a block: text, thinking or a call.
func (a *answer) start(kind string) (block int) {
	content := map[string]any{"type": kind}
	switch kind {
	case "text", "thinking":
		content[kind] = ""
	case "tool_use":
		content["id"], content["name"], content["input"] = "toolu_1", "bash", map[string]any{}
	}
	a.send("content_block_start", map[string]any{"index": a.next, "content_block": content})
	a.next++
	return a.next - 1
}

func (a *answer) delta(block int, field, text string) {
	a.t.Helper()
	if err := a.tryDelta(block, field, text); err != nil {
		a.t.Fatalf("write an answer: %v", err)
	}
}

func (a *answer) tryDelta(block int, field, text string) error {
	kind := map[string]string{"text": "text_delta", "thinking": "thinking_delta", "partial_json": "input_json_delta"}[field]
	return a.write("content_block_delta", map[string]any{"index": block, "delta": map[string]any{"type": kind, field: text}})
}

func (a *answer) text(block int, text string) {
	a.t.Helper()
	a.delta(block, "text", text)
}

func (a *answer) stop(block int) {
	a.send("content_block_stop", map[string]any{"index": block})
}

// end ends the answer as complete and waits until it is durable.
func (a *answer) end() {
	a.t.Helper()
	a.send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": "end_turn"}})
	a.send("message_stop", map[string]any{})
	a.cut()
}

// cut ends the bytes where they are.
func (a *answer) cut() {
	a.t.Helper()
	a.w.Close()
	if err := <-a.done; err != nil {
		a.t.Fatalf("record an answer: %v", err)
	}
}

// lose ends the bytes of an answer whose server is gone.
func (a *answer) lose() {
	a.w.Close()
	<-a.done // whatever became of it
}

// head returns the seq of a conversation's last event.
func (s *site) head(id string) int64 {
	s.t.Helper()
	c, err := s.store.Get(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Head
}

// conns is a listener that can break the connections it accepted.
type conns struct {
	net.Listener
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (c *conns) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = true
	return &tracked{Conn: conn, of: c}, nil
}

// cut breaks all of them.
func (c *conns) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, as from a process that is gone
		}
		conn.Close()
	}
	clear(c.open)
}

type tracked struct {
	net.Conn
	of *conns
}

func (t *tracked) Close() error {
	t.of.mu.Lock()
	delete(t.of.open, t.Conn)
	t.of.mu.Unlock()
	return t.Conn.Close()
}
