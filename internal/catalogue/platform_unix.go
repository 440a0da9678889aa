//go:build unix

package catalogue

import "syscall"

// platform holds what an operating system says of its disk.
var platform = []struct {
	err  error
	code Code
}{
	{syscall.ENOSPC, DiskFull},
	{syscall.EDQUOT, DiskFull},
	{syscall.EROFS, ReadOnly},
	{syscall.EISDIR, WrongPath},
	{syscall.ENOTDIR, WrongPath},
	{syscall.EADDRINUSE, PortInUse},
}
