package view

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/text"
	"github.com/stenolog/steno/transcript"
)

// wire is a ResponseWriter whose reader can be stopped: Write then blocks, as
// on a full connection.
type wire struct {
	http.ResponseWriter // its header; never written to
	mu                  sync.Mutex
	client              *client
	t                   *testing.T
	first               []byte
	writes              []time.Time
	stopped             chan struct{} // Write waits until it is closed
	ended               chan struct{} // closed when the stream has ended
	largest             int
}

func (w *wire) WriteHeader(int) {}

func (w *wire) Flush() {}

func (w *wire) SetWriteDeadline(time.Time) error { return nil }

func (w *wire) Write(p []byte) (int, error) {
	if w.stopped != nil {
		<-w.stopped
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		w.first = append([]byte{}, p...)
	}
	w.writes = append(w.writes, time.Now())
	w.largest = max(w.largest, len(p))
	w.client.feed(w.t, p)
	return len(p), nil
}

func (w *wire) do(f func(*client)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w.client)
}

// serve runs a stream until stop is called.
func serve(t *testing.T, l *Live, target string) (w *wire, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	w = &wire{ResponseWriter: httptest.NewRecorder(), client: &client{}, t: t, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil).WithContext(ctx))
	}()
	return w, func() { cancel(); <-w.ended }
}

// TestG36Heartbeat: the first byte comes before the first event, a comment
// without id at least every 15 s of silence, and proxies are told not to keep
// anything.
func TestG36Heartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriter()
		out, stop := serve(t, w.live, "/view")
		synctest.Wait()
		h := out.Header()
		if got := h.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("Content-Type is %q", got)
		}
		if got := h.Get("Cache-Control"); !strings.Contains(got, "no-cache") {
			t.Errorf("Cache-Control is %q", got)
		}
		if got := h.Get("X-Accel-Buffering"); got != "no" {
			t.Errorf("X-Accel-Buffering is %q", got)
		}
		if !strings.HasPrefix(string(out.first), ":") {
			t.Errorf("the first bytes are %q, want a comment", out.first)
		}
		before := out.client.events
		cursor := out.client.cursor
		time.Sleep(90*time.Second + time.Millisecond) // a silent tool
		synctest.Wait()
		last := out.writes[0]
		for _, at := range out.writes[1:] {
			if pause := at.Sub(last); pause > Heartbeat {
				t.Errorf("%v of silence", pause)
			}
			last = at
		}
		if time.Since(last) > Heartbeat {
			t.Errorf("nothing came for %v", time.Since(last))
		}
		if out.client.events != before || out.client.cursor != cursor {
			t.Error("a heartbeat was an event")
		}
		w.publish(w.insert("a", "k", "", item{Name: "after"}))
		synctest.Wait()
		if show(&out.client.replica) != w.String() {
			t.Errorf("after the silence\n%s", show(&out.client.replica))
		}
		stop()
	})
}

// TestEncodedOnce: a publication is one frame of bytes, whoever watches, and
// all of them have the same in the end.
func TestEncodedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriter()
		var viewers []*wire
		var stops []func()
		for range 100 {
			v, stop := serve(t, w.live, "/view")
			viewers, stops = append(viewers, v), append(stops, stop)
		}
		synctest.Wait()
		w.publish(w.insert("a", "k", "", item{}))
		for i := range 200 {
			w.publish(w.write("a", "k", func(v *item) { v.Body = v.Body.Append(fmt.Sprint(i)) }))
			if i%10 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		m := w.live.Metrics()
		if m.Frames != 201 || m.Snapshots != 1 || m.Resumes != 0 || m.Viewers != 100 {
			t.Errorf("%+v, want 201 frames, one snapshot and no catch-up", m)
		}
		for _, v := range viewers {
			if v.client.events != 202 || show(&v.client.replica) != w.String() {
				t.Errorf("a viewer had %d events and has\n%s", v.client.events, show(&v.client.replica))
			}
		}
		for _, stop := range stops {
			stop()
		}
		if n := w.live.Metrics().Viewers; n != 0 {
			t.Errorf("%d viewers are left", n)
		}
	})
}

