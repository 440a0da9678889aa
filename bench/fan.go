package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/view"
)

// crowds are the numbers of viewers of W7, and how many deltas each is told.
var crowds = []struct{ viewers, deltas int }{{1, 20_000}, {100, 5_000}, {10_000, 200}}

// perFrame is how many deltas a model says in the 16 ms of a frame, at a
// thousand a second.
const perFrame = 16

// fanOut is W7: one writer, many viewers. Ours are real streams, from the
// publication to the bytes written. The peer passes each delta, as a value, to
// a channel a viewer and does nothing with it: it encodes nothing and writes
// nothing. Beside it, a peer of which each viewer is given encoded frames and
// writes them as ours does.
func fanOut(n int) []line {
	variants := []variant{theFloor(), unwatched("nobody", 1), unwatched("nobody, 16 a frame", perFrame)}
	for _, c := range crowds {
		variants = append(variants, channels(c.viewers, c.deltas), writers(c.viewers, c.deltas),
			streams(c.viewers, c.deltas, 1), streams(c.viewers, c.deltas, perFrame))
	}
	r := interleave(n, variants)
	lines := []line{
		{work: "W7 nobody watches, a frame each delta", ours: duration(r.ns("nobody")), base: duration(r.ns(F)), ratio: fmt.Sprintf("%.2f F", r.ratio("nobody", F))},
		r.compare("W7 nobody watches, 16 deltas a frame", "nobody, 16 a frame", F, F, 2),
	}
	limits := map[int]float64{100: 1.0 / 6, 10_000: 1.0 / 25}
	for _, c := range crowds {
		work, limit := fmt.Sprintf("W7 %d viewers", c.viewers), limits[c.viewers]
		each, some := fmt.Sprintf("streams %d by 1", c.viewers), fmt.Sprintf("streams %d by %d", c.viewers, perFrame)
		base := fmt.Sprint("channels ", c.viewers)
		lines = append(lines,
			r.share(work+", a frame each delta", each, base, limit),
			r.share(fmt.Sprintf("%s, %d deltas a frame", work, perFrame), some, base, limit),
			r.share(work+", a frame each delta, by channels that write", each, fmt.Sprint("writers ", c.viewers), 0))
	}
	return append(lines, encodedOnce())
}

// share is the line of what we cost as a part of what a peer does, which must
// not exceed a limit if one is asked.
func (r results) share(work, ours, base string, limit float64) line {
	ratio := r.ratio(ours, base)
	l := line{work: work, ours: duration(r.ns(ours)), base: duration(r.ns(base)), ratio: fmt.Sprintf("1/%.1f", 1/ratio)}
	if limit > 0 {
		l.target, l.verdict = fmt.Sprintf("≤ 1/%.0f", 1/limit), atMost(ratio, limit)
	}
	return l
}

// shown is a transcript with a view of it.
type shown struct {
	norm transcript.Normaliser
	live *transcript.Live
	view *view.Live
	seq  int64
}

func newShown() *shown {
	s := &shown{live: transcript.NewLive(projection.Options[steno.Event]{}), view: view.NewLive(branch)}
	s.push(finished(0))
	s.push(growing(0, 1)[:2])
	s.view.Publish(s.live.Current())
	s.live.Follow(s.view.Publish)
	return s
}

func (s *shown) push(events script) {
	for i := range events {
		s.norm.Normalise(&events[i], func(e *steno.Event) {
			s.seq++
			e.Seq = s.seq
			if err := s.live.Push(e); err != nil {
				panic(err)
			}
		})
	}
}

// unwatched tells a view of deltas that no viewer waits for, some of them in
// one publication. What folding them costs is left out.
func unwatched(name string, perFrame int) variant {
	const deltas = 8_000
	updates := updatesOf(deltas, perFrame)
	return variant{name: name, deltas: deltas, setup: func() func() {
		v := newShown().view
		return func() {
			for _, u := range updates {
				v.Publish(u)
			}
		}
	}}
}

// updatesOf are the publications of a growing part.
func updatesOf(deltas, perFrame int) []transcript.Update {
	s := newShown()
	var updates []transcript.Update
	s.live.Follow(func(u transcript.Update) {
		u.Changes = append([]transcript.Change(nil), u.Changes...)
		updates = append(updates, u)
	})
	work := growing(0, deltas)[1 : deltas+1]
	for len(work) > 0 {
		n := min(perFrame, len(work))
		if err := s.live.Batch(func() error { s.push(work[:n]); return nil }); err != nil {
			panic(err)
		}
		work = work[n:]
	}
	return updates
}

