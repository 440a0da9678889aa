package slot

// Shape is a [Layout] with its type erased, for those who pass values of many
// types on: every value is a pointer to the layout's struct. Passing another
// type panics.
type Shape interface {
	Len() int
	Name(i int) string
	Appendable(i int) bool
	Visible() Mask

	Diff(a, b any) Mask
	Grown(a, b any, i int) (suffix string, ok bool)
	Text(v any, i int) string
	AppendField(dst []byte, v any, i int) []byte
	AppendWhole(dst []byte, v any) []byte
}

// Shape returns the layout as a [Shape].
func (l *Layout[V]) Shape() Shape { return shape[V]{l} }

type shape[V any] struct{ l *Layout[V] }

func (s shape[V]) Len() int              { return s.l.Len() }
func (s shape[V]) Name(i int) string     { return s.l.Name(i) }
func (s shape[V]) Appendable(i int) bool { return s.l.Appendable(i) }
func (s shape[V]) Visible() Mask         { return s.l.Visible() }

func (s shape[V]) Diff(a, b any) Mask { return s.l.Diff(a.(*V), b.(*V)) }

func (s shape[V]) Grown(a, b any, i int) (string, bool) {
	return s.l.Grown(a.(*V), b.(*V), i)
}

func (s shape[V]) Text(v any, i int) string { return s.l.Text(v.(*V), i) }

func (s shape[V]) AppendField(dst []byte, v any, i int) []byte {
	return s.l.AppendField(dst, v.(*V), i)
}

func (s shape[V]) AppendWhole(dst []byte, v any) []byte {
	return s.l.AppendWhole(dst, v.(*V))
}