// TestSlowViewer stops a viewer while 100,000 deltas come: the writer does not
// wait, nothing piles up for it, and it is told in one catch-up.
func TestSlowViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriter()
		w.publish(w.insert("a", "k", "", item{}))
		v, stop := serve(t, w.live, "/view")
		synctest.Wait()
		v.stopped = make(chan struct{})
		grow := func(v *item) { v.Body = v.Body.Append("0123456789abcdef") }
		w.publish(w.write("a", "k", grow))
		synctest.Wait() // it blocks in this one
		for range 1999 {
			w.publish(w.write("a", "k", grow)) // and the ring runs over
		}
		before, memory := v.client.events, heap()
		for range 98_000 {
			w.publish(w.write("a", "k", grow))
		}
		synctest.Wait()
		if v.client.events != before {
			t.Error("it read on while it was stopped")
		}
		// The text itself is 1.6 MB, held by the state, its buffer and the ring.
		if grown := heap() - memory; grown > 12<<20 {
			t.Errorf("%d bytes were held", grown)
		}
		close(v.stopped)
		synctest.Wait()
		if got := v.client.events - before; got != 2 { // the frame it blocked in, and the rest
			t.Errorf("it was told in %d events", got)
		}
		if m := w.live.Metrics(); m.Resumes != 1 || m.Snapshots != 1 {
			t.Errorf("%+v, want one catch-up and one snapshot", m)
		}
		if show(&v.client.replica) != w.String() {
			t.Error("its state is not the last")
		}
		stop()
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestWriterAlone: with nobody watching a delta costs a bounded number of
// allocations, the same for a small text and a large one and whatever else
// there is.
func TestWriterAlone(t *testing.T) {
	cost := func(nodes, length int) float64 {
		w := newWriter()
		for i := range nodes {
			w.publish(w.insert("a", fmt.Sprint("k", i), "", item{}))
		}
		v := &item{Body: text.Of(strings.Repeat("x", length))}
		w.publish(change("a", "k0", slot.Written, "", v))
		changes := []transcript.Change{{}}
		return testing.AllocsPerRun(3000, func() {
			next := *v
			next.Body = v.Body.Append("0123456789")
			v = &next
			changes[0] = change("a", "k0", slot.Written, "", v)
			w.publish(changes...)
		})
	}
	small, large := cost(10, 10), cost(10_000, 1<<20)
	t.Logf("%.1f allocations a publication, %.1f among 10,000 nodes in 1 MiB", small, large)
	if small > 16 || large > small+8 { // a deeper tree has more levels to copy
		t.Errorf("%.1f and %.1f allocations", small, large)
	}
}

func TestCloseTellsWhenToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriter()
		v, stop := serve(t, w.live, "/view")
		synctest.Wait()
		w.publish(w.insert("a", "k", "", item{}))
		w.live.Close()
		w.live.Close()
		synctest.Wait()
		if got := v.client.reader.Retry(); got != RetryAfter {
			t.Errorf("retry is %v, want %v", got, RetryAfter)
		}
		if show(&v.client.replica) != w.String() {
			t.Errorf("at the end it has\n%s", show(&v.client.replica))
		}
		stop()
	})
}

// TestStatus: running is told at first, when it changes, and after the frame
// that it belongs to.
func TestStatus(t *testing.T) {
	w := newWriter()
	c := &client{}
	s := connect(t, w.live, c)
	w.run = true
	w.publish(w.insert("a", "k", "", item{}))
	w.publish(w.write("a", "k", func(v *item) { v.N++ }))
	w.publish() // nothing to see
	s.pump(t)
	w.run = false
	w.publish() // nothing but that
	s.pump(t)
	if got := strings.Join(c.statuses, " "); got != `{"running":false} {"running":true} {"running":false}` {
		t.Errorf("statuses %s", got)
	}
}

