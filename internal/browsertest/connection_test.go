package browsertest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// idleProxy passes connections on to a server and cuts each on which nothing
// came back for a while, as proxies do. It counts the event streams it cut.
type idleProxy struct {
	net.Listener
	mu   sync.Mutex
	cuts int
	wg   sync.WaitGroup
}

// newIdleProxy listens, and passes on to the address it is later given.
func newIdleProxy(t *testing.T, to string, idle time.Duration) *idleProxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &idleProxy{Listener: ln}
	p.wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.pass(conn, to, idle) })
		}
	})
	t.Cleanup(func() { ln.Close(); p.wg.Wait() })
	return p
}

func (p *idleProxy) pass(client net.Conn, to string, idle time.Duration) {
	defer client.Close()
	back, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer back.Close()
	p.wg.Go(func() {
		_, _ = io.Copy(back, client) // ends when either side does
		back.Close()
	})
	buf := make([]byte, 32<<10)
	streams := false
	for {
		_ = back.SetReadDeadline(time.Now().Add(idle)) // on a live connection it cannot fail
		n, err := back.Read(buf)
		streams = streams || bytes.Contains(buf[:n], []byte("text/event-stream"))
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() && streams {
				p.mu.Lock()
				p.cuts++
				p.mu.Unlock()
			}
			return
		}
	}
}

func (p *idleProxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// through opens a conversation by way of a proxy.
func through(t *testing.T, s *site, proxy *idleProxy, id string) *page {
	t.Helper()
	direct := s.addr
	p := newPage(t, s)
	link := strings.Replace(s.srv.SignInLink(), direct, proxy.Addr().String(), 1)
	p.navigate(link)
	p.wait("the page is there", `document.querySelector('[data-testid=app]')`)
	p.navigate("http://" + proxy.Addr().String() + "/c/" + id + "?debug=1")
	p.wait("the conversation is shown", `document.querySelector('[data-ready=true]')`)
	return p
}

// G36: a proxy cuts the stream while a tool is silent. The page says so, comes
// back and misses nothing.
func TestG36IdleStreamIsCut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.conversation("Behind a proxy")
	a := s.answer(id)
	block := a.start("text")
	a.text(block, "Before the silence. ")
	proxy := newIdleProxy(t, s.addr, 700*time.Millisecond)
	p := through(t, s, proxy, id)
	p.wait("the beginning is seen", `document.body.textContent.includes('Before the silence.')`)
	p.wait("the cut is shown", `document.querySelector('[data-testid=offline]')`)
	p.wait("and mended", `!document.querySelector('[data-testid=offline]')`)
	for i := range 30 {
		a.text(block, fmt.Sprintf("after%d ", i))
		time.Sleep(20 * time.Millisecond)
	}
	a.end()
	p.settled(s.head(id))
	p.shows(id)
	if proxy.count() == 0 {
		t.Error("nothing was cut")
	}
	if n := eval[int](p, `__steno.stats().snapshots`); n != 1 {
		t.Errorf("the page read %d snapshots instead of resuming", n)
	}
	p.noTrouble()
}

// G36: bytes come at least every 20 s, so that a proxy with that patience cuts
// nothing, and they change nothing.
func TestG36HeartbeatKeepsTheStream(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.conversation("Silent")
	a := s.answer(id)
	a.text(a.start("text"), "A tool works in silence. ")
	const patience = 20 * time.Second
	proxy := newIdleProxy(t, s.addr, patience)
	p := through(t, s, proxy, id)
	p.wait("it is seen", `document.body.textContent.includes('in silence.')`)
	const held = `JSON.stringify([__steno.cursor(), __steno.stats().events, __steno.state()])`
	before := eval[string](p, held)
	time.Sleep(patience + time.Second)
	if after := eval[string](p, held); after != before {
		t.Errorf("heartbeats changed the page from %s to %s", before, after)
	}
	if n := proxy.count(); n != 0 {
		t.Errorf("%d streams were silent for so long that they were cut", n)
	}
	a.end()
	p.settled(s.head(id))
	p.noTrouble()
}

