//go:build unix

package sqlite

import (
	"errors"
	"os"
	"syscall"
)

const errNoSpace = syscall.ENOSPC

// isNoSpace also counts the user's quota.
func isNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// errWouldBlock is what tryLock returns while another process holds the lock.
const errWouldBlock = syscall.EWOULDBLOCK

func tryLock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}
