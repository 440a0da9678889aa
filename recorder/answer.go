package recorder

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/blob"
	"github.com/stenolog/steno/wire"
)

// Answer records the bytes of a provider's answer while they come: each Write
// is decoded and recorded at once, and the bytes themselves are kept. It is for
// one goroutine.
type Answer struct {
	ctx     context.Context
	r       *Recorder
	decoder wire.Decoder
	raw     *blob.Stream
	held    []*steno.Event // step-ends that wait for the name of their raw bytes
	err     error
	closed  bool
}

// Answer returns a writer of an answer's bytes, in whatever pieces. The context
// holds until it is closed.
func (r *Recorder) Answer(ctx context.Context, d wire.Decoder) *Answer {
	return &Answer{ctx: ctx, r: r, decoder: d}
}

// Write takes the next bytes. It returns when what they say is queued, not when
// it is durable: see [Recorder.Sync]. An error is final.
func (a *Answer) Write(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	if a.err = a.keep(p); a.err != nil {
		return 0, a.err
	}
	a.decoder.Decode(p, a.take)
	a.release()
	if a.err != nil {
		return 0, a.err
	}
	return len(p), nil
}

// Close says that the answer has ended. What it had not finished is recorded as
// incomplete. After an error the bytes that were kept are named when the branch
// is opened again. Closing twice is harmless.
func (a *Answer) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	a.decoder.Close(a.take)
	if len(a.held) == 0 && a.raw != nil {
		// Bytes behind the last step-end: a trailer.
		a.held = append(a.held, &steno.Event{Type: steno.Usage})
	}
	a.release()
	if a.raw != nil {
		a.err = errors.Join(a.err, a.raw.Close())
		a.raw = nil
	}
	err := a.err
	a.err = fmt.Errorf("answer: %w", steno.ErrClosed)
	return err
}

func (a *Answer) take(e *steno.Event) {
	if a.err != nil {
		return
	}
	if e.Type == steno.StepEnd && a.raw != nil {
		a.held = append(a.held, e.Clone())
		return
	}
	a.flush()
	a.record(e)
}

// keep appends to the raw bytes of the answer.
func (a *Answer) keep(p []byte) error {
	if a.r.opts.Blobs == nil || len(p) == 0 {
		return nil
	}
	if a.raw == nil {
		raw, err := a.r.opts.Blobs.Stream(a.r.rawName())
		if err != nil {
			return fmt.Errorf("keep the answer's bytes: %w", err)
		}
		a.raw = raw
	}
	if _, err := a.raw.Write(p); err != nil {
		return fmt.Errorf("keep the answer's bytes: %w", err)
	}
	return nil
}

// release records the step-ends that wait, the last with the name of all bytes
// so far.
func (a *Answer) release() {
	if a.err != nil {
		return
	}
	if len(a.held) == 0 || a.raw == nil {
		a.flush()
		return
	}
	name, err := a.raw.Seal(a.ctx)
	a.raw = nil
	if err != nil {
		a.err = fmt.Errorf("keep the answer's bytes: %w", err)
		return
	}
	last := a.held[len(a.held)-1]
	step := steno.Step{}
	if b, ok := last.Body.(*steno.Step); ok {
		step = *b
	}
	step.Raw = name
	last.Body = &step
	a.flush()
}

func (a *Answer) flush() {
	for _, e := range a.held {
		a.record(e)
	}
	a.held = a.held[:0]
}

func (a *Answer) record(e *steno.Event) {
	if a.err == nil {
		a.err = a.r.Record(a.ctx, e)
	}
}

// rawName names a stream of raw bytes after its branch, so that what a crash
// leaves finds its way home.
func (r *Recorder) rawName() string {
	return r.branch + "." + strconv.FormatInt(r.raws.Add(1), 10)
}

// ownsRaw reports whether a name is one that rawName gives.
func (r *Recorder) ownsRaw(name string) bool {
	number, ok := strings.CutPrefix(name, r.branch+".")
	if !ok {
		return false
	}
	_, err := strconv.ParseInt(number, 10, 64)
	return err == nil
}

// salvage keeps the raw bytes of an answer that a crash cut: they become a blob
// named by a usage event.
func (r *Recorder) salvage(ctx context.Context) error {
	if r.opts.Blobs == nil {
		return nil
	}
	names, err := r.opts.Blobs.Streams()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !r.ownsRaw(name) {
			continue
		}
		s, err := r.opts.Blobs.Stream(name)
		if err != nil {
			return err
		}
		if s.Size() == 0 {
			if err := s.Discard(); err != nil {
				return err
			}
			continue
		}
		hash, err := s.Seal(ctx)
		if err != nil {
			return err
		}
		e := steno.Event{Type: steno.Usage, Body: &steno.Step{Raw: hash}}
		r.normaliser.Normalise(&e, r.emit)
	}
	return nil
}
