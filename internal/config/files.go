package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/stenolog/steno/internal/catalogue"
)

// marker is the file that says that a directory is a steno's own.
const marker = "steno.lock"

// EnsureDir makes dir with mode 0700. A directory that is there and readable
// by others is narrowed if it is empty or a steno's; any other is refused with
// [catalogue.OpenToOthers], because it may not be ours to change.
func EnsureDir(dir string) error {
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make %s: %w", dir, err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return catalogue.New(catalogue.ReadOnly, dir+" is not a directory")
	}
	if runtime.GOOS == "windows" || st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if !ours(dir) {
		return catalogue.New(catalogue.OpenToOthers, dir)
	}
	return os.Chmod(dir, 0o700)
}

func ours(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, marker)); err == nil {
		return true
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// WriteFile replaces a file with mode 0600 so that a crash leaves the old or
// the new content. It syncs the file and its directory.
func WriteFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(dir)
}

// ReadFile reads a private file and narrows it to 0600 where it is wider.
// A file that cannot be narrowed is still read.
func ReadFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o600) // on a read-only disk it stays as it is
	}
	return data, nil
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
