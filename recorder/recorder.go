package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/blob"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
)

// MaxPending is how many bytes of events, their texts and bodies, may wait for
// the pump before Record blocks.
const MaxPending = 1 << 20

// DefaultFrame is the pause between two publications of deltas.
const DefaultFrame = 16 * time.Millisecond

// Options configure a recorder. Only Journal is needed.
type Options struct {
	Journal journal.Journal
	// Blobs takes bodies above [MaxBody] and the raw bytes of answers. Without
	// it bodies stay in the journal and raw bytes are not kept.
	Blobs *blob.Store
	// Now is the clock that stamps events, for display; nil means time.Now. It
	// is called from any goroutine.
	Now func() time.Time
	// Frame is the pause between two publications of deltas; 0 means
	// [DefaultFrame].
	Frame time.Duration
	// Kinds are further kinds of content.
	Kinds []projection.Kind[steno.Event]
	// From is where to open the branch: everything up to it stays folded
	// away. Nil means from the start.
	From *Checkpoint
	// Committed is told, on the pump, of events that have become durable. They
	// are borrowed.
	Committed func([]*steno.Event)
	// TurnEnded is told, on the pump, of each turn that ended durably.
	TurnEnded func(Checkpoint)
	// Report is told of what went wrong without anyone to return it to.
	Report func(error)
}

// Checkpoint is the border behind a turn: what is needed to open a branch
// there without what came before.
type Checkpoint struct {
	Branch string           `json:"branch"`
	Turn   uint32           `json:"turn"`
	Seq    int64            `json:"seq"`
	At     int64            `json:"at"`
	State  transcript.State `json:"state"`
}

// Recorder records one branch. Make one with [Open].
type Recorder struct {
	branch string
	opts   Options

	// The pump's own.
	normaliser transcript.Normaliser
	transcript *transcript.Live
	emit       func(*steno.Event) // take, as a value
	head       int64
	out        []steno.Event
	ptrs       []*steno.Event
	ended      []Checkpoint

	inbox inbox
	raws  atomic.Int64
	done  chan struct{}
	stop  context.CancelFunc
}

// Open opens a branch, which need not exist yet, and starts its pump. A turn
// that was running when its writer died is ended as interrupted, durably,
// before Open returns. The caller must be the only writer of the branch.
//
// The error wraps [steno.ErrCorrupt] for a damaged branch. It costs
// O(events after opts.From).
func Open(ctx context.Context, branch string, opts Options) (*Recorder, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Frame == 0 {
		opts.Frame = DefaultFrame
	}
	if opts.Report == nil {
		opts.Report = func(error) {}
	}
	r := &Recorder{branch: branch, opts: opts, done: make(chan struct{})}
	r.inbox.wake = make(chan struct{}, 1)
	r.emit = r.take
	r.transcript = transcript.NewLive(projection.Options[steno.Event]{
		Kinds: opts.Kinds, Scheduler: frames{r}, Report: opts.Report,
	})
	if err := r.load(ctx); err != nil {
		return nil, fmt.Errorf("open branch %s: %w", branch, err)
	}
	if err := r.recover(ctx); err != nil {
		return nil, fmt.Errorf("close the interrupted turn of branch %s: %w", branch, err)
	}
	r.tellEnded()
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.pack(run)
	go r.pump(run)
	return r, nil
}

