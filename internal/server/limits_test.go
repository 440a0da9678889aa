package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLimit413(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits = Limits{Body: 20, Play: 30, Record: 40} })
	for target, limit := range map[string]int{"/v1/conversations": 20, "/v1/play": 30, "/v1/conversations/c1/record?from=x": 40} {
		body := `{"title":"` + strings.Repeat("x", limit) + `"}`
		w := b.do(request("POST", target, b.tokens[config.Write], body))
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), fmt.Sprintf("the limit is %d bytes", limit)) {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if got := b.store.bodies["c1"]; len(got) != 40 {
		t.Errorf("what came before the limit is not kept: %d bytes", len(got))
	}
}

func TestLimit431(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Header = 1 << 10 })
	addr, stop := serve(t, b)
	defer stop()
	r, _ := http.NewRequest("GET", "http://"+addr+"/healthz", nil)
	r.Header.Set("X-Long", strings.Repeat("x", 16<<10))
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d", res.StatusCode)
	}
}

func TestLimit429Rate(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	b := newBench(t, func(o *Options) {
		o.Limits = Limits{Rate: 1, Burst: 2}
		o.Now = func() time.Time { return now }
	})
	get := func(token string) int {
		w := b.do(request("GET", "/v1/conversations", token, ""))
		if w.Code == http.StatusTooManyRequests && (w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "1 a second, 2 at once")) {
			t.Errorf("%v %s", w.Header(), w.Body)
		}
		return w.Code
	}
	read, write := b.tokens[config.Read], b.tokens[config.Write]
	got := fmt.Sprint(get(read), get(read), get(read), get(write), get("bad"), get("bad"), get("bad"))
	if got != "200 200 429 200 401 401 429" {
		t.Error(got)
	}
	now = now.Add(time.Second)
	if got := get(read); got != 200 {
		t.Errorf("after a second: %d", got)
	}
}

func TestLimiterMemoryIsBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := newLimiter(Limits{}.withDefaults(), func() time.Time { return now })
	for i := range 3 * maxBuckets {
		l.allow(fmt.Sprint(i))
	}
	if n := len(l.mu.buckets); n > maxBuckets {
		t.Errorf("%d buckets", n)
	}
}

func TestLimitStreams(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits = Limits{StreamsEach: 1, Streams: 2} })
	addr, stop := serve(t, b)
	defer stop()
	first := openStream(t, addr, "/v1/events", b.tokens[config.Read])
	defer first.Body.Close()
	status := func(scope config.Scope) int {
		res := openStream(t, addr, "/v1/events", b.tokens[scope])
		defer res.Body.Close()
		return res.StatusCode
	}
	if got := status(config.Read); got != http.StatusTooManyRequests {
		t.Errorf("a second stream of a token: %d", got)
	}
	second := openStream(t, addr, "/v1/events", b.tokens[config.Write])
	defer second.Body.Close()
	if got := status(config.Admin); got != http.StatusServiceUnavailable {
		t.Errorf("a third stream in all: %d", got)
	}
}

func TestLimit503Overload(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Requests = 1 })
	b.store.block = make(chan struct{})
	done := make(chan int)
	go func() { done <- b.do(request("GET", "/v1/conversations", b.tokens[config.Read], "")).Code }()
	for b.requests.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	w := b.do(request("GET", "/v1/play", b.tokens[config.Read], ""))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "the limit is 1 at once") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	close(b.store.block)
	if got := <-done; got != 200 {
		t.Errorf("%d", got)
	}
}

