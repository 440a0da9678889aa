package slot

import "fmt"

// Insert puts a new value at the end. It returns [ErrKeyTaken] if its key is
// there, [ErrBusy], or what an index's labels function returned.
func (c *Collection[K, V]) Insert(v V) error { return c.insert(v, nil) }

// InsertBefore puts a new value before the one with the key anchor. Its errors
// are those of Insert and [ErrNoAnchor].
func (c *Collection[K, V]) InsertBefore(anchor K, v V) error {
	n := c.set.Get(anchor)
	if n == nil {
		return fmt.Errorf("%w: %v", ErrNoAnchor, anchor)
	}
	return c.insert(v, n)
}

// InsertAfter puts a new value after the one with the key anchor. Its errors
// are those of Insert and [ErrNoAnchor].
func (c *Collection[K, V]) InsertAfter(anchor K, v V) error {
	n := c.set.Get(anchor)
	if n == nil {
		return fmt.Errorf("%w: %v", ErrNoAnchor, anchor)
	}
	return c.insert(v, c.next(n))
}

// Update replaces the value that has v's key and reports whether something was
// written: false if there is no such key or nothing differs. The error is
// [ErrBusy] or what an index's labels function returned. It costs O(1),
// however many values there are.
func (c *Collection[K, V]) Update(v V) (bool, error) {
	written, err := c.update(v)
	c.settle()
	return written, err
}

// Modify calls change with a copy of the value of a key and writes it back. It
// reports what Update would; the error may also be [ErrKeyChanged]. change must
// not write to the collection.
func (c *Collection[K, V]) Modify(key K, change func(v *V)) (bool, error) {
	written, err := c.modify(key, change)
	c.settle()
	return written, err
}

// Set makes values the whole of the collection, in their order. Items whose
// keys stay are kept in place and written only where they differ. It returns
// [ErrKeyTaken] for a key that occurs twice, [ErrBusy], or what an index's
// labels function returned; nothing has changed then.
func (c *Collection[K, V]) Set(values []V) error {
	err := c.replace(values)
	c.settle()
	return err
}

// Clear removes everything.
func (c *Collection[K, V]) Clear() error { return c.Set(nil) }

// Remove removes the value of a key and reports whether it was there. During a
// modification it is refused and reports false, as the moves do.
func (c *Collection[K, V]) Remove(key K) bool {
	n := c.set.Get(key)
	if n == nil || c.staging {
		return false
	}
	c.set.Remove(n)
	c.drop(key)
	c.items = nil
	c.settle()
	return true
}

// MoveBefore moves the value of a key before that of anchor and reports
// whether the order changed. It costs O(values between).
func (c *Collection[K, V]) MoveBefore(key, anchor K) bool {
	n := c.set.Get(anchor)
	return n != nil && c.move(key, n)
}

// MoveAfter moves the value of a key after that of anchor and reports whether
// the order changed. It costs O(values between).
func (c *Collection[K, V]) MoveAfter(key, anchor K) bool {
	n := c.set.Get(anchor)
	return n != nil && c.move(key, c.next(n))
}

// MoveEnd moves the value of a key to the end and reports whether the order
// changed. It costs O(values behind it).
func (c *Collection[K, V]) MoveEnd(key K) bool { return c.move(key, nil) }

func (c *Collection[K, V]) move(key K, before *Slot[K]) bool {
	n := c.set.Get(key)
	if n == nil || c.staging || !c.set.Move(n, before) {
		return false
	}
	c.items = nil
	c.settle()
	return true
}

func (c *Collection[K, V]) next(n *Slot[K]) *Slot[K] {
	if n.pos+1 == c.set.Len() {
		return nil
	}
	return c.set.At(n.pos + 1)
}

// begin opens the stage for one write; end clears it, whatever came of it.
func (c *Collection[K, V]) begin() error {
	if c.staging {
		return ErrBusy
	}
	c.staging = true
	return nil
}

