package view

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/stenolog/steno/sse"
)

// The window a viewer gets if it names none, and the largest, in turns.
const (
	DefaultWindow = 20
	MaxWindow     = 200
)

// Heartbeat is how often a stream that has nothing to say says so, and
// RetryAfter when a viewer should come back after a shutdown.
const (
	Heartbeat  = 15 * time.Second
	RetryAfter = 500 * time.Millisecond
)

// writeTimeout is how long one write to a viewer may take. A viewer that reads
// nothing for that long is gone.
const writeTimeout = 5 * time.Minute

// ServeHTTP streams the view: see docs/protocol.md. It returns when the viewer
// leaves, the request's context ends or the view is closed. Whether the viewer
// may see the conversation is for the caller to decide.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	turns, err := Window(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)

	l.viewers.Add(1)
	defer l.viewers.Add(-1)
	v := viewer{live: l, out: http.NewResponseController(w), w: w, turns: turns}
	cursor := r.Header.Get("Last-Event-ID")
	if cursor == "" {
		cursor = r.URL.Query().Get("after")
	}
	// The viewer is gone or leaves: there is nobody to tell of the error.
	_ = v.run(r.Context(), cursor)
}

// Window returns the window a request asks for, in turns.
func Window(r *http.Request) (int, error) {
	q := r.URL.Query().Get("window")
	if q == "" {
		return DefaultWindow, nil
	}
	n, err := strconv.Atoi(q)
	if err != nil || n < 1 || n > MaxWindow {
		return 0, fmt.Errorf("window is a number of turns from 1 to %d", MaxWindow)
	}
	return n, nil
}

// viewer is one stream: a cursor and where its bytes go.
type viewer struct {
	live  *Live
	w     http.ResponseWriter
	out   *http.ResponseController
	turns int

	seq     int64 // the state it has
	index   int64 // the frame it wants next
	running bool
	told    bool // running was sent
	pending bool // written and not flushed
}

func (v *viewer) run(ctx context.Context, cursor string) error {
	if err := v.write([]byte(": steno view\n\n")); err != nil {
		return err
	}
	if err := v.flush(); err != nil {
		return err
	}
	if err := v.enter(cursor); err != nil {
		return err
	}
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for {
		if err := v.catchUp(ctx); err != nil {
			return err
		}
		if err := v.flush(); err != nil {
			return err
		}
		wake, closed := v.live.ring.wait(), v.live.closed.Load()
		if v.live.ring.has(v.index) {
			continue
		}
		if closed {
			return v.dismiss()
		}
		select {
		case <-wake:
		case <-beat.C:
			if err := v.write([]byte(": \n\n")); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// dismiss tells the viewer when to come back.
func (v *viewer) dismiss() error {
	if err := v.write(comeBack); err != nil {
		return err
	}
	return v.flush()
}

var comeBack = sse.AppendRetry(nil, RetryAfter)

// enter brings the viewer from its cursor to the current state.
func (v *viewer) enter(cursor string) error {
	s := v.live.now.Load()
	branch, seq, err := ParseID(cursor)
	switch {
	case err == nil && branch == v.live.branch:
		return v.reach(s, seq)
	case cursor != "":
		return v.resync(s)
	}
	return v.arrive(s, v.live.encodeSnapshot(s, v.turns))
}

// reach brings the viewer from the state after seq to s.
func (v *viewer) reach(s *state, seq int64) error {
	data, err := v.live.encodeSince(s, seq)
	if err != nil {
		return v.resync(s)
	}
	return v.arrive(s, data)
}

// resync tells the viewer that what it has is void and sends it s.
func (v *viewer) resync(s *state) error {
	if err := v.write([]byte("data: {\"ops\":[{\"op\":\"resync\"}]}\n\n")); err != nil {
		return err
	}
	return v.arrive(s, v.live.encodeSnapshot(s, v.turns))
}

// arrive sends what brings the viewer to state s.
func (v *viewer) arrive(s *state, data []byte) error {
	v.seq, v.index = s.seq, s.next
	if data != nil {
		event, err := sse.Append(make([]byte, 0, len(data)+64), sse.Event{ID: []byte(v.live.id(s.seq)), Data: data})
		if err != nil {
			return err
		}
		if err := v.write(event); err != nil {
			return err
		}
	}
	return v.status(s.running)
}

// catchUp sends every frame there is, or the difference if some are gone. One
// that always lags still leaves when ctx ends.
func (v *viewer) catchUp(ctx context.Context) error {
	for v.live.ring.has(v.index) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.forward(v.live.ring.tail.Load()); err != nil {
			return err
		}
	}
	return nil
}

// forward sends the frames before index tail.
func (v *viewer) forward(tail int64) error {
	for v.index < tail {
		f := v.live.ring.get(v.index)
		if f == nil || f.data == nil {
			return v.reach(v.live.now.Load(), v.seq)
		}
		if err := v.write(f.data); err != nil {
			return err
		}
		v.index++
		v.seq = f.seq
		if err := v.status(f.running); err != nil {
			return err
		}
	}
	return nil
}

func (v *viewer) status(running bool) error {
	if v.told && running == v.running {
		return nil
	}
	v.told, v.running = true, running
	return v.write(fmt.Appendf(nil, "event: status\ndata: {\"running\":%t}\n\n", running))
}

// write adds to what the next flush sends at the latest: a viewer that is behind
// is sent many frames at once. The deadline is for all of them.
func (v *viewer) write(p []byte) error {
	if !v.pending {
		// A writer without deadlines, as in tests, is as good as a fast one.
		_ = v.out.SetWriteDeadline(time.Now().Add(writeTimeout))
		v.pending = true
	}
	_, err := v.w.Write(p)
	return err
}

func (v *viewer) flush() error {
	if !v.pending {
		return nil
	}
	v.pending = false
	return v.out.Flush()
}