// load folds what the journal holds.
func (r *Recorder) load(ctx context.Context) error {
	if cp := r.opts.From; cp != nil {
		r.normaliser.Restore(cp.State)
		r.head = cp.Seq
		if err := r.transcript.Restore(cp.State); err != nil {
			return err
		}
	}
	return r.transcript.Batch(func() error {
		for e, err := range r.opts.Journal.Read(ctx, r.branch, r.head) {
			if errors.Is(err, steno.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			r.normaliser.Replay(e)
			if err := r.transcript.Push(e); err != nil {
				return err
			}
			r.head = e.Seq
		}
		return nil
	})
}

// recover ends the turn that was running when the last writer died.
func (r *Recorder) recover(ctx context.Context) error {
	r.begin()
	if err := r.salvage(ctx); err != nil {
		return err
	}
	if r.normaliser.InTurn() {
		r.normaliser.Recover(r.emit)
	}
	return r.commit(ctx)
}

// Branch returns the branch that is recorded.
func (r *Recorder) Branch() string { return r.branch }

// Done returns a channel that is closed when the recorder has ended, by Close
// or by a failed write.
func (r *Recorder) Done() <-chan struct{} { return r.done }

// Record queues source events. They are copied; bodies are shared and must not
// be changed any more. It blocks while more than [MaxPending] bytes wait, and
// returns an error that wraps [steno.ErrClosed] once the recorder is closed, by
// Close or by a failed write.
func (r *Recorder) Record(ctx context.Context, events ...*steno.Event) error {
	at := r.opts.Now().UnixMilli()
	for _, e := range events {
		if err := r.inbox.put(ctx, e, at); err != nil {
			return fmt.Errorf("record in branch %s: %w", r.branch, err)
		}
	}
	return nil
}

// Sync waits until everything recorded before is durable and folded, and
// publishes what is pending. Where the write fails it returns why; every call
// after that returns an error that wraps [steno.ErrClosed] and the reason.
func (r *Recorder) Sync(ctx context.Context) error {
	if err := r.call(ctx, func() { r.transcript.Flush() }); err != nil {
		return fmt.Errorf("sync branch %s: %w", r.branch, err)
	}
	return nil
}

// Read calls f with the transcript, between two passes and with all that was
// recorded before folded. f runs on the pump: it must not block, nor keep the
// transcript. It may still run after an error of ctx.
func (r *Recorder) Read(ctx context.Context, f func(*transcript.Live)) error {
	if err := r.call(ctx, func() { f(r.transcript) }); err != nil {
		return fmt.Errorf("read branch %s: %w", r.branch, err)
	}
	return nil
}

// Follow calls f with the whole state and from then on with every publication,
// until it is cancelled or the recorder closed. f runs on the pump and must not
// block; the update is valid only during the call, the values in it for ever.
// cancel does not wait: a call of f that is under way goes on.
func (r *Recorder) Follow(ctx context.Context, f func(transcript.Update)) (cancel func(), err error) {
	var off func()
	cancel = func() {
		r.inbox.post(func(err error) {
			if err == nil { // else the pump ends, and f with it
				off()
			}
		})
	}
	err = r.call(ctx, func() {
		r.transcript.Flush()
		f(r.transcript.Current())
		off = r.transcript.Follow(f)
	})
	if err != nil {
		cancel() // the call may have been made after ctx ended
		return nil, fmt.Errorf("follow branch %s: %w", r.branch, err)
	}
	return cancel, nil
}

// Head returns the seq of the last durable event.
func (r *Recorder) Head(ctx context.Context) (int64, error) {
	var head int64
	if err := r.call(ctx, func() { head = r.head }); err != nil {
		return 0, fmt.Errorf("head of branch %s: %w", r.branch, err)
	}
	return head, nil
}

// call runs f on the pump after all that was recorded before.
func (r *Recorder) call(ctx context.Context, f func()) error {
	return wait(ctx, r.inbox.post, f)
}

// Interrupt ends a turn that is in flight as interrupted, as recovery would.
func (r *Recorder) Interrupt(ctx context.Context) error {
	if err := wait(ctx, r.inbox.interrupt, func() {}); err != nil {
		return fmt.Errorf("interrupt branch %s: %w", r.branch, err)
	}
	return nil
}

// wait posts a call of f and waits until it was made, or ctx ends.
func wait(ctx context.Context, post func(call), f func()) error {
	done := make(chan error, 1)
	post(func(err error) {
		if err == nil {
			f()
		}
		done <- err
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close records and publishes what is pending, ends the pump and waits for it.
// A turn in flight stays open in the journal; the next Open ends it. If ctx
// ends first, what has not been written is given up. Closing twice is harmless.
func (r *Recorder) Close(ctx context.Context) error {
	r.inbox.close()
	select {
	case <-r.done:
	case <-ctx.Done():
		r.stop()
		<-r.done
	}
	r.stop()
	if err := r.inbox.failure(); err != nil && !errors.Is(err, errClosing) {
		return fmt.Errorf("close branch %s: %w", r.branch, err)
	}
	return nil
}

// frames is the scheduler of the transcript: a timer that posts to the pump.
type frames struct{ r *Recorder }

func (f frames) Schedule(fire func()) func() {
	t := time.AfterFunc(f.r.opts.Frame, func() {
		f.r.inbox.post(func(err error) {
			if err == nil { // else this may not be the pump
				fire()
			}
		})
	})
	return func() { t.Stop() }
}
