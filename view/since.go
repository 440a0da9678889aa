package view

import (
	"fmt"
	"strconv"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
)

// Snapshot returns the state of a window, the newest turns of them, in the
// form of one frame's JSON, and the id it is complete to. It costs O(window).
func (l *Live) Snapshot(turns int) (id string, data []byte) {
	s := l.now.Load()
	return l.id(s.seq), l.encodeSnapshot(s, turns)
}

// encoded is the last snapshot that was encoded, for the next viewer that
// wants the same.
type encoded struct {
	state *state
	turns int
	data  []byte
}

func (l *Live) encodeSnapshot(s *state, turns int) []byte {
	if last := l.encoded.Load(); last != nil && last.state == s && last.turns == turns {
		return last.data
	}
	l.snapshots.Add(1)
	data := encodeWindow(s, turns)
	l.encoded.Store(&encoded{s, turns, data})
	return data
}

func encodeWindow(s *state, turns int) []byte {
	first := s.firstTurn(turns)
	w := encoder{buf: make([]byte, 0, 4096)}
	w.buf = appendWindow(append(w.buf, `{"snapshot":true,`...), first)
	for at, c := range s.collections.All() {
		for i, e := range c.entries.All() {
			e = s.entry(at, i, e)
			if e.turn == transcript.Always || e.turn >= first {
				w.insert(c.name, e, "")
			}
		}
	}
	return append(w.buf, "]}"...)
}

// appendWindow says where the turns of a snapshot or a page begin.
func appendWindow(dst []byte, first uint32) []byte {
	dst = append(dst, `"window":{"first":`...)
	dst = strconv.AppendUint(dst, uint64(max(first, 1)), 10)
	dst = append(dst, `,"older":`...)
	dst = strconv.AppendBool(dst, first > 1)
	return append(dst, `},"ops":[`...)
}

// Since returns what brings a viewer whose state is that after seq up to now,
// in the form of one frame's JSON, and the id it then has; data is nil if
// there is nothing to tell. It costs O(slots), and the bytes that changed. The
// error wraps [steno.ErrNotFound] if that state can no longer be reached from:
// then only a snapshot helps.
func (l *Live) Since(seq int64) (id string, data []byte, err error) {
	s := l.now.Load()
	data, err = l.encodeSince(s, seq)
	return l.id(s.seq), data, err
}

func (l *Live) encodeSince(s *state, seq int64) ([]byte, error) {
	if seq < s.floor || seq > s.seq {
		return nil, fmt.Errorf("view: branch %s: no way from %d to %d: %w", l.branch, seq, s.seq, steno.ErrNotFound)
	}
	if seq == s.seq {
		return nil, nil
	}
	l.resumes.Add(1)
	w := encoder{buf: append(make([]byte, 0, 512), `{"ops":[`...)}
	gone := make(map[string][]string)
	for _, t := range s.goneSince(seq) {
		if t.born <= seq {
			gone[t.collection] = append(gone[t.collection], t.key)
		}
	}
	for at, c := range s.collections.All() {
		if keys := gone[c.name]; len(keys) > 0 {
			w.remove(c.name, keys)
		}
		if s.touched(at) > seq {
			w.sinceIn(s, at, seq)
		}
	}
	return append(w.buf, "]}"...), nil
}

// sinceIn writes the changes in one collection from its end to its start, so
// that what an op says to stand before is already where it belongs.
func (w *encoder) sinceIn(s *state, at int, seq int64) {
	c, before := s.collections.At(at), ""
	for i := c.entries.Len() - 1; i >= 0; i-- {
		e := s.entry(at, i, c.entries.At(i))
		switch {
		case e.touched <= seq:
		case e.inserted > seq:
			w.insert(c.name, e, before)
		default:
			if e.moved > seq {
				w.move(c.name, e.key, before)
			}
			w.since(c.name, e, seq)
		}
		before = e.key
	}
}