// TestCursors: a stream begins where its viewer is, by header or query, and
// with a snapshot if it is nowhere.
func TestCursors(t *testing.T) {
	w := newWriter()
	w.publish(w.insert("a", "k", "", item{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the stream ends once it has sent what there is
	for _, c := range []struct {
		name, target, header string
		want                 string
	}{
		{"none", "/view", "", `data: {"snapshot":true,`},
		{"header", "/view", "b:1:0", `data: {"ops":[{"op":"insert"`},
		{"query", "/view?after=b:1:0", "", `data: {"ops":[{"op":"insert"`},
		{"header before query", "/view?after=b:1:1", "b:1:0", `data: {"ops":[{"op":"insert"`},
		{"up to date", "/view?after=b:1:1", "", "event: status"},
		{"another branch", "/view?after=c:1", "", `data: {"ops":[{"op":"resync"}]}` + "\n\n" + `id: b:1:1` + "\n" + `data: {"snapshot":true,`},
		{"the future", "/view?after=b:1:7", "", `data: {"ops":[{"op":"resync"}]}`},
		{"nonsense", "/view?after=%00", "", `data: {"ops":[{"op":"resync"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.target, nil).WithContext(ctx)
			if c.header != "" {
				r.Header.Set("Last-Event-ID", c.header)
			}
			out := httptest.NewRecorder()
			w.live.ServeHTTP(out, r)
			body := out.Body.String()
			if !strings.HasPrefix(body, ":") || !strings.Contains(body, c.want) {
				t.Errorf("got\n%s\nwant %s", body, c.want)
			}
		})
	}
}

// TestWindow: a window holds its newest turns and what belongs to none.
func TestWindow(t *testing.T) {
	w := newWriter()
	var changes []transcript.Change
	for turn := uint32(1); turn <= 250; turn++ {
		c := w.insert("a", fmt.Sprint("t", turn), "", item{})
		c.Turn = turn
		changes = append(changes, c)
	}
	w.publish(append(changes, w.insert("rows", "queued", "", item{}))...)
	for target, want := range map[string]struct {
		nodes int
		first uint32
		older bool
	}{
		"/snapshot":            {DefaultWindow, 231, true},
		"/snapshot?window=1":   {1, 250, true},
		"/snapshot?window=200": {200, 51, true},
	} {
		var r Replica
		if err := r.Apply(get(t, w.live, target).Body.Bytes()); err != nil {
			t.Fatal(err)
		}
		if len(r.Nodes("a")) != want.nodes || r.Window.First != want.first || r.Window.Older != want.older || len(r.Nodes("rows")) != 1 {
			t.Errorf("%s has %d nodes, window %+v", target, len(r.Nodes("a")), r.Window)
		}
	}
	for _, q := range []string{"0", "201", "-1", "x", "1.5"} {
		for _, path := range []string{"/snapshot", "/view"} {
			if out := get(t, w.live, path+"?window="+q); out.Code != http.StatusBadRequest {
				t.Errorf("%s?window=%s is answered %d", path, q, out.Code)
			}
		}
	}
	few := newWriter()
	c := few.insert("a", "t1", "", item{})
	c.Turn = 1
	few.publish(c)
	var r Replica
	_, data := few.live.Snapshot(1)
	if err := r.Apply(data); err != nil || r.Window.First != 1 || r.Window.Older {
		t.Errorf("of one turn the window is %+v, %v", r.Window, err)
	}
}

// TestG34SnapshotThenStream: the snapshot holds every open part, so who reads
// it and joins the stream with its id has no gap and no repeat.
func TestG34SnapshotThenStream(t *testing.T) {
	w := newWriter()
	w.publish(w.insert("a", "k", "", item{}))
	id, data := w.live.Snapshot(DefaultWindow)
	c := &client{cursor: id}
	if err := c.replica.Apply(data); err != nil {
		t.Fatal(err)
	}
	w.publish(w.write("a", "k", func(v *item) { v.Body = v.Body.Append("between") }))
	s := connect(t, w.live, c)
	w.publish(w.write("a", "k", func(v *item) { v.Body = v.Body.Append("after") }))
	s.pump(t)
	if c.snapshots != 0 || show(&c.replica) != w.String() {
		t.Errorf("%d snapshots:\n%s", c.snapshots, show(&c.replica))
	}
}

// TestManyReadersOneWriter is for the race detector.
func TestManyReadersOneWriter(t *testing.T) {
	w := newWriter()
	w.publish(w.insert("a", "k", "", item{}))
	var stops []func()
	var viewers []*wire
	for range 8 {
		v, stop := serve(t, w.live, "/view")
		viewers, stops = append(viewers, v), append(stops, stop)
	}
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			c := &client{}
			for {
				select {
				case <-done:
					return
				default:
				}
				connect(t, w.live, c)
				_, _ = w.live.Snapshot(DefaultWindow)
			}
		})
	}
	for i := range 3000 {
		w.publish(w.write("a", "k", func(v *item) { v.Body = v.Body.Append("😀"); v.N = i }))
	}
	close(done)
	wg.Wait()
	w.live.Close()
	want := w.String()
	for i, stop := range stops {
		<-viewers[i].ended // by itself, with the last state: one that leaves may miss it
		stop()
		viewers[i].do(func(c *client) {
			if got := show(&c.replica); got != want {
				t.Errorf("a viewer has\n%.200s", got)
			}
		})
	}
}
