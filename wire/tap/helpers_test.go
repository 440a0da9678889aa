package tap

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape is a recorder that remembers.
type tape struct {
	mu        sync.Mutex
	exchange  *Exchange
	data      bytes.Buffer
	closed    int
	why       error
	writeFail error
	closeFail error
	reports   []error
}

func (r *tape) open(_ context.Context, x *Exchange) (io.WriteCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchange = x
	return r, nil
}

func (r *tape) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writeFail != nil {
		return 0, r.writeFail
	}
	r.data.Write(p)
	return len(p), nil
}

func (r *tape) Close() error { return r.CloseWithError(nil) }

func (r *tape) CloseWithError(why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
	r.why = why
	return r.closeFail
}

func (r *tape) report(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = append(r.reports, err)
}

func (r *tape) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.data.String()
}

// setup serves h and returns a client whose calls r records, and the address.
func setup(t *testing.T, r *tape, h http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	server := httptest.NewServer(h)
	base := &http.Transport{}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		server.Close()
	})
	return &http.Client{Transport: &Transport{Base: base, Open: r.open, Report: r.report}}, server.URL
}

// post asks like a provider's client does.
func post(t *testing.T, c *http.Client, url string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// all reads and closes the body.
func all(t *testing.T, resp *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüße 🌍\"}}]}\n\ndata: [DONE]\n\n"

// answers serves stream in pieces of n bytes.
func answers(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for s := stream; s != ""; s = s[min(n, len(s)):] {
			io.WriteString(w, s[:min(n, len(s))])
			w.(http.Flusher).Flush()
		}
	}
}
