package slot

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Collection is an ordered set of values of type V, each identified by the key
// field of its layout and held in a stable [Item]. Make one with
// [NewCollection].
//
// # Writes
//
// A write that changes nothing, by the layout, writes nothing: the old value
// stays and the write is counted as suppressed. Immutable fields keep the
// value they were inserted with unless the variant changes. What a value
// refers to is shared with the collection: pointers and slices must not be
// written through, only replaced or appended to. A write is refused or done
// whole: one that returns an error or panics leaves values, order and indexes
// as they were.
//
// # Delivery
//
// Each write, or the outermost batch around it, tells once what changed: first
// the subscribers of the items, then those of the structure, then those of the
// whole. A listener may write; the write is done at once and told after
// everyone has been told of the one before, so nobody hears of an older state
// after a newer one. A listener that panics is reported and the others are
// served. A cancelled listener is not called again, even in the round in which
// it was cancelled; a new one is first called in the next.
//
// # Concurrency
//
// A collection belongs to one goroutine, on which its listeners run.
type Collection[K comparable, V any] struct {
	// Report, if set, is told of listeners that panicked.
	Report func(error)

	layout  *Layout[V]
	key     uintptr // offset of the key field
	board   Board[K]
	set     *Set[K]
	items   []*Item[K, V] // in order; nil after a change of structure
	indexes []indexer[K, V]

	// staged is where a value stands until it is known to be good.
	staged  V
	staging bool
	depth   int
	telling bool

	structure listeners[struct{}]
	whole     listeners[[]Update[K, V]]
	updates   []Update[K, V]
}

// NewCollection returns an empty collection of values with that layout. The
// error wraps [ErrLayout]: the layout's key field must be of type K.
func NewCollection[K comparable, V any](l *Layout[V]) (*Collection[K, V], error) {
	want := reflect.TypeFor[K]()
	if l.key < 0 || l.fields[l.key].typ != want {
		return nil, fmt.Errorf("%w of %v: no key of type %v", ErrLayout, reflect.TypeFor[V](), want)
	}
	c := &Collection[K, V]{layout: l, key: l.fields[l.key].offset}
	c.set = c.board.NewSet()
	return c, nil
}

// Layout returns the layout of the values.
func (c *Collection[K, V]) Layout() *Layout[V] { return c.layout }

// Metrics returns the counters of work done so far.
func (c *Collection[K, V]) Metrics() Metrics { return c.board.Metrics }

// Len returns the number of values.
func (c *Collection[K, V]) Len() int { return c.set.Len() }

// Item returns the item of a key, or nil.
func (c *Collection[K, V]) Item(key K) *Item[K, V] {
	n := c.set.Get(key)
	if n == nil {
		return nil
	}
	return itemOf[K, V](n)
}

// Get returns the value of a key and whether there is one.
func (c *Collection[K, V]) Get(key K) (v V, ok bool) {
	if i := c.Item(key); i != nil {
		return i.value, true
	}
	return v, false
}

// Items returns the items in order. The slice is shared, the same until
// members or order change, and must not be written to.
func (c *Collection[K, V]) Items() []*Item[K, V] {
	if c.items == nil {
		c.items = make([]*Item[K, V], c.set.Len())
		for i := range c.items {
			c.items[i] = itemOf[K, V](c.set.At(i))
		}
	}
	return c.items
}

// Values returns the values in order: a plain slice for cold readers. It costs
// O(Len).
func (c *Collection[K, V]) Values() []V {
	values := make([]V, c.set.Len())
	for i := range values {
		values[i] = itemOf[K, V](c.set.At(i)).value
	}
	return values
}

// SubscribeStructure calls f when members or order changed.
func (c *Collection[K, V]) SubscribeStructure(f func()) (cancel func()) {
	return c.structure.add(func(struct{}) { f() })
}

// Subscribe calls f with everything that changed since the last call, in the
// order in which it first did. An item that came and went in between is left
// out. The slice is valid only during the call.
func (c *Collection[K, V]) Subscribe(f func([]Update[K, V])) (cancel func()) { return c.whole.add(f) }

// Batch runs f and tells once, at the end of the outermost batch, of all that
// was written in it. It returns f's error. There is no rollback: what was
// written before an error or a panic stays written and is told.
func (c *Collection[K, V]) Batch(f func() error) error {
	c.depth++
	defer func() {
		c.depth--
		c.settle()
	}()
	return f()
}

// settle tells of what is pending, unless a batch or a round is under way,
// which will.
func (c *Collection[K, V]) settle() {
	if c.depth > 0 || c.telling {
		return
	}
	c.telling = true
	defer func() { c.telling = false }()
	for c.board.Pending() {
		c.tell(c.board.Settle())
	}
}

func (c *Collection[K, V]) tell(s *Settlement[K]) {
	c.updates = c.updates[:0]
	for _, change := range s.Changes {
		i := itemOf[K, V](change.Slot)
		u := Update[K, V]{Item: i, Op: change.Op}
		if u.Op&Written != 0 {
			u.Fields = i.written
		}
		i.written = 0
		c.updates = append(c.updates, u)
	}
	for _, u := range c.updates {
		if u.Op != Moved {
			u.Item.listeners.tell(u, c.Report)
		}
	}
	if len(s.Sets) > 0 {
		c.structure.tell(struct{}{}, c.Report)
	}
	if len(c.updates) > 0 {
		c.whole.tell(c.updates, c.Report)
	}
	clear(c.updates)
}

func itemOf[K comparable, V any](n *Slot[K]) *Item[K, V] { return n.Cell().(*Item[K, V]) }

func (c *Collection[K, V]) keyOf(v *V) K { return *(*K)(unsafe.Add(unsafe.Pointer(v), c.key)) }
