package sqlite

import (
	"errors"
	"io/fs"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// disk is the file layer of the operating system, with one difference: it tells
// SQLite why a write failed. Below it a full disk is an I/O error like any
// other, and the user would not learn that making space helps.
type disk struct{ vfs.VFS }

// diskLayer is the name SQLite knows the layer by.
const diskLayer = "steno"

func init() { vfs.Register(diskLayer, disk{vfs.Find("os")}) }

// OpenFilename opens a file of a database.
func (d disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &diskFile{file}, flags, nil
}

type diskFile struct{ vfs.File }

func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, cause(err, sqlite3.IOERR_WRITE)
}

func (f *diskFile) Truncate(size int64) error {
	return cause(f.File.Truncate(size), sqlite3.IOERR_TRUNCATE)
}

func (f *diskFile) SizeHint(size int64) error {
	return cause(vfsutil.WrapSizeHint(f.File, size), sqlite3.IOERR_TRUNCATE)
}

// What follows hands optional abilities through.

func (f *diskFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *diskFile) HasMoved() (bool, error)        { return vfsutil.WrapHasMoved(f.File) }
func (f *diskFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *diskFile) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *diskFile) SetPowersafeOverwrite(v bool)   { vfsutil.WrapSetPowersafeOverwrite(f.File, v) }
func (f *diskFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *diskFile) SetPersistWAL(keep bool)        { vfsutil.WrapSetPersistWAL(f.File, keep) }

// cause gives SQLite its own code for why writing failed, or def if it has none.
func cause(err error, def sqlite3.ExtendedErrorCode) error {
	var own sqlite3.ExtendedErrorCode
	switch {
	case err == nil || errors.As(err, &own):
		return err
	case isNoSpace(err):
		return sqlite3.FULL
	case errors.Is(err, fs.ErrPermission), isReadOnly(err):
		return sqlite3.READONLY
	}
	return vfs.SystemError(err, def)
}
