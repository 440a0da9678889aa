package recorder

import (
	"context"
	"fmt"

	"github.com/stenolog/steno"
)

// pump is the recorder's goroutine: it makes passes until the inbox is closed
// and empty, or a write fails.
func (r *Recorder) pump(ctx context.Context) {
	defer close(r.done)
	defer r.transcript.Close()
	var spare parcel
	for {
		<-r.inbox.wake
		p, closing := r.inbox.take(spare)
		err := r.pass(ctx, &p)
		if err != nil {
			r.inbox.fail(fmt.Errorf("recorder: %w: %w", steno.ErrClosed, err))
			r.opts.Report(fmt.Errorf("branch %s is closed: %w", r.branch, err))
		}
		if err != nil || closing {
			r.transcript.Flush() // what is durable is seen, whatever comes
		}
		r.tellEnded()
		for _, f := range p.calls {
			f(err)
		}
		r.pack(ctx)
		if err != nil || closing {
			r.refuse()
			return
		}
		spare = p.reset()
	}
}

// maxSpare is how many events a slice may hold room for between two passes.
const maxSpare = 1 << 14

// refuse answers the calls that came in while the pump was closing.
func (r *Recorder) refuse() {
	p, _ := r.inbox.take(parcel{})
	for _, f := range p.calls {
		f(r.inbox.failure())
	}
}

// reset empties a parcel so that its memory is used again, unless it has grown
// out of proportion.
func (p parcel) reset() parcel {
	if cap(p.arena) > 2*MaxPending || cap(p.events) > maxSpare {
		return parcel{}
	}
	clear(p.events)
	clear(p.calls)
	return parcel{events: p.events[:0], arena: p.arena[:0], calls: p.calls[:0]}
}

// pass takes source events through the whole pipeline.
func (r *Recorder) pass(ctx context.Context, p *parcel) error {
	r.begin()
	for i := range p.events {
		r.normaliser.Normalise(&p.events[i], r.emit)
	}
	if p.interrupt && r.normaliser.InTurn() {
		r.normaliser.Recover(r.emit)
	}
	return r.commit(ctx)
}

func (r *Recorder) begin() {
	if cap(r.out) > maxSpare {
		r.out, r.ptrs = nil, nil
	}
	clear(r.out)
	r.out = r.out[:0]
}

// take keeps an event the normaliser emitted and gives it its place.
func (r *Recorder) take(e *steno.Event) {
	r.out = append(r.out, *e)
	last := &r.out[len(r.out)-1]
	last.Seq = r.head + int64(len(r.out))
	if last.At == 0 {
		last.At = r.opts.Now().UnixMilli()
	}
	if e.Type == steno.TurnEnd {
		r.ended = append(r.ended, Checkpoint{r.branch, e.Turn, last.Seq, last.At, r.normaliser.State()})
	}
}

// commit makes what was taken durable, folds it and lets it be published.
func (r *Recorder) commit(ctx context.Context) error {
	if len(r.out) == 0 {
		return nil
	}
	r.ptrs = r.ptrs[:0]
	for i := range r.out {
		if err := r.externalise(ctx, &r.out[i]); err != nil {
			return err
		}
		r.ptrs = append(r.ptrs, &r.out[i])
	}
	if err := r.opts.Journal.Append(ctx, r.branch, r.head, r.ptrs); err != nil {
		return err
	}
	r.head += int64(len(r.out))
	if r.opts.Committed != nil {
		r.opts.Committed(r.ptrs)
	}
	return r.transcript.Batch(func() error {
		for _, e := range r.ptrs {
			if err := r.transcript.Push(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// tellEnded tells of the borders behind the turns that ended durably.
func (r *Recorder) tellEnded() {
	for i := range r.ended {
		if cp := &r.ended[i]; cp.Seq <= r.head && r.opts.TurnEnded != nil {
			r.opts.TurnEnded(*cp)
		}
	}
}

// pack compresses the turns that ended. Nobody waits for it.
func (r *Recorder) pack(ctx context.Context) {
	for i := range r.ended {
		cp := &r.ended[i]
		if cp.Seq > r.head {
			break
		}
		if err := r.opts.Journal.Compact(ctx, r.branch, cp.Seq); err != nil {
			r.opts.Report(fmt.Errorf("pack the turns of branch %s: %w", r.branch, err))
		}
	}
	clear(r.ended)
	r.ended = r.ended[:0]
}
