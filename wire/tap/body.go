package tap

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/stenolog/steno"
)

// errLeft is why an answer has no end: its reader closed it before.
var errLeft = fmt.Errorf("the answer was closed before its end: %w", steno.ErrIncomplete)

// body is an answer's body that writes what is read of it to a recorder first.
type body struct {
	io.ReadCloser
	report func(error)

	// Close may come from another goroutine while a Read is blocked.
	mu struct {
		sync.Mutex
		w    io.WriteCloser // nil when there is nothing more to record
		undo *undo          // nil if the bytes are as they are
	}
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 {
		b.write(p[:n])
	}
	switch {
	case err == io.EOF:
		b.finish(nil)
	case err != nil:
		b.finish(fmt.Errorf("%w: %w", steno.ErrIncomplete, err))
	}
	return n, err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finish(errLeft)
	return err
}

// write records p. Requires mu.
func (b *body) write(p []byte) {
	var err error
	switch {
	case b.mu.w == nil:
		return
	case b.mu.undo != nil:
		err = b.mu.undo.write(p)
	default:
		_, err = b.mu.w.Write(p)
	}
	if err != nil {
		b.report(err)
		b.finish(fmt.Errorf("%w: %w", steno.ErrIncomplete, err))
	}
}

// finish ends the recording, once; why is nil at the answer's end. Requires mu.
func (b *body) finish(why error) {
	w := b.mu.w
	if w == nil {
		return
	}
	b.mu.w = nil
	if u := b.mu.undo; u != nil {
		b.mu.undo = nil
		if err := u.close(); err != nil && why == nil {
			b.report(err)
			why = fmt.Errorf("%w: %w", steno.ErrIncomplete, err)
		}
	}
	var err error
	if c, ok := w.(interface{ CloseWithError(error) error }); ok && why != nil {
		err = c.CloseWithError(why)
	} else {
		err = w.Close()
	}
	if err != nil && !errors.Is(err, why) {
		b.report(err)
	}
}
