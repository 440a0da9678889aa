package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stenolog/steno/internal/api"
)

// numbered streams deltas <1>, <2>, … into a conversation, a tick apart.
type numbered struct {
	deltas int
	tick   time.Duration
	sent   atomic.Int64
	want   strings.Builder
}

func (n *numbered) stream(ctx context.Context, h *inProcess, id string) (*api.Recorded, error) {
	r, w := io.Pipe()
	go func() {
		for i := 1; i <= n.deltas; i++ {
			text := fmt.Sprintf("<%d>", i)
			n.want.WriteString(text)
			if _, err := io.WriteString(w, delta(text)); err != nil {
				return
			}
			n.sent.Store(int64(i))
			time.Sleep(n.tick)
		}
		_, _ = io.WriteString(w, stop)
		w.Close()
	}()
	return h.store.Record(ctx, id, format, r)
}

// follow has watchers attach at random moments of the stream and returns when
// all have seen its end.
func follow(t *testing.T, n *numbered, watchers []*watcher, attach func(ctx context.Context, i int, h *inProcess, w *watcher) error) (h *inProcess, id string) {
	t.Helper()
	h = startHere(t, t.TempDir())
	id = create(t, h.store)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for i, w := range watchers {
		w.id = id
		moment := rand.Int64N(int64(n.deltas) * 9 / 10)
		wg.Go(func() {
			for n.sent.Load() < moment && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if err := attach(ctx, i, h, w); err != nil && ctx.Err() == nil {
				t.Errorf("watcher %d: %v", i, err)
			}
		})
	}
	rec, err := n.stream(ctx, h, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range watchers {
		waitFor(t, "the end of the stream", func() bool { return w.seq() >= rec.Last })
	}
	cancel()
	wg.Wait()
	return h, id
}

// check says that each watcher has the whole text once, and what the server has.
func (n *numbered) check(t *testing.T, h *inProcess, id string, watchers []*watcher) {
	t.Helper()
	last := newWatcher(id)
	if err := last.snapshot(t.Context(), h.address, h.token); err != nil {
		t.Fatal(err)
	}
	_, state := last.at(t)
	if !strings.Contains(state, `"text":"`+n.want.String()+`"`) {
		t.Fatalf("the server has %.300s", state)
	}
	for i, w := range watchers {
		if _, got := w.at(t); got != state {
			t.Errorf("watcher %d has %.500s", i, got)
		}
		if w.snapshots > 1 || w.resyncs > 0 {
			t.Errorf("watcher %d: %d snapshots, %d resyncs", i, w.snapshots, w.resyncs)
		}
	}
}

// TestG35 has 200 clients read the snapshot at random moments of a stream of
// 5,000 numbered deltas, some pause, and all go on with the stream: no gap, no
// repeat.
func TestG35(t *testing.T) {
	n := &numbered{deltas: 5000, tick: time.Millisecond}
	if testing.Short() {
		n.tick = 0
	}
	watchers := make([]*watcher, 200)
	for i := range watchers {
		watchers[i] = newWatcher("")
	}
	h, id := follow(t, n, watchers, func(ctx context.Context, i int, h *inProcess, w *watcher) error {
		if err := w.snapshot(ctx, h.address, h.token); err != nil {
			return err
		}
		if i%2 == 1 {
			time.Sleep(50 * time.Millisecond)
		}
		return w.watch(ctx, h.address, h.token)
	})
	n.check(t, h, id, watchers)
}

// TestThousandViewers has 1,000 viewers of one conversation, a tenth of which
// drop their connection now and then: all see the same, encoded once.
func TestThousandViewers(t *testing.T) {
	viewers := 1000
	if testing.Short() {
		viewers = 200
	}
	n := &numbered{deltas: 300, tick: 2 * time.Millisecond}
	watchers := make([]*watcher, viewers)
	for i := range watchers {
		watchers[i] = newWatcher("")
	}
	h, id := follow(t, n, watchers, func(ctx context.Context, i int, h *inProcess, w *watcher) error {
		for i%10 == 0 && ctx.Err() == nil {
			brief, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			err := w.watch(brief, h.address, h.token)
			cancel()
			if err != nil && brief.Err() == nil {
				return err
			}
		}
		return w.watch(ctx, h.address, h.token)
	})
	n.check(t, h, id, watchers)
}

// TestShutdownLosesNothing stops and starts the server between two answers,
// and a viewer goes on with its cursor.
func TestShutdownLosesNothing(t *testing.T) {
	dir := t.TempDir()
	h := startHere(t, dir)
	id := create(t, h.store)
	w := newWatcher(id)
	for i := range 3 {
		ended := make(chan error, 1)
		go func() { ended <- w.watch(t.Context(), h.address, h.token) }()
		rec, err := h.store.Record(t.Context(), id, format, strings.NewReader(delta(fmt.Sprint("answer ", i))+stop))
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the answer", func() bool { return w.seq() >= rec.Last })
		h.stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		h = startHere(t, dir)
	}
	last := newWatcher(id)
	if err := last.snapshot(t.Context(), h.address, h.token); err != nil {
		t.Fatal(err)
	}
	_, got := w.at(t)
	if _, want := last.at(t); got != want {
		t.Errorf("it has\n%s\nwant\n%s", got, want)
	}
}
