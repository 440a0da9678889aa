package slot

import "iter"

const (
	vectorBits  = 5
	vectorWidth = 1 << vectorBits
	vectorMask  = vectorWidth - 1
)

// Vector is a persistent sequence: With and Append return a new one that
// shares all but O(log n) of its memory with the old, which stays as it was.
// The zero value is empty. A Vector may be read from any goroutine.
type Vector[T any] struct {
	n     int
	shift uint // height of root · vectorBits; 0 while everything fits the tail
	root  *trie[T]
	tail  []T
}

// trie is a node of the 32-way tree: inner nodes have children, leaves items.
type trie[T any] struct {
	children []*trie[T]
	items    []T
}

// Len returns the number of elements.
func (v Vector[T]) Len() int { return v.n }

// At returns the element at index i.
func (v Vector[T]) At(i int) T {
	if i >= v.tailStart() {
		return v.tail[i-v.tailStart()]
	}
	t := v.root
	for level := v.shift; level > 0; level -= vectorBits {
		t = t.children[(i>>level)&vectorMask]
	}
	return t.items[i&vectorMask]
}

// All yields the elements with their index, in order.
func (v Vector[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range v.n {
			if !yield(i, v.At(i)) {
				return
			}
		}
	}
}

// With returns v with the element at index i replaced.
func (v Vector[T]) With(i int, x T) Vector[T] {
	if start := v.tailStart(); i >= start {
		tail := make([]T, len(v.tail))
		copy(tail, v.tail)
		tail[i-start] = x
		v.tail = tail
		return v
	}
	v.root = v.root.with(v.shift, i, x)
	return v
}

func (t *trie[T]) with(level uint, i int, x T) *trie[T] {
	if level == 0 {
		items := make([]T, vectorWidth)
		copy(items, t.items)
		items[i&vectorMask] = x
		return &trie[T]{items: items}
	}
	children := make([]*trie[T], len(t.children))
	copy(children, t.children)
	at := (i >> level) & vectorMask
	children[at] = children[at].with(level-vectorBits, i, x)
	return &trie[T]{children: children}
}

// Append returns v with x after its last element.
func (v Vector[T]) Append(x T) Vector[T] {
	if len(v.tail) < vectorWidth {
		tail := make([]T, len(v.tail)+1)
		copy(tail, v.tail)
		tail[len(v.tail)] = x
		v.tail = tail
		v.n++
		return v
	}
	leaf := &trie[T]{items: v.tail}
	switch {
	case v.root == nil:
		v.root = &trie[T]{children: []*trie[T]{leaf}}
		v.shift = vectorBits
	case v.tailStart() == 1<<(v.shift+vectorBits): // the tree is full
		v.root = &trie[T]{children: []*trie[T]{v.root, path(v.shift, leaf)}}
		v.shift += vectorBits
	default:
		v.root = v.root.push(v.shift, v.tailStart(), leaf)
	}
	v.tail = []T{x}
	v.n++
	return v
}

func (t *trie[T]) push(level uint, i int, leaf *trie[T]) *trie[T] {
	at := (i >> level) & vectorMask
	children := make([]*trie[T], max(len(t.children), at+1))
	copy(children, t.children)
	switch {
	case level == vectorBits:
		children[at] = leaf
	case children[at] == nil:
		children[at] = path(level-vectorBits, leaf)
	default:
		children[at] = children[at].push(level-vectorBits, i, leaf)
	}
	return &trie[T]{children: children}
}

// path wraps a leaf in single-child nodes up to level.
func path[T any](level uint, leaf *trie[T]) *trie[T] {
	for ; level > 0; level -= vectorBits {
		leaf = &trie[T]{children: []*trie[T]{leaf}}
	}
	return leaf
}

func (v Vector[T]) tailStart() int { return v.n - len(v.tail) }
