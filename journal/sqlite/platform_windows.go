package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const errNoSpace = windows.ERROR_DISK_FULL

func isNoSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// errWouldBlock is what tryLock returns while another process holds the lock.
const errWouldBlock = windows.ERROR_LOCK_VIOLATION

// tryLock locks a byte far behind the content, since a locked range could not
// be read by those who want to know the owner.
func tryLock(file *os.File) error {
	const exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(file.Fd()), exclusive, 0, 1, 0, at)
}
