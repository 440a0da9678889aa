package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stenolog/steno/internal/catalogue"
)

// LockWait is how long a writing command waits for the lock of a store.
const LockWait = 30 * time.Second

// lockPoll is how often a waiting command looks again.
const lockPoll = 50 * time.Millisecond

var errHeld = errors.New("held by another process")

// Lock is the lock of a data directory. Its holder is the store's one owner.
// The operating system gives it back when the process dies.
type Lock struct{ f *os.File }

// Acquire takes the lock of dir, which must exist, and waits up to wait for
// it. It returns [catalogue.Locked] when somebody else still holds it then.
func Acquire(ctx context.Context, dir string, wait time.Duration) (*Lock, error) {
	f, err := os.OpenFile(filepath.Join(dir, marker), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for {
		err := lockFile(f)
		if err == nil {
			return &Lock{f}, nil
		}
		if !errors.Is(err, errHeld) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-deadline.C:
			f.Close()
			return nil, catalogue.Wrap(catalogue.Locked, dir, err)
		case <-time.After(lockPoll):
		}
	}
}

// Close gives the lock back. The file stays: removing it would let two
// processes hold two locks of one name.
func (l *Lock) Close() error { return l.f.Close() }
