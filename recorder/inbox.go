package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/stenolog/steno"
)

// errClosing is why an inbox that was closed in order takes nothing more.
var errClosing = fmt.Errorf("recorder: %w", steno.ErrClosed)

// inbox is what waits for the pump: events, and calls to make between passes.
type inbox struct {
	wake chan struct{}
	mu   struct {
		sync.Mutex
		parcel
		drained chan struct{} // closed when the pump takes what waits; nil while nobody blocks
		err     error         // why nothing more is taken
	}
}

// parcel is what one pass takes at once. The text of its events stands in one
// arena: the strings stay valid however the arena grows.
type parcel struct {
	events []steno.Event
	arena  []byte
	weight int // what the events hold, in bytes
	// interrupt says that the turn in flight behind the events is to end.
	interrupt bool
	calls     []call
}

// call is a function to run on the pump once the events recorded before it are
// folded. It is told why they were not.
type call func(error)

// put copies an event into the inbox, waiting for room. An event without a time
// gets at.
func (b *inbox) put(ctx context.Context, e *steno.Event, at int64) error {
	for {
		b.mu.Lock()
		if b.mu.err != nil {
			b.mu.Unlock()
			return b.mu.err
		}
		if b.mu.weight < MaxPending {
			b.mu.add(e, at)
			b.mu.Unlock()
			b.nudge()
			return nil
		}
		if b.mu.drained == nil {
			b.mu.drained = make(chan struct{})
		}
		drained := b.mu.drained
		b.mu.Unlock()
		select {
		case <-drained:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *parcel) add(e *steno.Event, at int64) {
	c := *e
	if c.At == 0 {
		c.At = at
	}
	p.weight += weight(e)
	c.Message = p.keep(e.Message)
	c.Part = p.keep(e.Part)
	c.Block = p.keep(e.Block)
	c.Call = p.keep(e.Call)
	c.Name = p.keep(e.Name)
	c.Text = p.keep(e.Text)
	p.events = append(p.events, c)
}

func (p *parcel) keep(s string) string {
	if s == "" {
		return ""
	}
	n := len(p.arena)
	p.arena = append(p.arena, s...)
	return unsafe.String(&p.arena[n], len(s))
}

// post adds a call. On an inbox that takes nothing more it is made at once, on
// the caller's goroutine and with the reason: a call that is given one must
// leave alone what is the pump's.
func (b *inbox) post(f call) { b.add(f, false) }

// interrupt is post for a call to make once the turn in flight has ended.
func (b *inbox) interrupt(f call) { b.add(f, true) }

func (b *inbox) add(f call, interrupt bool) {
	b.mu.Lock()
	if err := b.mu.err; err != nil {
		b.mu.Unlock()
		f(err)
		return
	}
	b.mu.interrupt = b.mu.interrupt || interrupt
	b.mu.calls = append(b.mu.calls, f)
	b.mu.Unlock()
	b.nudge()
}

func (b *inbox) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take swaps what waits with an empty parcel and lets blocked writers go on.
// closing says that nothing more will come.
func (b *inbox) take(empty parcel) (p parcel, closing bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, b.mu.parcel = b.mu.parcel, empty
	if b.mu.drained != nil {
		close(b.mu.drained)
		b.mu.drained = nil
	}
	return p, b.mu.err != nil
}

// close makes the inbox take nothing more; what waits is still delivered.
func (b *inbox) close() { b.fail(errClosing) }

// fail is close with a reason. The first stands.
func (b *inbox) fail(err error) {
	b.mu.Lock()
	if b.mu.err == nil || errors.Is(b.mu.err, errClosing) && !errors.Is(err, errClosing) {
		b.mu.err = err
	}
	b.mu.Unlock()
	b.nudge()
}

func (b *inbox) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.err
}

// weight is about how many bytes a waiting event holds: its text, its body's
// bytes, and itself.
func weight(e *steno.Event) int {
	n := int(unsafe.Sizeof(*e)) + len(e.Text)
	switch b := e.Body.(type) {
	case *steno.Result:
		n += len(b.Raw) + contentWeight(b.Parts)
	case *steno.Block:
		n += len(b.Raw) + len(b.Data)
	case *steno.Output:
		n += len(b.Data)
	case *steno.UserInput:
		n += contentWeight(b.Parts)
	}
	return n
}

func contentWeight(parts []steno.Content) (n int) {
	for i := range parts {
		n += len(parts[i].Text) + len(parts[i].Data)
	}
	return n
}
