package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/cli"
	"github.com/stenolog/steno/internal/client"
	"github.com/stenolog/steno/internal/config"
	"github.com/stenolog/steno/internal/server"
	"github.com/stenolog/steno/internal/store"
	"github.com/stenolog/steno/sse"
	"github.com/stenolog/steno/view"
)

// asProgram makes the test's binary be the program.
const asProgram = "STENO_E2E_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(cli.New().Execute(ctx, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// program is a command that runs this binary as the program over a data
// directory.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "STENO_DATA="+dir, "STENO_CONFIG="+filepath.Join(dir, "no-config.json"), "NO_COLOR=1")
	return cmd
}

// run runs the program to its end.
func run(t *testing.T, dir, stdin string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	cmd := program(t, dir, args...)
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// process is a running server of its own process.
type process struct {
	cmd     *exec.Cmd
	address string
	token   string
	client  *client.Client
}

// startProcess starts `steno serve` and waits until it stands.
func startProcess(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	cmd := program(t, dir, append([]string{"serve", "--listen", "127.0.0.1:0", "--no-open", "--json", "--log-level", "error"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Fatalf("the server did not start: %v\n%s", err, errs.String())
	}
	var said struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal(line, &said, json.RejectUnknownMembers(false)); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	info, err := client.ReadInfo(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, address: said.Address, token: info.Token, client: client.New("http://"+said.Address, info.Token)}
	t.Cleanup(func() { p.kill() })
	return p
}

// kill ends it as a power cut of the process would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.client.Close()
}

// inProcess is a server in this process, over a real connection.
type inProcess struct {
	store   *store.Store
	address string
	token   string
	stop    func()
}

func startHere(t *testing.T, dir string) *inProcess {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Write: true, Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	auth, err := config.OpenAuth(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := server.New(server.Options{
		Store: s, Views: s, Auth: auth, Addr: ln.Addr().String(),
		Limits: server.Limits{Rate: 1 << 20, Burst: 1 << 20, StreamsEach: 1 << 20, Requests: 1 << 20},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		if err := srv.Serve(ctx, ln); err != nil {
			t.Error(err)
		}
	})
	here := &inProcess{store: s, address: ln.Addr().String(), token: auth.OwnToken("test", config.Admin)}
	here.stop = sync.OnceFunc(func() {
		cancel()
		served.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(here.stop)
	return here
}

// watcher is a viewer: it keeps a replica by what a stream says, and its cursor.
type watcher struct {
	id     string
	http   *http.Client
	window int

	mu        sync.Mutex
	replica   view.Replica
	cursor    string
	snapshots int
	resyncs   int
	events    int
	failed    error
	running   bool
}

func newWatcher(id string) *watcher {
	return &watcher{id: id, window: 200, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

func (w *watcher) request(ctx context.Context, address, token, path string) (*http.Response, error) {
	target := fmt.Sprintf("http://%s/v1/conversations/%s/%s?window=%d", address, w.id, path, w.window)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	w.mu.Lock()
	if w.cursor != "" {
		req.Header.Set("Last-Event-ID", w.cursor)
	}
	w.mu.Unlock()
	resp, err := w.http.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s %s", path, resp.Status, body)
	}
	return resp, err
}

// snapshot reads the snapshot alone.
func (w *watcher) snapshot(ctx context.Context, address, token string) error {
	resp, err := w.request(ctx, address, token, "snapshot")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var has struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(data, &has); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cursor = has.ID
	return w.replica.Apply(data)
}

// watch follows the stream until it ends.
func (w *watcher) watch(ctx context.Context, address, token string) error {
	resp, err := w.request(ctx, address, token, "view")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var r sse.Reader
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		if ferr := r.Feed(buf[:n], w.take); ferr != nil {
			return ferr
		}
		if err != nil {
			return nil // the connection has ended, as all do
		}
	}
}

func (w *watcher) take(e sse.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch data := string(e.Data); {
	case string(e.Name) == "status":
		w.running = data == `{"running":true}`
	case data == `{"ops":[{"op":"resync"}]}`:
		w.resyncs++
	default:
		if strings.HasPrefix(data, `{"snapshot":true`) {
			w.snapshots++
		}
		w.events++
		w.cursor = string(e.ID)
		if err := w.replica.Apply(e.Data); err != nil && w.failed == nil {
			w.failed = fmt.Errorf("event %s: %w", e.ID, err)
		}
	}
}

// at returns how far it is and what it sees.
func (w *watcher) at(t *testing.T) (seq int64, state string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		t.Fatal(w.failed)
	}
	if w.cursor == "" {
		return -1, ""
	}
	_, seq, err := view.ParseID(w.cursor)
	if err != nil {
		t.Fatal(err)
	}
	return seq, canonical(t, &w.replica)
}

func (w *watcher) seq() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, seq, _ := view.ParseID(w.cursor) // "" is 0
	return seq
}

func canonical(t *testing.T, r *view.Replica) string {
	t.Helper()
	b, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func waitFor(t *testing.T, what string, ready func() bool) {
	t.Helper()
	for range 12_000 {
		if ready() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s did not come", what)
}

const format = "openai-chat"

func delta(s string) string {
	return fmt.Sprintf("data: {\"id\":\"1\",\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", s)
}

const stop = "data: {\"id\":\"1\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

func create(t *testing.T, s interface {
	Create(context.Context, api.NewConversation) (*api.Conversation, error)
},
) string {
	t.Helper()
	c, err := s.Create(t.Context(), api.NewConversation{Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}
