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

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/view"
)

// perConversation is how many kills one conversation takes, so that all its
// turns stay in the largest window.
const perConversation = 40

// TestG39Kill kills the server with signal 9 at random moments of a streaming
// turn while a client watches. After each: what the client has at its cursor is
// the fold of the journal up to there, byte for byte; seq is gapless; the turn
// before was closed as interrupted, and the turn that is killed next shows that
// turns still work.
func TestG39Kill(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	dir := t.TempDir()
	k := &killing{dir: dir}
	defer func() {
		t.Logf("%d kills, %d of them with the watcher inside the turn; deltas seen: %d; resyncs %d", k.kills, k.inside, k.deltas, k.resyncs)
	}()
	for k.kills < kills {
		k.round(t)
	}
	p := startProcess(t, dir)
	rec, err := p.client.Record(t.Context(), k.id, format, strings.NewReader(delta("at last")+stop))
	if err != nil || rec.Finish != steno.FinishComplete {
		t.Fatalf("the last turn: %+v, %v", rec, err)
	}
	w := newWatcher(k.id)
	if err := w.snapshot(t.Context(), p.address, p.token); err != nil {
		t.Fatal(err)
	}
	p.kill()
	seq, state := w.at(t)
	k.checkFold(t, seq, state)
}

// killing is the state between rounds.
type killing struct {
	dir     string
	id      string
	watcher *watcher
	turns   int // that were begun in the conversation

	kills, inside, deltas, resyncs int
}

// round starts the server, streams a turn, kills it and checks.
func (k *killing) round(t *testing.T) {
	p := startProcess(t, k.dir)
	if k.kills%perConversation == 0 {
		k.id, k.turns = create(t, p.client), 0
		k.watcher = newWatcher(k.id)
	}
	k.kills++
	k.turns++
	resyncs := k.watcher.resyncs
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var killed atomic.Bool
	wg.Go(func() {
		if err := k.watcher.watch(ctx, p.address, p.token); err != nil && !killed.Load() {
			t.Errorf("watch: %v", err)
		}
	})
	r, w := io.Pipe()
	begun := make(chan struct{})
	wg.Go(func() { // the provider; it does not notice
		for i := range 1_000_000 {
			if _, err := io.WriteString(w, delta(fmt.Sprintf("%d😀 ", i))); err != nil {
				return
			}
			if i == 0 {
				close(begun)
			}
			time.Sleep(100 * time.Microsecond)
		}
	})
	wg.Go(func() {
		_, err := p.client.Record(ctx, k.id, format, r)
		r.CloseWithError(fmt.Errorf("the server is gone: %w", io.ErrClosedPipe))
		if err == nil {
			t.Error("an answer without end was recorded")
		}
	})
	<-begun
	time.Sleep(time.Duration(rand.Int64N(int64(60 * time.Millisecond))))
	killed.Store(true)
	p.kill()
	wg.Wait()
	k.resyncs += k.watcher.resyncs - resyncs
	seq, state := k.watcher.at(t)
	k.checkFold(t, seq, state)
}

// checkFold reads the journal as the kill has left it, and folds it up to where
// the watcher is.
func (k *killing) checkFold(t *testing.T, seq int64, state string) {
	t.Helper()
	s, err := sqlite.OpenReadOnly(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	live := transcript.NewLive(projection.Options[steno.Event]{})
	defer live.Close()
	head, starts, interrupted := int64(0), 0, 0
	err = live.Batch(func() error {
		for e, err := range s.Read(t.Context(), k.id, 0) {
			if err != nil {
				return err
			}
			if e.Seq != head+1 {
				return fmt.Errorf("seq %d follows %d", e.Seq, head)
			}
			head = e.Seq
			switch e.Type {
			case steno.TurnStart:
				starts++
			case steno.TurnEnd:
				if e.Body.(*steno.Turn).Reason == steno.FinishInterrupted {
					interrupted++
				}
			case steno.TextDelta:
				if e.Seq <= seq {
					k.deltas++
				}
			}
			if e.Seq <= seq {
				if err := live.Push(e); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seq > head {
		t.Fatalf("the client saw up to %d, the journal ends at %d", seq, head)
	}
	if starts > 0 && interrupted < starts-1 {
		t.Errorf("%d turns, %d of them closed as interrupted", starts, interrupted)
	}
	if starts == 0 || seq < 0 {
		return // killed before anything was there
	}
	if live.Running() {
		k.inside++
	}
	at := fold(t, k.id, live)
	if at != state {
		t.Fatalf("kill %d: at %d of %d the client has\n%s\nthe journal\n%s", k.kills, seq, head, state, at)
	}
}

// fold is what a viewer of a folded transcript sees.
func fold(t *testing.T, branch string, live *transcript.Live) string {
	t.Helper()
	v := view.NewLive(branch)
	v.Publish(live.Current())
	_, data := v.Snapshot(view.MaxWindow)
	var r view.Replica
	if err := r.Apply(data); err != nil {
		t.Fatal(err)
	}
	return canonical(t, &r)
}
