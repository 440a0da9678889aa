package player

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stenolog/steno"
)

// Sink is where a recording is played to: a conversation that takes events and
// provider answers as they come.
type Sink interface {
	// Record takes source events. They are the sink's to keep.
	Record(ctx context.Context, events ...*steno.Event) error
	// Answer begins a provider's answer. What is written to it is the answer's
	// bytes as they come; Close says that no more do. A written slice is
	// borrowed until Write returns and must not be changed.
	Answer(ctx context.Context, format string) (io.WriteCloser, error)
}

// Play plays s to sink and returns when all of it was taken. A speed of 2 is
// twice as fast as the recording; 0, like any speed that is not a positive
// number, makes no pauses at all.
//
// When ctx ends Play returns its error at once: an answer in the middle is
// closed as if the connection had broken, and a turn stays open; whoever ends
// the playback knows what to write then. An error of the sink ends it the same
// way and is returned, wrapped. Play starts no goroutine.
func Play(ctx context.Context, s *Script, sink Sink, speed float64) error {
	p := pacer{speed: speed, due: time.Now()}
	for i := range s.steps {
		st := &s.steps[i]
		err := p.wait(ctx, p.due, st.pause)
		switch {
		case err != nil:
		case st.answer != nil:
			err = p.play(ctx, st.answer, sink)
		default:
			err = sink.Record(ctx, st.event.Clone())
		}
		if err != nil {
			return fmt.Errorf("play %s, line %d: %w", s.Name, st.line, err)
		}
	}
	return nil
}

// pacer waits. It reckons from when things were due, not from when they were
// done, so that a slow sink makes a playback no longer than it has to.
type pacer struct {
	speed float64
	due   time.Time
}

// wait waits until a time after from, which becomes the time that was due.
func (p *pacer) wait(ctx context.Context, from time.Time, after time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !(p.speed > 0) {
		return nil
	}
	p.due = from.Add(scaled(after, p.speed))
	left := time.Until(p.due)
	if left <= 0 {
		return nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// scaled divides d by speed. A speed close to nothing gives the longest pause
// there is and not a wrapped one.
func scaled(d time.Duration, speed float64) time.Duration {
	const longest = 365 * 24 * time.Hour
	return time.Duration(min(float64(d)/speed, float64(longest)))
}

func (p *pacer) play(ctx context.Context, a *answer, sink Sink) error {
	w, err := sink.Answer(ctx, a.format)
	if err != nil {
		return err
	}
	start, from := p.due, 0
	for _, m := range a.marks {
		if err = p.wait(ctx, start, m.at); err != nil {
			break
		}
		if _, err = w.Write(a.data[from:m.end]); err != nil {
			break
		}
		from = m.end
	}
	return errors.Join(err, w.Close())
}
