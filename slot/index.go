package slot

import (
	"cmp"
	"fmt"
	"slices"
)

// Index finds the members of a collection by a label: the parts of a step, the
// calls of a tool. A value may carry several labels and a label be carried by
// several values. It is current at every moment, in listeners too.
//
// An index belongs to its collection's goroutine and lives as long.
type Index[K comparable, V any, L comparable] struct {
	collection *Collection[K, V]
	fields     Mask
	labels     func(v *V) ([]L, error)

	members map[L]map[K]struct{}
	held    map[K][]L
	staged  []labelling[K, L]
}

// labelling is the labels that a key is about to carry.
type labelling[K comparable, L comparable] struct {
	key    K
	labels []L
}

// NewIndex returns an index of what is in the collection and will be.
//
// labels returns the labels of a value, which the index keeps. It must be a
// function of the given fields alone: it is called for a new value and when one
// of them was written, as they all are when the variant tag was, and for
// nothing else. If it returns an error, so does the write that it was called
// for, and nothing has changed; NewIndex returns it for a value that is already
// there.
func NewIndex[K comparable, V any, L comparable](
	c *Collection[K, V], fields Mask, labels func(v *V) ([]L, error),
) (*Index[K, V, L], error) {
	x := &Index[K, V, L]{
		collection: c, fields: fields, labels: labels,
		members: make(map[L]map[K]struct{}), held: make(map[K][]L),
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	defer c.end()
	for _, i := range c.Items() {
		c.staged = i.value
		if err := x.stage(i.Key(), &c.staged); err != nil {
			return nil, err
		}
	}
	x.commit()
	c.indexes = append(c.indexes, x)
	return x, nil
}

// Len returns the number of labels that have members.
func (x *Index[K, V, L]) Len() int { return len(x.members) }

// Has reports whether a label has members. It costs O(1).
func (x *Index[K, V, L]) Has(label L) bool { return len(x.members[label]) > 0 }

// Members returns the items that carry a label, in the order of the
// collection. It costs O(m log m) for m of them.
func (x *Index[K, V, L]) Members(label L) []*Item[K, V] {
	items := make([]*Item[K, V], 0, len(x.members[label]))
	for key := range x.members[label] {
		items = append(items, x.collection.Item(key))
	}
	slices.SortFunc(items, func(a, b *Item[K, V]) int { return cmp.Compare(a.Position(), b.Position()) })
	return items
}

// indexer is an index as its collection sees it, the type of labels erased.
// What is staged takes effect by commit or is forgotten by discard.
type indexer[K comparable, V any] interface {
	reads() Mask
	stage(key K, v *V) error
	commit()
	discard()
	drop(key K)
}

func (x *Index[K, V, L]) reads() Mask { return x.fields }

func (x *Index[K, V, L]) stage(key K, v *V) error {
	labels, err := x.labels(v)
	if err != nil {
		return fmt.Errorf("slot: labels of %v: %w", key, err)
	}
	x.staged = append(x.staged, labelling[K, L]{key, labels})
	return nil
}

func (x *Index[K, V, L]) commit() {
	for _, s := range x.staged {
		x.drop(s.key)
		if len(s.labels) == 0 {
			continue
		}
		x.held[s.key] = s.labels
		for _, label := range s.labels {
			if x.members[label] == nil {
				x.members[label] = make(map[K]struct{})
			}
			x.members[label][s.key] = struct{}{}
		}
	}
	x.discard()
}

func (x *Index[K, V, L]) discard() {
	clear(x.staged)
	x.staged = x.staged[:0]
}

func (x *Index[K, V, L]) drop(key K) {
	for _, label := range x.held[key] {
		delete(x.members[label], key)
		if len(x.members[label]) == 0 {
			delete(x.members, label)
		}
	}
	delete(x.held, key)
}

// project stages, in the indexes that read one of the fields, the labels of
// what is staged under a key.
func (c *Collection[K, V]) project(key K, fields Mask) error {
	for _, x := range c.indexes {
		if fields == c.layout.all || fields&x.reads() != 0 {
			if err := x.stage(key, &c.staged); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Collection[K, V]) commitIndexes() {
	for _, x := range c.indexes {
		x.commit()
	}
}

func (c *Collection[K, V]) drop(key K) {
	for _, x := range c.indexes {
		x.drop(key)
	}
}
