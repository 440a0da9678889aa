package view

import "sync/atomic"

// frame is one publication as bytes, encoded once. Without any it says that
// everything before is void: viewers go on from a snapshot.
type frame struct {
	index int64
	seq   int64 // of the state after it
	// running says whether a turn is in flight then.
	running bool
	data    []byte
}

// ringSize and ringBytes bound what a ring holds.
const (
	ringSize  = 1024
	ringBytes = 8 << 20
)

// ring is a bounded log of frames with one writer and any number of readers.
// Readers take frames by index without a lock; one that asks for a frame that
// was overwritten is told that it lags.
type ring struct {
	frames [ringSize]atomic.Pointer[frame]
	head   atomic.Int64 // first index still held
	tail   atomic.Int64 // one past the last
	bytes  int          // writer's

	waiting atomic.Int32
	wake    atomic.Pointer[chan struct{}]
}

func newRing() *ring {
	r := &ring{}
	c := make(chan struct{})
	r.wake.Store(&c)
	return r
}

// put appends a frame and gives it its index. It never waits.
func (r *ring) put(f *frame) {
	i := r.tail.Load()
	f.index = i
	r.bytes += len(f.data)
	head := r.head.Load()
	for i-head >= ringSize || r.bytes > ringBytes && head < i {
		r.bytes -= len(r.frames[head%ringSize].Swap(nil).data)
		head++
	}
	r.head.Store(head)
	r.frames[i%ringSize].Store(f)
	r.tail.Store(i + 1)
	if r.waiting.Load() > 0 {
		r.rouse()
	}
}

// rouse wakes all readers that wait. Anyone may call it.
func (r *ring) rouse() {
	c := make(chan struct{})
	r.waiting.Store(0)
	close(*r.wake.Swap(&c))
}

// has reports whether a frame at or after index i has been put.
func (r *ring) has(i int64) bool { return i < r.tail.Load() }

// get returns the frame at index i, which has been put, or nil if it is gone.
func (r *ring) get(i int64) *frame {
	if f := r.frames[i%ringSize].Load(); f != nil && f.index == i {
		return f
	}
	return nil
}

// wait returns a channel that is closed when something happens after the call.
// Whoever asks looks at the ring once more before waiting.
func (r *ring) wait() <-chan struct{} {
	c := *r.wake.Load()
	r.waiting.Add(1)
	return c
}
