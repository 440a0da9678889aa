package slot

import "errors"

// The errors of this package. They come wrapped with the key or field they are
// about; tell them apart with [errors.Is].
var (
	// ErrLayout is returned for a type that no layout can be compiled for, and
	// for field names a layout does not have.
	ErrLayout = errors.New("slot: invalid layout")
	// ErrKeyTaken is returned where a key would stand in a collection twice.
	ErrKeyTaken = errors.New("slot: key is taken")
	// ErrKeyChanged is returned by a modification that changed the key.
	ErrKeyChanged = errors.New("slot: key must not change")
	// ErrNoAnchor is returned by an insertion beside a key that is not there.
	ErrNoAnchor = errors.New("slot: no such anchor")
	// ErrBusy is returned for a write from inside a modification or from an
	// index's labels function.
	ErrBusy = errors.New("slot: collection is being written")
)
