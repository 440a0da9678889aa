package tap

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/stenolog/steno"
)

// MaxUnzipped is how much of one answer is recorded that came zipped, in bytes
// after unzipping. A few bytes can stand for any number.
const MaxUnzipped = 1 << 30

// undo unzips bytes that are pushed into it and writes what they come to. The
// standard reader pulls, so it runs as a coroutine that stops where it has read
// all there is: when write returns, everything the bytes hold has been written.
type undo struct {
	pending []byte
	ended   bool
	err     error
	next    func() (struct{}, bool)
	stop    func()
}

// errStopped ends the coroutine when it is not wanted any more.
var errStopped = errors.New("stopped")

func newUndo(w io.Writer) *undo {
	u := new(undo)
	u.next, u.stop = iter.Pull(func(yield func(struct{}) bool) {
		u.err = u.run(w, yield)
	})
	return u
}

func (u *undo) run(w io.Writer, yield func(struct{}) bool) error {
	zr, err := gzip.NewReader(&pull{u, yield})
	if errors.Is(err, io.EOF) {
		return nil // an empty answer
	}
	if err != nil {
		return err
	}
	n, err := io.Copy(w, io.LimitReader(zr, MaxUnzipped))
	if err == nil && n == MaxUnzipped {
		err = fmt.Errorf("unzipped: limit %d bytes: %w", MaxUnzipped, steno.ErrTooLarge)
	}
	return err
}

// write takes the next bytes. It keeps no reference to p.
func (u *undo) write(p []byte) error {
	u.pending = p
	u.next()
	u.pending = nil
	return u.err
}

// close says that no more come. It fails if they ended in the middle.
func (u *undo) close() error {
	u.ended = true
	u.next()
	u.stop()
	return u.err
}

// pull is the side of an undo that the reader reads from.
type pull struct {
	undo  *undo
	yield func(struct{}) bool
}

func (r *pull) Read(p []byte) (int, error) {
	for len(r.undo.pending) == 0 {
		if r.undo.ended {
			return 0, io.EOF
		}
		if !r.yield(struct{}{}) {
			return 0, errStopped
		}
	}
	n := copy(p, r.undo.pending)
	r.undo.pending = r.undo.pending[n:]
	return n, nil
}
