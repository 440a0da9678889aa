package slot

// Item is a slot of a [Collection]: the place of one value for its life. It
// may be kept and compared. A removed item keeps its last value and never
// changes again, even if its key comes back.
type Item[K comparable, V any] struct {
	slot      *Slot[K]
	value     V
	written   Mask // since it was last told
	listeners listeners[Update[K, V]]
}

// Update is an item and what happened to it. It says what changed, not what
// the value was: a listener reads the item and sees the newest.
type Update[K comparable, V any] struct {
	Item *Item[K, V]
	// Op is Removed, Inserted, or Written and Moved or one of them.
	Op Op
	// Fields are those that were written, where Op holds Written.
	Fields Mask
}

// Key returns the item's key.
func (i *Item[K, V]) Key() K { return i.slot.Key() }

// Position returns the item's index in the collection, or -1 once removed.
func (i *Item[K, V]) Position() int { return i.slot.Position() }

// Value returns the value as it is now. What it refers to is shared: it must
// not be written to.
func (i *Item[K, V]) Value() V { return i.value }

// Frozen returns the value as it is now, immutable: the same object until the
// next write. It may be read from any goroutine.
func (i *Item[K, V]) Frozen() *V { return i.slot.Frozen().(*V) }

// Freeze implements [Cell].
func (i *Item[K, V]) Freeze() any {
	v := i.value
	return &v
}

// Subscribe calls f when the value was written, and a last time when the item
// was removed. There is no initial call. Moves are no news to an item.
func (i *Item[K, V]) Subscribe(f func(Update[K, V])) (cancel func()) { return i.listeners.add(f) }
