package tap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
)

func TestFormat(t *testing.T) {
	for _, tc := range []struct{ url, media, want string }{
		{"https://api.anthropic.com/v1/messages", "", "anthropic-messages"},
		{"https://api.anthropic.com/v1/messages/count_tokens", "application/json", ""},
		{"https://api.anthropic.com/v1/messages/batches", "application/json", ""},
		{"https://h/v1/projects/p/publishers/anthropic/models/m:streamRawPredict", "", "anthropic-messages"},
		{"https://gateway/anthropic/messages/", "", "anthropic-messages"},
		{"https://bedrock/model/us.anthropic.m/invoke", "", "anthropic-messages"},
		{"https://bedrock/model/us.anthropic.m/invoke-with-response-stream", "", "bedrock-invoke-anthropic"},
		{"https://bedrock/model/m/converse-stream", "", "bedrock-converse"},
		{"https://bedrock/model/m/converse", "", "bedrock-converse"},
		{"https://api.openai.com/v1/responses", "", "openai-responses"},
		{"https://api.openai.com/v1/responses/resp_1/cancel", "application/json", ""},
		{"https://r.openai.azure.com/openai/responses?api-version=1", "", "openai-responses"},
		{"https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", "", "openai-chat"},
		{"https://api.deepseek.com/chat/completions", "", "openai-chat"},
		{"https://h/v1beta/models/m:streamGenerateContent?alt=sse", "", "gemini"},
		{"https://h/v1beta/models/m:generateContent", "", "gemini"},
		{"http://localhost:11434/api/chat", "", "ollama"},
		{"http://localhost:11434/api/generate", "", "ollama"},
		{"http://proxy/ask", "text/event-stream; charset=utf-8", "auto"},
		{"http://proxy/ask", "application/x-ndjson", "auto"},
		{"http://proxy/ask", "application/json", ""},
		{"https://api.openai.com/v1/files", "", ""},
	} {
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		resp := &http.Response{Header: http.Header{"Content-Type": {tc.media}}}
		if got := Format(&http.Request{Method: "POST", URL: u}, resp); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.url, got, tc.want)
		}
		if got := Format(&http.Request{Method: "GET", URL: u}, resp); got != "" {
			t.Errorf("GET %s: got %q", tc.url, got)
		}
	}
	u, _ := url.Parse("http://proxy/messages")
	claimed := &http.Request{Method: "POST", URL: u, Header: http.Header{"Anthropic-Version": {"2023-06-01"}}}
	if got := Format(claimed, &http.Response{}); got != "anthropic-messages" {
		t.Errorf("by header: %q", got)
	}
}

// zipped serves stream zipped, flushed after every n bytes of it.
func zipped(n int, change func([]byte) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for s := stream; s != ""; s = s[min(n, len(s)):] {
			io.WriteString(z, s[:min(n, len(s))])
			z.Flush()
		}
		z.Close()
		for _, c := range change(b.Bytes()) {
			w.Write([]byte{c})
			w.(http.Flusher).Flush()
		}
	}
}

func same(p []byte) []byte { return p }

// TestGzip: the program that asked for a zipped answer gets it as it is, the
// recorder gets what it holds, and as soon as it can be known.
func TestGzip(t *testing.T) {
	for _, n := range []int{1, 10, len(stream)} {
		r := new(tape)
		c, url := setup(t, r, zipped(n, same))
		resp := post(t, c, url+"/v1/chat/completions", "Accept-Encoding", "gzip")
		var raw bytes.Buffer
		p := make([]byte, 11)
		for {
			k, err := resp.Body.Read(p)
			raw.Write(p[:k])
			clear(p)
			if known := unzip(raw.Bytes()); r.text() != known {
				t.Fatalf("recorded %q where %q is known", r.text(), known)
			}
			if err != nil {
				break
			}
		}
		resp.Body.Close()
		if r.text() != stream || r.closed != 1 || r.why != nil || len(r.reports) > 0 {
			t.Errorf("recorded %q, closed %d times, %v, %v", r.text(), r.closed, r.why, r.reports)
		}
	}
}

// unzip returns what can be known of a beginning of a zipped text. At its end
// the reader also gives what stands before the next flush, so that is cut.
func unzip(p []byte) string {
	zr, err := gzip.NewReader(io.MultiReader(bytes.NewReader(p), &stall{}))
	if err != nil {
		return ""
	}
	var known strings.Builder
	buf := make([]byte, 64<<10)
	for {
		n, err := zr.Read(buf)
		if err != nil {
			if err == io.EOF {
				known.Write(buf[:n])
			}
			return known.String()
		}
		known.Write(buf[:n])
	}
}

