//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

const errNoSpace = syscall.ENOSPC

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