// channels is the usual way: the floor, and a table of channels under a lock
// that are sent each change.
func channels(viewers, deltas int) variant {
	var x indexer
	events := x.translate(growing(0, deltas))[:deltas+1]
	return variant{name: fmt.Sprint("channels ", viewers), deltas: deltas, setup: func() func() {
		f := &floorEngine{}
		tell, drained := table(viewers, func(changes <-chan floorChange) {
			n := 0
			for c := range changes {
				n += len(c.delta)
			}
			if n != 4*deltas {
				panic("a viewer missed something")
			}
		})
		f.told = tell
		return func() {
			for i := range events {
				f.apply(&events[i])
			}
			drained()
		}
	}}
}

// writers are channels of frames.
func writers(viewers, deltas int) variant {
	data := frame(nil, "append", `"key":"text:0","field":"text","at":4,"len":4,"text":"abcd"`)
	return variant{name: fmt.Sprint("writers ", viewers), deltas: deltas, setup: func() func() {
		tell, drained := table(viewers, func(frames <-chan []byte) {
			pour(frames, http.NewResponseController(&nowhere{}), &nowhere{})
		})
		return func() {
			for range deltas {
				tell(data)
			}
			drained()
		}
	}}
}

// table starts subscribers, each with a channel of 256. It returns what tells
// all of them, and what ends when they have taken everything.
func table[T any](viewers int, subscriber func(<-chan T)) (tell func(T), drained func()) {
	var lock sync.RWMutex
	var running sync.WaitGroup
	channels := make([]chan T, viewers)
	for i := range channels {
		channels[i] = make(chan T, 256)
		running.Go(func() { subscriber(channels[i]) })
	}
	tell = func(x T) {
		lock.RLock()
		defer lock.RUnlock()
		for _, ch := range channels {
			ch <- x
		}
	}
	return tell, func() {
		for _, ch := range channels {
			close(ch)
		}
		running.Wait()
	}
}

// pour writes each frame as it comes.
func pour(frames <-chan []byte, out *http.ResponseController, w http.ResponseWriter) {
	for data := range frames {
		must(out.SetWriteDeadline(time.Now().Add(time.Minute)))
		_, err := w.Write(data)
		must(err)
		must(out.Flush())
	}
}

// streams serves the view to as many viewers, each its own request, until each
// has been sent the last state.
func streams(viewers, deltas, perFrame int) variant {
	updates := updatesOf(deltas, perFrame)
	return variant{name: fmt.Sprintf("streams %d by %d", viewers, perFrame), deltas: deltas, setup: func() func() {
		v := newShown().view
		var served sync.WaitGroup
		for range viewers {
			served.Go(func() { v.ServeHTTP(&nowhere{}, request()) })
		}
		for v.Metrics().Viewers < int64(viewers) {
			runtime.Gosched()
		}
		return func() {
			for _, u := range updates {
				v.Publish(u)
			}
			v.Close()
			served.Wait()
		}
	}}
}

func request() *http.Request {
	return (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Header: http.Header{}}).WithContext(context.Background())
}

// nowhere takes a stream's bytes and counts them.
type nowhere struct {
	header http.Header
	bytes  int
}

func (w *nowhere) Header() http.Header {
	if w.header == nil {
		w.header = make(http.Header)
	}
	return w.header
}
func (w *nowhere) WriteHeader(int)                  {}
func (w *nowhere) Write(p []byte) (int, error)      { w.bytes += len(p); return len(p), nil }
func (w *nowhere) FlushError() error                { return nil }
func (w *nowhere) SetWriteDeadline(time.Time) error { return nil }

// encodedOnce counts the frames made for a hundred viewers of a thousand
// deltas.
func encodedOnce() line {
	const deltas = 1_000
	updates := updatesOf(deltas, 1)
	v := newShown().view
	var served sync.WaitGroup
	for range 100 {
		served.Go(func() { v.ServeHTTP(&nowhere{}, request()) })
	}
	for _, u := range updates {
		v.Publish(u)
	}
	v.Close()
	served.Wait()
	return count("W7 frames encoded a publication", float64(v.Metrics().Frames)/float64(len(updates)), "", 1)
}