func TestDrainingAnswers503(t *testing.T) {
	b := newBench(t)
	b.Drain()
	b.Drain()
	for target, want := range map[string]int{"/v1/conversations": 503, "/readyz": 503, "/healthz": 200, "/": 503} {
		if w := b.do(request("GET", target, b.tokens[config.Read], "")); w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

// client keeps no connections, so that none outlives its test.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// serve runs b on a port of its own until stop is called.
func serve(t *testing.T, b *bench) (addr string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, ln) }()
	return ln.Addr().String(), func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func openStream(t *testing.T, addr, path, token string) *http.Response {
	t.Helper()
	r, _ := http.NewRequest("GET", "http://"+addr+path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// rest reads a stream to its end.
func rest(t *testing.T, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func TestShutdownDrainsStreamsWithAHint(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Grace = time.Minute })
	b.store.list = []api.Conversation{{ID: "c1"}}
	addr, stop := serve(t, b)
	view := openStream(t, addr, "/v1/conversations/c1/view", b.tokens[config.Read])
	list := openStream(t, addr, "/v1/events", b.tokens[config.Read])
	events := openStream(t, addr, "/v1/conversations/c1/events?follow=1", b.tokens[config.Read])
	stop() // returns long before the grace time, or the test times out
	if got := rest(t, view); got != "id: c1:1\ndata: {}\n\n"+"retry: 1000\n\n" {
		t.Errorf("view: %q", got)
	}
	if got := rest(t, list); got != ": open\n\n"+"retry: 1000\n\n" {
		t.Errorf("list: %q", got)
	}
	if got := rest(t, events); strings.TrimSpace(got) != "" {
		t.Errorf("events: %q", got)
	}
}

func TestAPlayThatIsWaitedForEndsAtShutdown(t *testing.T) {
	b := newBench(t)
	done := make(chan int)
	go func() { done <- b.do(request("POST", "/v1/play", b.tokens[config.Write], `{"wait":true}`)).Code }()
	for b.requests.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	b.Drain()
	if got := <-done; got != http.StatusServiceUnavailable {
		t.Errorf("%d", got)
	}
}

func TestARequestThatOutlivesTheGraceIsCut(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Grace = time.Millisecond })
	b.store.block = make(chan struct{}) // never closed: only the cut ends it
	addr, stop := serve(t, b)
	done := make(chan error, 1)
	go func() {
		r, _ := http.NewRequest("GET", "http://"+addr+"/v1/conversations", nil)
		r.Header.Set("Authorization", "Bearer "+b.tokens[config.Read])
		res, err := client.Do(r)
		if err == nil {
			res.Body.Close()
		}
		done <- err
	}()
	for b.requests.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-done; err == nil {
		t.Error("it was answered")
	}
}

func TestRevokingATokenEndsItsStreams(t *testing.T) {
	released := make(chan struct{}, 1)
	b := newBench(t, func(o *Options) { o.Views = &fakeViews{released} })
	addr, stop := serve(t, b)
	defer stop()
	view := openStream(t, addr, "/v1/conversations/c1/view", b.tokens[config.Read])
	other := openStream(t, addr, "/v1/events", b.tokens[config.Write])
	defer other.Body.Close()
	if w := b.do(request("DELETE", "/v1/tokens/read", b.tokens[config.Admin], "")); w.Code != http.StatusNoContent {
		t.Fatal(w.Code)
	}
	if got := rest(t, view); strings.Contains(got, "retry:") {
		t.Errorf("a revoked viewer is asked back: %q", got)
	}
	<-released
	b.do(request("POST", "/v1/conversations", b.tokens[config.Admin], `{"title":"T"}`))
	sc := bufio.NewScanner(other.Body)
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "data: ") {
			return // the other token's stream goes on
		}
	}
	t.Error("the other stream ended")
}

func TestAStreamBeatsWhileItIsSilent(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Heartbeat = time.Millisecond })
	addr, stop := serve(t, b)
	defer stop()
	res := openStream(t, addr, "/v1/events", b.tokens[config.Read])
	defer res.Body.Close()
	h := res.Header
	if h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-cache, no-transform" || h.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%v", h)
	}
	buf := make([]byte, len(": open\n\n: \n\n: \n\n"))
	if _, err := io.ReadFull(res.Body, buf); err != nil || string(buf) != ": open\n\n: \n\n: \n\n" {
		t.Errorf("%q %v", buf, err)
	}
}

func TestOnlyBareHTTPBeyondLoopbackWarns(t *testing.T) {
	for addr, want := range map[string]bool{"127.0.0.1": false, "::1": false, "0.0.0.0": true, "10.0.0.1": true} {
		b := newBench(t)
		if got := b.exposed(&net.TCPAddr{IP: net.ParseIP(addr)}); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}
