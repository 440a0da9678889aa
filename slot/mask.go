package slot

import (
	"iter"
	"math/bits"
)

// MaxFields is the largest number of fields a [Layout] may have: one bit of a
// [Mask] each.
const MaxFields = 64

// Mask is a set of fields of a layout: bit i stands for field i. The zero mask
// is empty. Its bits mean nothing without the layout they came from.
type Mask uint64

// Has reports whether field i is in the mask.
func (m Mask) Has(i int) bool { return m&(1<<i) != 0 }

// Len returns the number of fields in the mask.
func (m Mask) Len() int { return bits.OnesCount64(uint64(m)) }

// Fields yields the fields of the mask in ascending order.
func (m Mask) Fields() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros64(uint64(m))) {
				return
			}
		}
	}
}
