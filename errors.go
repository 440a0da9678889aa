package steno

import "errors"

// The sentinel errors of the library. They are wrapped with the operation and
// the ids it was about; match them with [errors.Is].
var (
	// ErrConflict is returned when a write names a position that is not the
	// head: somebody else wrote first.
	ErrConflict = errors.New("conflict")
	// ErrGap is returned when a position does not follow the one before it.
	ErrGap = errors.New("gap in sequence")
	// ErrNotFound is returned for a conversation, branch or blob that is not there.
	ErrNotFound = errors.New("not found")
	// ErrClosed is returned by every call on something that was closed.
	ErrClosed = errors.New("closed")
	// ErrTooLarge is returned for input above a stated limit.
	ErrTooLarge = errors.New("too large")
	// ErrUnsupported is returned for a format or version this build cannot
	// handle, and for one that is newer than it.
	ErrUnsupported = errors.New("unsupported")
	// ErrIncomplete is returned where input ended in the middle of something.
	ErrIncomplete = errors.New("incomplete")
	// ErrCorrupt is returned for stored bytes that fail their check anywhere
	// but at the torn tail of the last write.
	ErrCorrupt = errors.New("corrupt")
)
