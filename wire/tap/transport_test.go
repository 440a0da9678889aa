package tap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
)

// TestRecordedBeforeSeen cuts the answer anywhere on both sides: the recorder
// always has what the program has read, and in the end all of it.
func TestRecordedBeforeSeen(t *testing.T) {
	for _, sent := range []int{1, 3, 1000} {
		for _, read := range []int{1, 7, 4096} {
			t.Run(fmt.Sprintf("%d sent %d read", sent, read), func(t *testing.T) {
				r := new(tape)
				c, url := setup(t, r, answers(sent))
				resp := post(t, c, url+"/v1/chat/completions")
				defer resp.Body.Close()
				var got strings.Builder
				p := make([]byte, read)
				for {
					n, err := resp.Body.Read(p)
					got.Write(p[:n])
					clear(p) // what was lent may change now
					if r.text() != got.String() {
						t.Fatalf("recorded %q, seen %q", r.text(), got.String())
					}
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if got.String() != stream || r.closed != 1 || r.why != nil || len(r.reports) > 0 {
					t.Errorf("got %q, closed %d times, %v, %v", got.String(), r.closed, r.why, r.reports)
				}
			})
		}
	}
}

func TestExchange(t *testing.T) {
	r := new(tape)
	c, url := setup(t, r, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Request-Id", "req_1")
		w.Header().Set("Anthropic-Ratelimit-Requests-Remaining", "9")
		w.Header().Set("Set-Cookie", "session=SECRET")
		w.Header().Set("X-Gateway-Token", "SECRET")
		io.Copy(w, req.Body)
	})
	url = strings.Replace(url, "http://", "http://user:SECRET@", 1)
	all(t, post(t, c, url+"/v1/messages?beta=true&key=SECRET&api_key=SECRET#SECRET",
		"Authorization", "Bearer SECRET", "X-Api-Key", "SECRET", "Api-Key", "SECRET", "X-Goog-Api-Key", "SECRET",
		"Cookie", "SECRET", "Proxy-Authorization", "SECRET", "X-Amz-Security-Token", "SECRET",
		"Anthropic-Version", "2023-06-01", "User-Agent", "test"))
	x := r.exchange
	if text := fmt.Sprintf("%+v", x); strings.Contains(text, "SECRET") {
		t.Errorf("a secret was handed on: %s", text)
	}
	want := &Exchange{
		Format: "anthropic-messages", Method: "POST",
		URL:     "http://" + url[strings.Index(url, "@")+1:] + "/v1/messages?beta=true",
		Request: http.Header{"Content-Type": {"application/json"}, "Anthropic-Version": {"2023-06-01"}, "User-Agent": {"test"}},
		Body:    []byte(`{"stream":true}`), Whole: true,
		Status: 200,
		Header: http.Header{"Request-Id": {"req_1"}, "Anthropic-Ratelimit-Requests-Remaining": {"9"}, "Content-Type": {"text/plain; charset=utf-8"}},
	}
	if diff := cmp.Diff(want, x); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFailOpen: whatever the recorder does, the program gets its answer.
func TestFailOpen(t *testing.T) {
	full := errors.New("disk full")
	for _, tc := range []struct {
		name    string
		tape    *tape
		open    func(*tape) func(context.Context, *Exchange) (io.WriteCloser, error)
		reports int
		closed  int
	}{
		{"does not open", new(tape), func(*tape) func(context.Context, *Exchange) (io.WriteCloser, error) {
			return func(context.Context, *Exchange) (io.WriteCloser, error) { return nil, full }
		}, 1, 0},
		{"does not want it", new(tape), func(*tape) func(context.Context, *Exchange) (io.WriteCloser, error) {
			return func(context.Context, *Exchange) (io.WriteCloser, error) { return nil, nil }
		}, 0, 0},
		{"does not write", &tape{writeFail: full}, nil, 1, 1},
		{"does not close", &tape{closeFail: full}, nil, 1, 1},
		{"does neither", &tape{writeFail: full, closeFail: full}, nil, 2, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, url := setup(t, tc.tape, answers(5))
			if tc.open != nil {
				c.Transport.(*Transport).Open = tc.open(tc.tape)
			}
			if got := all(t, post(t, c, url+"/v1/responses")); got != stream {
				t.Errorf("got %q", got)
			}
			if len(tc.tape.reports) != tc.reports || tc.tape.closed != tc.closed {
				t.Errorf("reports %v, closed %d times", tc.tape.reports, tc.tape.closed)
			}
			for _, err := range tc.tape.reports {
				if !errors.Is(err, full) || !strings.Contains(err.Error(), "/v1/responses") {
					t.Errorf("reported %v", err)
				}
			}
		})
	}
	t.Run("is not there", func(t *testing.T) {
		c, url := setup(t, new(tape), answers(5))
		c.Transport.(*Transport).Open = nil
		if got := all(t, post(t, c, url+"/v1/responses")); got != stream {
			t.Errorf("got %q", got)
		}
	})
}

