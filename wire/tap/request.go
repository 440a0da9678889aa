package tap

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// MaxRequest is how much of a request's body is kept for the recorder, in
// bytes. The request itself is not limited.
const MaxRequest = 64 << 20

// sent is what has been read of a request's body. The transport that sends it
// does so on a goroutine of its own and may not be done when the answer begins.
type sent struct {
	length int64 // -1 if it is not known

	mu struct {
		sync.Mutex
		by    *tee // the reader that counts: of the last time it was sent
		body  []byte
		ended bool
		cut   bool
	}
}

// watch returns a request that is req, and keeps what is read of its body.
func watch(req *http.Request) (*http.Request, *sent) {
	s := &sent{length: req.ContentLength}
	if req.Body == nil || req.Body == http.NoBody {
		s.mu.ended = true
		return req, s
	}
	out := req.WithContext(req.Context())
	if s.length == 0 {
		s.length = -1 // with a body, 0 means unknown
	}
	out.Body = s.begin(req.Body)
	if again := req.GetBody; again != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return s.begin(body), nil
		}
	}
	return out, s
}

// begin forgets what was read: the request is sent from its beginning.
func (s *sent) begin(body io.ReadCloser) io.ReadCloser {
	t := &tee{body, s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.by, s.mu.body, s.mu.ended, s.mu.cut = t, nil, false, false
	return t
}

func (s *sent) add(by *tee, p []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.by != by {
		return
	}
	room := min(len(p), MaxRequest-len(s.mu.body))
	s.mu.body = append(s.mu.body, p[:room]...)
	s.mu.cut = s.mu.cut || room < len(p)
	s.mu.ended = s.mu.ended || errors.Is(err, io.EOF) || int64(len(s.mu.body)) == s.length
}

// taken returns what was read so far and whether that is all of it.
func (s *sent) taken() (body []byte, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.mu.body)
	return s.mu.body[:n:n], s.mu.ended && !s.mu.cut
}

// tee is a request's body that is kept as it is read.
type tee struct {
	io.ReadCloser
	sent *sent
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.sent.add(t, p[:n], err)
	return n, err
}
