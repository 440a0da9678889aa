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

	"github.com/stenolog/steno/internal/config"
)

// upload begins to record and returns where the body goes and the answer comes.
func (b *bench) upload(t *testing.T, addr string) (body *io.PipeWriter, answer <-chan string) {
	t.Helper()
	pr, pw := io.Pipe()
	r, _ := http.NewRequestWithContext(context.Background(), "POST", "http://"+addr+"/v1/conversations/c1/record?from=x", pr)
	r.Header.Set("Authorization", "Bearer "+b.tokens[config.Ingest])
	ch := make(chan string, 1)
	go func() {
		res, err := client.Do(r)
		if err != nil {
			ch <- err.Error()
			return
		}
		defer res.Body.Close()
		data, _ := io.ReadAll(res.Body)
		ch <- fmt.Sprint(res.StatusCode, " ", string(data))
	}()
	if _, err := io.WriteString(pw, "kept"); err != nil {
		t.Fatal(err)
	}
	for b.requests.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	return pw, ch
}

func (b *bench) body(id string) string {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	return b.store.bodies[id]
}

func TestRevokingATokenEndsItsUploads(t *testing.T) {
	b := newBench(t)
	addr, stop := serve(t, b)
	defer stop()
	body, answer := b.upload(t, addr)
	defer body.Close()
	if err := b.auth.RevokeToken(string(config.Ingest)); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; !strings.HasPrefix(got, "401 ") || !strings.Contains(got, "revoked") {
		t.Error(got)
	}
	if got := b.body("c1"); got != "kept" {
		t.Errorf("kept %q", got)
	}
}

func TestAnUploadIsToldOfTheShutdown(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Grace = 100 * time.Millisecond })
	addr, stop := serve(t, b)
	body, answer := b.upload(t, addr)
	defer body.Close()
	stop()
	if got := <-answer; !strings.HasPrefix(got, "503 ") || !strings.Contains(got, `"draining"`) {
		t.Error(got)
	}
	if got := b.body("c1"); got != "kept" {
		t.Errorf("kept %q", got)
	}
}

// A client without a token must not be able to hold its answer, and with it a
// connection, by sending its body slowly.
func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	b := newBench(t)
	addr, stop := serve(t, b)
	defer stop()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/conversations/c1/record?from=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nslow")
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized || !res.Close {
		t.Errorf("%d, close %v", res.StatusCode, res.Close)
	}
}

func TestHeadOfAStreamEndsAtOnce(t *testing.T) {
	b := newBench(t)
	for _, target := range []string{"/v1/events", "/v1/conversations/c1/view", "/v1/conversations/c1/events?follow=1"} {
		if w := b.do(request("HEAD", target, b.tokens[config.Read], "")); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

func TestHeadOfASignInLinkDoesNotUseItUp(t *testing.T) {
	b := newBench(t)
	_, link, _ := strings.Cut(b.SignInLink(), "7836")
	if w := b.do(request("HEAD", link, "", "")); w.Code != http.StatusBadRequest || len(w.Result().Cookies()) > 0 {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := b.do(request("GET", link, "", "")); w.Code != http.StatusSeeOther {
		t.Errorf("the link was used up: %d", w.Code)
	}
}