// TestCut: the answer is left in the middle, by whoever.
func TestCut(t *testing.T) {
	half := stream[:20]
	begin := func(w http.ResponseWriter) {
		io.WriteString(w, half)
		w.(http.Flusher).Flush()
	}
	for _, tc := range []struct {
		name   string
		server func(w http.ResponseWriter, req *http.Request)
		leave  func(cancel func(), body io.ReadCloser) error
		is     []error
	}{
		{
			"cancelled", func(w http.ResponseWriter, req *http.Request) { begin(w); <-req.Context().Done() },
			func(cancel func(), body io.ReadCloser) error { cancel(); return readOn(body) },
			[]error{context.Canceled, steno.ErrIncomplete},
		},
		{
			"closed by its reader", func(w http.ResponseWriter, req *http.Request) { begin(w); <-req.Context().Done() },
			func(_ func(), body io.ReadCloser) error { return body.Close() },
			[]error{steno.ErrIncomplete},
		},
		{
			"closed while it is read", func(w http.ResponseWriter, req *http.Request) { begin(w); <-req.Context().Done() },
			func(_ func(), body io.ReadCloser) error {
				done := make(chan error)
				go func() { done <- readOn(body) }()
				err := body.Close()
				<-done
				return err
			},
			[]error{steno.ErrIncomplete},
		},
		{
			"broken off by the provider", func(w http.ResponseWriter, req *http.Request) { begin(w); panic(http.ErrAbortHandler) },
			func(_ func(), body io.ReadCloser) error { return readOn(body) },
			[]error{io.ErrUnexpectedEOF, steno.ErrIncomplete},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := new(tape)
			c, url := setup(t, r, func(w http.ResponseWriter, req *http.Request) {
				io.Copy(io.Discard, req.Body)
				tc.server(w, req)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/chat", strings.NewReader("{}"))
			resp, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadFull(resp.Body, make([]byte, len(half))); err != nil {
				t.Fatal(err)
			}
			err = tc.leave(cancel, resp.Body)
			resp.Body.Close()
			if r.text() != half || r.closed != 1 || len(r.reports) > 0 {
				t.Errorf("recorded %q, closed %d times, reports %v", r.text(), r.closed, r.reports)
			}
			for _, is := range tc.is {
				if !errors.Is(r.why, is) {
					t.Errorf("closed with %v, want %v", r.why, is)
				}
			}
			if is := tc.is[0]; is != steno.ErrIncomplete && !errors.Is(err, is) {
				t.Errorf("the program got %v, want %v", err, is)
			}
		})
	}
}

func readOn(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// TestConnectionsAreKept: a recorded call leaves its connection to the next.
func TestConnectionsAreKept(t *testing.T) {
	var mu sync.Mutex
	connections := 0
	server := httptest.NewUnstartedServer(answers(9))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if s == http.StateNew {
			connections++
		}
	}
	server.Start()
	defer server.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	r := new(tape)
	c := &http.Client{Transport: &Transport{Base: base, Open: r.open}}
	for range 5 {
		all(t, post(t, c, server.URL+"/v1/messages"))
	}
	if connections != 1 || r.closed != 5 {
		t.Errorf("%d connections, %d recordings", connections, r.closed)
	}
}

// TestConcurrentCalls records calls at the same time; each has its own answer.
func TestConcurrentCalls(t *testing.T) {
	c, url := setup(t, new(tape), answers(2))
	var mu sync.Mutex
	var tapes []*tape
	c.Transport.(*Transport).Open = func(context.Context, *Exchange) (io.WriteCloser, error) {
		mu.Lock()
		defer mu.Unlock()
		tapes = append(tapes, new(tape))
		return tapes[len(tapes)-1], nil
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { all(t, post(t, c, url+"/v1/messages")) })
	}
	wg.Wait()
	if len(tapes) != 8 {
		t.Errorf("%d recordings", len(tapes))
	}
	for _, r := range tapes {
		if r.text() != stream || r.closed != 1 {
			t.Errorf("recorded %q", r.text())
		}
	}
}

// TestNoAnswer: where there is none, nothing is recorded and the error is the
// program's.
func TestNoAnswer(t *testing.T) {
	broken := errors.New("no route")
	r := new(tape)
	c := &http.Client{Transport: &Transport{Open: r.open, Report: r.report, Base: roundTrip(func(req *http.Request) (*http.Response, error) {
		req.Body.Close()
		return nil, broken
	})}}
	_, err := c.Post("http://provider.invalid/v1/messages", "application/json", strings.NewReader("{}"))
	if !errors.Is(err, broken) || r.exchange != nil || len(r.reports) > 0 {
		t.Errorf("got %v, recorded %v, reported %v", err, r.exchange, r.reports)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