// G04: what is written into a stream is read from it, by a strict reader and
// by ours, whatever line ends and field names stand in it.
func TestG04Payloads(t *testing.T) {
	t.Parallel()
	payloads := strs(t, "G04", "payloads.json")
	s := newSite(t)
	id := s.conversation("Payloads")
	a := s.answer(id)
	block := a.start("text")
	p := openConversation(t, s, id)
	p.do(`probe.listen('/v1/conversations/' + $0 + '/view')`, id)
	p.wait("the strict reader listens", `probe.heard.length > 0`)
	var whole strings.Builder
	for _, payload := range payloads {
		a.text(block, payload)
		whole.WriteString(payload)
		p.wait("both readers have "+payload, `probe.heardText() === $0 && String(Object.values(__steno.state()).flat().find(([key, node]) => node.kind === 'text')?.[1].text ?? '') === $0`, whole.String())
	}
	a.end()
	p.settled(s.head(id))
	if bad := eval[[]string](p, `probe.heard.filter(({ type, id, data }) => type !== 'message' || !/^[^:]+:\d+$/.test(id) || id.endsWith(':999') || data.includes('\n')).map((event) => JSON.stringify(event))`); len(bad) > 0 {
		t.Errorf("the strict reader heard %q", bad)
	}
	p.do(`probe.listening.close()`)
	p.noTrouble()
}

// Signed out, by whatever, the page says how to come back; nothing is shown to
// who is not signed in.
func TestSignedOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.conversation("Private")
	p := newPage(t, s)
	p.visit("/c/" + id)
	p.wait("it says so", `document.querySelector('[data-testid=signed-out]')`)
	if eval[bool](p, `document.body.textContent.includes('Private')`) {
		t.Error("a title is shown to a stranger")
	}
	p.signIn()
	p.visit("/c/" + id)
	p.wait("signed in it is shown", `document.querySelector('h1')?.textContent === 'Private'`)
	p.cookiesGone()
	s.conns.cut()
	p.wait("when the session is gone it says so", `document.querySelector('[data-testid=signed-out]')`)
	if eval[bool](p, `document.body.textContent.includes('Private')`) {
		t.Error("the conversation is still shown")
	}
	// Signed in again in another tab of the same browser, it goes on.
	p.do(`fetch($0, { credentials: 'same-origin' })`, strings.TrimPrefix(s.srv.SignInLink(), "http://"+s.addr))
	p.frames(10)
	p.click("[data-testid=signed-out] button")
	p.wait("signed in again it goes on", `document.querySelector('h1')?.textContent === 'Private'`)
	p.noTrouble()
}

// A device without network, or a server that is gone, is said; what was there
// stays on the screen, and when all is back the page goes on by itself.
func TestOfflineAndBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.conversation("On a train")
	a := s.answer(id)
	block := a.start("text")
	a.text(block, "Before the tunnel. ")
	p := openConversation(t, s, id)
	p.wait("it is seen", `document.body.textContent.includes('Before the tunnel.')`)
	p.offline(true)
	s.conns.cut()
	p.wait("it says that the device is offline", `document.querySelector('[data-testid=offline]')?.textContent.includes('offline')`)
	a.text(block, "In the tunnel. ")
	if !eval[bool](p, `document.querySelector('.part').textContent.includes('Before the tunnel.')`) {
		t.Error("what was there is gone")
	}
	p.offline(false)
	p.wait("it goes on", `!document.querySelector('[data-testid=offline]') && document.body.textContent.includes('In the tunnel.')`)
	a.end()
	p.settled(s.head(id))
	p.shows(id)

	s.kill()
	p.wait("after a restart it is live again", `!document.querySelector('[data-testid=offline]')`)
	a = s.answer(id)
	a.text(a.start("text"), "After the restart. ")
	a.end()
	p.settled(s.head(id))
	p.shows(id)
	p.noTrouble()
}
