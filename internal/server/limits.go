package server

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/stenolog/steno/internal/catalogue"
)

// Limits are what one server takes. A zero field has the default.
type Limits struct {
	Body   int64 // bytes of a JSON body, then 413; default 1 MiB
	Play   int64 // bytes of files to play, then 413; default 64 MiB
	Record int64 // bytes of one recorded answer, then 413; default 1 GiB

	Header int // bytes of a request's headers, then 431; default 32 KiB

	Rate  int // requests a second for each token, cookie or address, then 429; default 200
	Burst int // how many may come at once; default 2,000

	StreamsEach int // open streams for each token or cookie, then 429; default 2,000
	Streams     int // open streams in all, then 503; default 20,000
	Requests    int // requests worked on at once, streams apart, then 503; default 256
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Body:        cmp.Or(l.Body, 1<<20),
		Play:        cmp.Or(l.Play, 64<<20),
		Record:      cmp.Or(l.Record, 1<<30),
		Header:      cmp.Or(l.Header, 32<<10),
		Rate:        cmp.Or(l.Rate, 200),
		Burst:       cmp.Or(l.Burst, 2000),
		StreamsEach: cmp.Or(l.StreamsEach, 2000),
		Streams:     cmp.Or(l.Streams, 20000),
		Requests:    cmp.Or(l.Requests, 256),
	}
}

func (l Limits) rateText() string {
	return fmt.Sprintf("the limit is %d a second, %d at once", l.Rate, l.Burst)
}

func (l Limits) requestsText() string {
	return fmt.Sprintf("the limit is %d at once", l.Requests)
}

// maxBuckets bounds the memory of the rate limiter.
const maxBuckets = 10_000

// limiter counts requests and streams for each key: a principal's id, or an
// address where there is none.
type limiter struct {
	limits Limits
	now    func() time.Time

	mu struct {
		sync.Mutex
		buckets map[string]*rate.Limiter
		streams map[string]int
		total   int
	}
}

func newLimiter(l Limits, now func() time.Time) *limiter {
	lim := &limiter{limits: l, now: now}
	lim.mu.buckets = map[string]*rate.Limiter{}
	lim.mu.streams = map[string]int{}
	return lim
}

// allow takes one request of a key, or says how long to wait for the next.
func (l *limiter) allow(key string) (wait time.Duration, ok bool) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.mu.buckets[key]
	if b == nil {
		if len(l.mu.buckets) >= maxBuckets {
			l.evict(now)
		}
		b = rate.NewLimiter(rate.Limit(l.limits.Rate), l.limits.Burst)
		l.mu.buckets[key] = b
	}
	if b.AllowN(now, 1) {
		return 0, true
	}
	return time.Second, false
}

// evict forgets the keys whose bucket is full, as a new one would be, and all
// of them if none is. Requires mu.
func (l *limiter) evict(now time.Time) {
	for k, b := range l.mu.buckets {
		if b.TokensAt(now) >= float64(l.limits.Burst) {
			delete(l.mu.buckets, k)
		}
	}
	if len(l.mu.buckets) >= maxBuckets {
		clear(l.mu.buckets)
	}
}

// openStream takes a place for a stream of a key; release gives it back.
func (l *limiter) openStream(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.mu.total >= l.limits.Streams:
		return catalogue.New(catalogue.Overload, fmt.Sprintf("the limit is %d streams in all", l.limits.Streams))
	case l.mu.streams[key] >= l.limits.StreamsEach:
		return catalogue.New(catalogue.StreamLimit, fmt.Sprintf("the limit is %d", l.limits.StreamsEach))
	}
	l.mu.total++
	l.mu.streams[key]++
	return nil
}

func (l *limiter) closeStream(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.total--
	if l.mu.streams[key]--; l.mu.streams[key] == 0 {
		delete(l.mu.streams, key)
	}
}

// retryLater sets Retry-After, in whole seconds, and returns the error.
func retryLater(w http.ResponseWriter, wait time.Duration, code catalogue.Code, detail string) error {
	w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	return catalogue.New(code, detail)
}

// remoteIP is the address a request came from. Headers that claim another are
// not believed.
func remoteIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
