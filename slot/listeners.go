package slot

import (
	"fmt"
	"slices"
)

// listeners are the subscribers of one thing. The zero value has none.
type listeners[T any] struct {
	all []*listener[T]
}

// listener is a subscription. A cancelled one is skipped even in the round
// that is under way.
type listener[T any] struct {
	call func(T)
	off  bool
}

// add subscribes f from the next round on. Cancelling twice is harmless. Both
// make a new slice, so that a round under way keeps its own.
func (ls *listeners[T]) add(f func(T)) (cancel func()) {
	l := &listener[T]{call: f}
	ls.all = append(slices.Clip(ls.all), l)
	return func() {
		if l.off {
			return
		}
		l.off = true
		at := slices.Index(ls.all, l)
		ls.all = slices.Concat(ls.all[:at], ls.all[at+1:])
	}
}

// tell calls everyone with x. One that panics is reported and does not keep x
// from the others.
func (ls *listeners[T]) tell(x T, report func(error)) {
	for _, l := range ls.all {
		if !l.off {
			l.tell(x, report)
		}
	}
}

func (l *listener[T]) tell(x T, report func(error)) {
	defer func() {
		if r := recover(); r != nil && report != nil {
			report(fmt.Errorf("slot: listener failed: %v", r))
		}
	}()
	l.call(x)
}
