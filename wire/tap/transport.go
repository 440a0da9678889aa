package tap

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stenolog/steno"
)

// Exchange is a request and the beginning of its answer. It holds no secrets;
// see the package.
type Exchange struct {
	// Format names the wire format of the answer, or is formats.Guessed.
	Format string

	Method, URL string
	// Request holds the request's harmless headers.
	Request http.Header
	// Body is what was sent of the request until the answer began. Whole says
	// that it is all: a provider may answer, with an error usually, before it
	// has read the request, and no more than [MaxRequest] is kept.
	Body  []byte
	Whole bool

	// Status is the HTTP status. From 400 on the answer is an error body, which
	// need not be in the format or come from the provider at all; [Exchange.Failure]
	// makes an event of it.
	Status int
	// Header holds the answer's harmless headers.
	Header http.Header
}

// Transport is an [http.RoundTripper] that records provider calls as they pass.
//
// # Concurrency
//
// A Transport may be used by any number of goroutines. The writer of one
// exchange is used by one goroutine at a time.
type Transport struct {
	// Base does the work. Nil means [http.DefaultTransport].
	Base http.RoundTripper

	// Open is called when an answer's header is there, before the program sees
	// it, and returns what takes the answer's bytes. It is not called for what
	// is no provider call ([Format] knows), nor for a request that got no
	// answer: the program has that error. A nil writer means not to record the
	// exchange; so does an error, which is reported.
	//
	// A writer borrows the bytes until Write returns. Close is called once,
	// whatever happens. If the writer has a method CloseWithError(error) error,
	// as [io.PipeWriter] has, and the answer did not reach its end, that is
	// called instead, with what stopped it: an error that wraps
	// [steno.ErrIncomplete], and the context's if the program gave up.
	Open func(ctx context.Context, x *Exchange) (io.WriteCloser, error)

	// Format names the format of every answer. Empty means to guess it from
	// each request, and to record nothing but provider calls.
	Format string

	// Report is told what could not be recorded and why. It may be called by
	// several goroutines at once and must not touch the response. Nil means
	// that nobody is told.
	Report func(error)
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Open == nil {
		return base.RoundTrip(req)
	}
	watched, sent := req, new(sent)
	if t.Format != "" || mayCall(req) {
		watched, sent = watch(req)
	}
	resp, err := base.RoundTrip(watched)
	if err != nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, err
	}
	format := t.Format
	if format == "" {
		format = Format(req, resp)
	}
	if format != "" {
		t.record(req, resp, format, sent)
	}
	return resp, nil
}

// record opens the recorder and puts it into the response's body.
func (t *Transport) record(req *http.Request, resp *http.Response, format string, sent *sent) {
	x := &Exchange{
		Format: format,
		Method: req.Method, URL: address(req.URL), Request: headers(req.Header),
		Status: resp.StatusCode, Header: headers(resp.Header),
	}
	x.Body, x.Whole = sent.taken()
	report := func(err error) {
		if t.Report != nil {
			t.Report(fmt.Errorf("record %s %s: %w", x.Method, x.URL, err))
		}
	}
	encoding := strings.ToLower(resp.Header.Get("Content-Encoding"))
	switch encoding {
	case "", "identity", "gzip", "x-gzip":
	default:
		report(fmt.Errorf("content encoding %q: %w", encoding, steno.ErrUnsupported))
		return
	}
	w, err := t.Open(req.Context(), x)
	if err != nil {
		report(err)
		return
	}
	if w == nil {
		return
	}
	b := &body{ReadCloser: resp.Body, report: report}
	b.mu.w = w
	if strings.HasSuffix(encoding, "gzip") {
		b.mu.undo = newUndo(w)
	}
	resp.Body = b
}
