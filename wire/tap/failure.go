package tap

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/frame"
)

// maxFailure is how much of an error body is read, in bytes.
const maxFailure = 1 << 20

// Failure returns a writer for the body of an answer with an error status. When
// it is closed it passes on one error event: with the status, and with the
// message, the code and the body as far as there are any. Whatever ended the
// body early, the status holds. record may keep the event; its error is Close's.
func (x *Exchange) Failure(record func(*steno.Event) error) io.WriteCloser {
	return &failing{exchange: x, record: record}
}

type failing struct {
	exchange *Exchange
	record   func(*steno.Event) error
	body     []byte
}

// Write implements [io.Writer].
func (f *failing) Write(p []byte) (int, error) {
	f.body = append(f.body, p[:min(len(p), maxFailure-len(f.body))]...)
	return len(p), nil
}

// Close implements [io.Closer].
func (f *failing) Close() error {
	message, failure, ok := frame.Failure(f.body)
	if !ok {
		message, failure = frame.TextFailure(f.body)
	}
	status := f.exchange.Status
	if message == "" {
		message = http.StatusText(status)
	}
	failure.Status = status
	failure.Retryable = status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
	failure.RetryIn = retryIn(f.exchange.Header)
	return f.record(&steno.Event{Type: steno.Error, Text: message, Body: failure})
}

// retryIn reads how long the provider wants to be left alone, in milliseconds;
// 0 if it does not say, or says it as a date, which a clock would have to read.
func retryIn(h http.Header) int64 {
	const longest = int64(24 * time.Hour / time.Millisecond)
	for _, in := range []struct {
		name string
		unit float64
	}{{"Retry-After-Ms", 1}, {"Retry-After", 1000}} {
		if n, err := strconv.ParseFloat(h.Get(in.name), 64); err == nil && n > 0 {
			return int64(min(n*in.unit, float64(longest)))
		}
	}
	return 0
}
