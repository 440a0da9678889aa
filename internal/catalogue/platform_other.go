//go:build !unix

package catalogue

import "syscall"

// Windows error numbers that syscall does not name.
const (
	errorDiskFull     = syscall.Errno(112)
	errorWriteProtect = syscall.Errno(19)
	wsaAddrInUse      = syscall.Errno(10048)
)

// platform holds what an operating system says of its disk.
var platform = []struct {
	err  error
	code Code
}{
	{errorDiskFull, DiskFull},
	{errorWriteProtect, ReadOnly},
	{wsaAddrInUse, PortInUse},
}