// stall fails where the input has no more for now.
type stall struct{}

func (*stall) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// TestGzipUndoneBelow: the standard transport unzips by itself if the program
// did not ask.
func TestGzipUndoneBelow(t *testing.T) {
	r := new(tape)
	c, url := setup(t, r, zipped(10, same))
	if got := all(t, post(t, c, url+"/v1/chat/completions")); got != stream || r.text() != stream {
		t.Errorf("got %q, recorded %q", got, r.text())
	}
}

func TestBadGzip(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func([]byte) []byte
		begins  bool // part of the text is known
		reports int
		is      error
	}{
		{"empty", func([]byte) []byte { return nil }, false, 0, nil},
		{"cut", func(p []byte) []byte { return p[:len(p)-12] }, true, 1, io.ErrUnexpectedEOF},
		{"not zipped", func([]byte) []byte { return []byte(stream) }, false, 1, gzip.ErrHeader},
		{"damaged", func(p []byte) []byte { p[len(p)-6] ^= 1; return p }, true, 1, gzip.ErrChecksum},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := new(tape)
			c, url := setup(t, r, zipped(10, tc.change))
			all(t, post(t, c, url+"/v1/chat/completions", "Accept-Encoding", "gzip"))
			if len(r.reports) != tc.reports || r.closed != 1 || tc.begins != strings.HasPrefix(r.text(), stream[:10]) {
				t.Errorf("recorded %q, closed %d times, reports %v", r.text(), r.closed, r.reports)
			}
			if !errors.Is(r.why, tc.is) {
				t.Errorf("closed with %v, want %v", r.why, tc.is)
			}
		})
	}
	t.Run("left early", func(t *testing.T) {
		r := new(tape)
		c, url := setup(t, r, zipped(10, same))
		resp := post(t, c, url+"/v1/chat/completions", "Accept-Encoding", "gzip")
		resp.Body.Close()
		if r.closed != 1 || len(r.reports) > 0 || !errors.Is(r.why, steno.ErrIncomplete) {
			t.Errorf("closed %d times, %v, reports %v", r.closed, r.why, r.reports)
		}
	})
	t.Run("recorder fails", func(t *testing.T) {
		full := errors.New("disk full")
		r := &tape{writeFail: full}
		c, url := setup(t, r, zipped(10, same))
		all(t, post(t, c, url+"/v1/chat/completions", "Accept-Encoding", "gzip"))
		if r.closed != 1 || len(r.reports) != 1 || !errors.Is(r.reports[0], full) {
			t.Errorf("closed %d times, reports %v", r.closed, r.reports)
		}
	})
}

// FuzzUndo: however zipped bytes are cut, what is undone is what a reader of
// the whole makes of them, and so is whether it fails.
func FuzzUndo(f *testing.F) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, stream)
	z.Close()
	f.Add(b.Bytes(), uint8(1))
	f.Add(append(b.Bytes(), b.Bytes()...), uint8(7))
	f.Add(b.Bytes()[:20], uint8(3))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		var got, want bytes.Buffer
		zr, wantErr := gzip.NewReader(bytes.NewReader(data))
		if wantErr == nil {
			_, wantErr = io.Copy(&want, io.LimitReader(zr, 1<<20))
		}
		if want.Len() == 1<<20 {
			t.Skip("too much")
		}
		u := newUndo(&got)
		for rest := data; len(rest) > 0; {
			n := min(1+int(step), len(rest))
			if u.write(bytes.Clone(rest[:n])) != nil {
				break
			}
			rest = rest[n:]
		}
		err := u.close()
		if got.String() != want.String() {
			t.Errorf("got %q, want %q", got.String(), want.String())
		}
		if wantErr == io.EOF {
			wantErr = nil
		}
		if (err == nil) != (wantErr == nil) {
			t.Errorf("got %v, want %v", err, wantErr)
		}
	})
}

func TestOtherEncoding(t *testing.T) {
	r := new(tape)
	c, url := setup(t, r, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		io.WriteString(w, "?")
	})
	if got := all(t, post(t, c, url+"/v1/messages")); got != "?" {
		t.Errorf("got %q", got)
	}
	if r.exchange != nil || len(r.reports) != 1 || !errors.Is(r.reports[0], steno.ErrUnsupported) {
		t.Errorf("recorded %v, reports %v", r.exchange, r.reports)
	}
}

