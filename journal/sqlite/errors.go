package sqlite

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
)

var errReadOnlyStore = fmt.Errorf("store is open to read only: %w", fs.ErrPermission)

// failure is an error of the store itself, not of one request: it undoes the
// whole transaction.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail wraps an error of SQLite so that it can be matched without knowing
// SQLite: a full disk, missing permission, damage, a lock.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	meaning := error(nil)
	switch {
	case errors.Is(err, sqlite3.FULL):
		meaning = errNoSpace
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, sqlite3.PERM):
		meaning = fs.ErrPermission
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB):
		meaning = steno.ErrCorrupt
	case errors.Is(err, sqlite3.TOOBIG):
		meaning = steno.ErrTooLarge
	case errors.Is(err, sqlite3.BUSY):
		meaning = &LockedError{}
	}
	if meaning == nil || errors.Is(err, meaning) {
		return &failure{fmt.Errorf("%s: %w", op, err)}
	}
	return &failure{fmt.Errorf("%s: %w: %w", op, meaning, err)}
}

// LockedError is returned when another process holds the store.
type LockedError struct {
	// Dir is the directory of the store.
	Dir string
	// PID is the owner's process id, or 0 if it is not known: then some other
	// program holds SQLite's own write lock.
	PID int
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return "the store is locked by another program"
	}
	return fmt.Sprintf("the store is owned by process %d", e.PID)
}