func (c *Collection[K, V]) end() {
	var zero V
	c.staged, c.staging = zero, false
	for _, x := range c.indexes {
		x.discard()
	}
}

func (c *Collection[K, V]) insert(v V, before *Slot[K]) error {
	err := c.create(v, before)
	c.settle()
	return err
}

func (c *Collection[K, V]) create(v V, before *Slot[K]) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.end()
	c.staged = v
	key := c.keyOf(&c.staged)
	if c.set.Get(key) != nil {
		return fmt.Errorf("%w: %v", ErrKeyTaken, key)
	}
	if err := c.project(key, c.layout.all); err != nil {
		return err
	}
	i := &Item[K, V]{value: c.staged}
	i.slot = c.set.Insert(key, i, before)
	c.items = nil
	c.commitIndexes()
	return nil
}

func (c *Collection[K, V]) update(v V) (bool, error) {
	if err := c.begin(); err != nil {
		return false, err
	}
	defer c.end()
	c.staged = v
	i := c.Item(c.keyOf(&c.staged))
	if i == nil {
		return false, nil
	}
	return c.rewrite(i)
}

func (c *Collection[K, V]) modify(key K, change func(v *V)) (bool, error) {
	if err := c.begin(); err != nil {
		return false, err
	}
	defer c.end()
	i := c.Item(key)
	if i == nil {
		return false, nil
	}
	c.staged = i.value
	change(&c.staged)
	if c.keyOf(&c.staged) != key {
		return false, fmt.Errorf("%w: %v", ErrKeyChanged, key)
	}
	return c.rewrite(i)
}

// rewrite puts what is staged into i.
func (c *Collection[K, V]) rewrite(i *Item[K, V]) (bool, error) {
	diff := c.layout.Diff(&i.value, &c.staged)
	if diff == 0 {
		c.board.Metrics.Suppressed++
		return false, nil
	}
	c.layout.keep(&c.staged, &i.value, diff)
	if err := c.project(i.Key(), diff); err != nil {
		return false, err
	}
	c.write(i, diff)
	c.commitIndexes()
	return true, nil
}

func (c *Collection[K, V]) write(i *Item[K, V], diff Mask) {
	i.value = c.staged
	i.written |= diff
	c.set.Wrote(i.slot)
}

func (c *Collection[K, V]) replace(values []V) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.end()
	keys, diffs, err := c.plan(values)
	if err != nil {
		return err
	}
	old := c.Items()
	if c.set.Arrange(keys, func(at int) Cell { return &Item[K, V]{value: values[at]} }) {
		c.items = nil
	}
	for _, i := range old {
		if i.Position() < 0 {
			c.drop(i.Key())
		}
	}
	for at, diff := range diffs {
		n := c.set.At(at)
		i := itemOf[K, V](n)
		switch {
		case i.slot == nil:
			i.slot = n
		case diff == 0:
			c.board.Metrics.Suppressed++
		default:
			c.staged = values[at]
			c.layout.keep(&c.staged, &i.value, diff)
			c.write(i, diff)
		}
	}
	c.commitIndexes()
	return nil
}

// plan stages the labels of what Set would write and returns the keys and what
// differs at each.
func (c *Collection[K, V]) plan(values []V) ([]K, []Mask, error) {
	keys, diffs := make([]K, len(values)), make([]Mask, len(values))
	seen := make(map[K]struct{}, len(values))
	for at := range values {
		c.staged = values[at]
		key := c.keyOf(&c.staged)
		if _, twice := seen[key]; twice {
			return nil, nil, fmt.Errorf("%w: %v", ErrKeyTaken, key)
		}
		seen[key] = struct{}{}
		keys[at], diffs[at] = key, c.layout.all
		if i := c.Item(key); i != nil {
			diffs[at] = c.layout.Diff(&i.value, &c.staged)
			c.layout.keep(&c.staged, &i.value, diffs[at])
		}
		if err := c.project(key, diffs[at]); err != nil {
			return nil, nil, err
		}
	}
	return keys, diffs, nil
}