// TestRequestBody looks at what is known of the request when its answer comes.
func TestRequestBody(t *testing.T) {
	for _, tc := range []struct {
		name  string
		base  func(*http.Request)
		known int64 // the length the program gave
		body  string
		whole bool
	}{
		{"sent", func(req *http.Request) { readOn(req.Body) }, 10, "0123456789", true},
		{"sent to the last byte", func(req *http.Request) { io.ReadFull(req.Body, make([]byte, 10)) }, 10, "0123456789", true},
		{"of unknown length", func(req *http.Request) { readOn(req.Body) }, -1, "0123456789", true},
		{"answered early", func(req *http.Request) { io.ReadFull(req.Body, make([]byte, 4)) }, 10, "0123", false},
		{"sent twice", func(req *http.Request) {
			first := req.Body
			io.ReadFull(first, make([]byte, 4))
			again, _ := req.GetBody()
			readOn(first)
			readOn(again)
		}, 10, "0123456789", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := new(tape)
			tr := &Transport{Open: r.open, Base: roundTrip(func(req *http.Request) (*http.Response, error) {
				tc.base(req)
				return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
			})}
			req, _ := http.NewRequest("POST", "http://h/v1/messages", strings.NewReader("0123456789"))
			req.ContentLength = tc.known
			before := *req
			if _, err := tr.RoundTrip(req); err != nil {
				t.Fatal(err)
			}
			if string(r.exchange.Body) != tc.body || r.exchange.Whole != tc.whole {
				t.Errorf("body %q, whole %v", r.exchange.Body, r.exchange.Whole)
			}
			if req.Body != before.Body || req.ContentLength != before.ContentLength {
				t.Error("the program's request was changed")
			}
		})
	}
}

func TestRequestTooLarge(t *testing.T) {
	s := new(sent)
	b := s.begin(io.NopCloser(io.LimitReader(zeros{}, MaxRequest+1)))
	if _, err := io.Copy(io.Discard, b); err != nil {
		t.Fatal(err)
	}
	if body, whole := s.taken(); len(body) != MaxRequest || whole {
		t.Errorf("%d bytes, whole %v", len(body), whole)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFailure(t *testing.T) {
	for _, tc := range []struct {
		name    string
		status  int
		header  http.Header
		body    string
		text    string
		failure steno.Failure
	}{
		{
			"provider", 529,
			http.Header{"Retry-After": {"2"}},
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			"Overloaded",
			steno.Failure{Status: 529, Code: "overloaded_error", RetryIn: 2000, Retryable: true, Raw: []byte(`{"type":"overloaded_error","message":"Overloaded"}`)},
		},
		{"proxy", 502, nil, "<h1>Bad Gateway</h1>", "<h1>Bad Gateway</h1>", steno.Failure{Status: 502, Retryable: true, Raw: []byte(`"<h1>Bad Gateway</h1>"`)}},
		{"nothing", 401, nil, "", "Unauthorized", steno.Failure{Status: 401, Raw: []byte(`""`)}},
		{
			"another status in the body", 429,
			http.Header{"Retry-After-Ms": {"15"}},
			`{"error":{"message":"slow","status":500}}`,
			"slow",
			steno.Failure{Status: 429, RetryIn: 15, Retryable: true, Raw: []byte(`{"message":"slow","status":500}`)},
		},
		{"hostile pause", 429, http.Header{"Retry-After": {"1e300"}}, "x", "x", steno.Failure{Status: 429, RetryIn: 86400000, Retryable: true, Raw: []byte(`"x"`)}},
		{"a date", 429, http.Header{"Retry-After": {"Fri, 31 Dec 1999 23:59:59 GMT"}}, "x", "x", steno.Failure{Status: 429, Retryable: true, Raw: []byte(`"x"`)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got *steno.Event
			x := &Exchange{Status: tc.status, Header: tc.header}
			w := x.Failure(func(e *steno.Event) error { got = e; return nil })
			for _, c := range []byte(tc.body) {
				w.Write([]byte{c})
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			want := &steno.Event{Type: steno.Error, Text: tc.text, Body: &tc.failure}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("large", func(t *testing.T) {
		w := (&Exchange{Status: 500}).Failure(func(*steno.Event) error { return steno.ErrClosed })
		if n, err := w.Write(make([]byte, 3*maxFailure)); n != 3*maxFailure || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if err := w.Close(); !errors.Is(err, steno.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// TestErrorStatus: an error goes through the same way, with its status.
func TestErrorStatus(t *testing.T) {
	r := new(tape)
	c, url := setup(t, r, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(503)
		io.WriteString(w, "busy")
	})
	resp := post(t, c, url+"/v1/messages")
	if got := all(t, resp); got != "busy" || resp.StatusCode != 503 {
		t.Errorf("got %d %q", resp.StatusCode, got)
	}
	if r.exchange.Status != 503 || r.text() != "busy" || r.closed != 1 {
		t.Errorf("recorded %d %q", r.exchange.Status, r.text())
	}
}
