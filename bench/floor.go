package main

import (
	"unsafe"

	"github.com/stenolog/steno"
)

// The floor is the least that can be done for a delta: an addressed slot with
// an append-only buffer, and one callback. It is no product: it orders nothing,
// refuses nothing and believes every index it is given.

// floorEvent names its slot by two indexes.
type floorEvent struct {
	op            floorOp
	kind          steno.Type
	message, part uint32
	text          string
}

type floorOp uint8

const (
	floorStart floorOp = iota
	floorDelta
	floorEnd
	floorResult
)

// floorSlot holds one part. Its buffer only grows, so a string over a prefix
// of it stays valid.
type floorSlot struct {
	buf    []byte
	result string
	rev    uint64
	kind   steno.Type
	closed bool
}

func (s *floorSlot) text() string { return unsafe.String(unsafe.SliceData(s.buf), len(s.buf)) }

// floorChange is what the floor's subscriber is told.
type floorChange struct {
	slot  *floorSlot
	text  string
	delta string
	rev   uint64
}

type floorEngine struct {
	messages []*[]*floorSlot
	told     func(floorChange)
}

func (f *floorEngine) apply(e *floorEvent) {
	if e.op != floorDelta {
		f.slow(e)
		return
	}
	s := (*f.messages[e.message])[e.part]
	s.buf = append(s.buf, e.text...)
	s.rev++
	if f.told != nil {
		f.told(floorChange{s, s.text(), e.text, s.rev})
	}
}

func (f *floorEngine) slow(e *floorEvent) {
	for uint32(len(f.messages)) <= e.message {
		f.messages = append(f.messages, new([]*floorSlot))
	}
	parts := f.messages[e.message]
	if e.op == floorStart {
		*parts = append(*parts, &floorSlot{kind: e.kind})
	}
	s := (*parts)[e.part]
	switch e.op {
	case floorEnd:
		s.closed = true
	case floorResult:
		s.result = e.text
	}
	s.rev++
	if f.told != nil {
		f.told(floorChange{s, s.text(), "", s.rev})
	}
}

// indexer translates scripts into events of the floor, so that both do the
// same work.
type indexer struct {
	message, next uint32
	blocks, calls map[string]uint32
}

func (x *indexer) translate(s script) []floorEvent {
	if x.blocks == nil {
		x.blocks, x.calls = make(map[string]uint32), make(map[string]uint32)
	}
	var out []floorEvent
	for i := range s {
		e := &s[i]
		f := floorEvent{op: floorEnd, kind: e.Type, message: x.message, part: x.blocks[e.Block], text: e.Text}
		switch e.Type {
		case steno.StepStart:
			clear(x.blocks)
			continue
		case steno.StepEnd:
			continue
		case steno.TurnEnd:
			x.message++
			x.next = 0
			continue
		case steno.TextStart, steno.ReasoningStart, steno.ToolStart:
			f.op, f.part = floorStart, x.next
			x.blocks[e.Block], x.calls[e.Call] = x.next, x.next
			x.next++
		case steno.TextDelta, steno.ReasoningDelta, steno.ToolDelta:
			f.op = floorDelta
		case steno.ToolResult:
			f.op, f.part = floorResult, x.calls[e.Call]
		}
		out = append(out, f)
	}
	return out
}
