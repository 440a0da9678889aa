package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lockName is the name of the lock file in the directory of a store. Its
// content is the owner's process id; what counts is the lock, not the file.
const lockName = "lock"

// lockPoll is how often a waiting Open tries again.
const lockPoll = 25 * time.Millisecond

// ownerLock is the right to write to a store. The operating system takes it
// back when the process ends, however it ends.
type ownerLock struct{ file *os.File }

func takeLock(ctx context.Context, dir string, wait time.Duration) (*ownerLock, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := waitLock(ctx, file, wait); err != nil {
		if errors.Is(err, errWouldBlock) {
			err = &LockedError{Dir: dir, PID: readPID(file)}
		}
		return nil, errors.Join(err, file.Close())
	}
	if err := writePID(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &ownerLock{file}, nil
}

func waitLock(ctx context.Context, file *os.File, wait time.Duration) error {
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := tryLock(file)
		if !errors.Is(err, errWouldBlock) || wait <= 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout.C:
			return err
		case <-tick.C:
		}
	}
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID returns the process id in the lock file, or 0: between two owners it
// may be empty.
func readPID(file *os.File) int {
	content, err := io.ReadAll(io.NewSectionReader(file, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}

// release gives the lock up. The file stays: removing it would let two
// processes lock two files of the same name.
func (l *ownerLock) release() error {
	if err := l.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("release store: %w", err)
	}
	return nil
}
