// Package text provides Text, an append-only string value.
//
// A stream of small deltas is the one workload that decides how fast a
// transcript is. Text makes it cheap: appending is O(len(delta)) amortised, a
// frozen prefix costs nothing to take or to keep, and every prefix that was
// ever handed out stays valid and unchanged for ever.
package text

import (
	"sync/atomic"
	"unsafe"
)

// Text is an immutable string that knows how to grow. The zero value is the
// empty text.
//
// Append returns a longer Text and leaves the receiver as it was, like the
// built-in append, but never aliases: of two Texts grown from the same prefix
// the second copies. So a Text may be held, compared, branched and read from
// any goroutine without a lock, while another goroutine goes on appending.
type Text struct {
	s    string
	room *room
}

// room is the buffer behind one or more Texts. Bytes below claimed are frozen.
// A Text may extend the buffer only if it ends exactly at claimed and wins the
// exchange; everyone else copies.
type room struct {
	claimed atomic.Int64
	buf     []byte
}

const firstRoom = 128

// Of returns a Text that holds s. It does not copy.
func Of(s string) Text { return Text{s: s} }

// String returns the text without copying. The result may be retained.
func (t Text) String() string { return t.s }

// Len returns the length in bytes.
func (t Text) Len() int { return len(t.s) }

// Append returns t followed by s. It copies s, which may be reused at once.
// The cost is O(len(s)) amortised; memory allocated over the life of a text
// that is only appended to is at most four times its length.
func (t Text) Append(s string) Text {
	if s == "" {
		return t
	}
	n := len(t.s)
	end := n + len(s)
	if r := t.room; r != nil && end <= len(r.buf) && r.claimed.CompareAndSwap(int64(n), int64(end)) {
		copy(r.buf[n:end], s)
		t.s = unsafe.String(unsafe.SliceData(r.buf), end)
		return t
	}
	return t.grow(s, end)
}

func (t Text) grow(s string, end int) Text {
	size := max(2*len(t.s), end, firstRoom)
	r := &room{buf: make([]byte, size)}
	r.claimed.Store(int64(end))
	copy(r.buf, t.s)
	copy(r.buf[len(t.s):], s)
	return Text{s: unsafe.String(unsafe.SliceData(r.buf), end), room: r}
}

// Equal reports whether both hold the same bytes.
func (t Text) Equal(u Text) bool { return t.s == u.s }

// MarshalText implements [encoding.TextMarshaler].
func (t Text) MarshalText() ([]byte, error) { return []byte(t.s), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Text) UnmarshalText(b []byte) error {
	*t = Of(string(b))
	return nil
}
