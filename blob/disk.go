package blob

import (
	"io"
	"os"
	"runtime"
)

// disk is what a store asks of the file system when it writes. Tests make it
// fail.
type disk interface {
	CreateTemp(dir string) (file, string, error)
	// OpenFile opens a file to read and write, and makes it if need be.
	OpenFile(path string) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	MkdirAll(dir string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
}

type file interface {
	io.ReadWriteSeeker
	io.Closer
	Sync() error
	Truncate(size int64) error
}

type osDisk struct{}

func (osDisk) CreateTemp(dir string) (file, string, error) {
	f, err := os.CreateTemp(dir, "") // its mode is 0600
	if err != nil {
		return nil, "", err
	}
	return f, f.Name(), nil
}

func (osDisk) OpenFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) Remove(path string) error     { return os.Remove(path) }
func (osDisk) MkdirAll(dir string) error    { return os.MkdirAll(dir, dirMode) }

func (osDisk) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there, nor need to be
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
