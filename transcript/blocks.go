package transcript

import (
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/stenolog/steno"
)

// seed serves the sums by which a block's deltas are compared with its whole.
// What is emitted does not depend on it.
var seed = maphash.MakeSeed()

// block is one text or thinking block of the attempt and the parts it became:
// several if system events or errors cut it (A6).
type block struct {
	kind kind
	name string
	// parts are the ordinals of its parts.
	parts []int
	// ended counts the parts that have ended, from the first.
	ended int
	// breaks is the count of cuts when the last part began.
	breaks int
	// sum and size are of the deltas of all parts, joined.
	sum  maphash.Hash
	size int
	// part is the last part's ordinal, as written.
	part string
	// at is the block's place among those of the attempt.
	at int
}

func (b *block) sealed() bool { return b.ended == len(b.parts) }

type blockKey struct {
	kind kind
	name string
}

// blocks are the blocks of one attempt. Its zero value is empty.
type blocks struct {
	list []*block
	free []*block
	// index finds the newest block of a name, the newest call for kTool, and the
	// block of a part.
	index map[blockKey]int
	// current is the block that the last delta went to.
	current *block
	// run is the open block of a source that names none.
	run *block
	// breaks counts the events that cut every open block.
	breaks int
}

// reset empties bs and keeps its memory.
func (bs *blocks) reset() {
	bs.free = append(bs.free, bs.list...)
	clear(bs.list)
	bs.list = bs.list[:0]
	clear(bs.index)
	bs.current, bs.run, bs.breaks = nil, nil, 0
}

func (bs *blocks) add(k kind, name string) *block {
	var b *block
	if last := len(bs.free) - 1; last >= 0 {
		b, bs.free = bs.free[last], bs.free[:last]
		b.parts = b.parts[:0]
		b.ended, b.size = 0, 0
		b.sum.Reset()
	} else {
		b = new(block)
		b.sum.SetSeed(seed)
	}
	b.kind, b.name = k, strings.Clone(name)
	b.at = len(bs.list)
	bs.list = append(bs.list, b)
	if name != "" {
		bs.put(blockKey{k, b.name}, b.at)
	} else {
		bs.run = b
	}
	return b
}

// put makes the name lead to entry i. The name is kept.
func (bs *blocks) put(key blockKey, i int) {
	if bs.index == nil {
		bs.index = make(map[blockKey]int)
	}
	bs.index[key] = i
}

// find returns the block that an event of kind k belongs to, or nil.
func (bs *blocks) find(e *steno.Event, k kind) *block {
	if e.Part != "" {
		return bs.addressed(e, k)
	}
	return bs.named(e.Block, k)
}

// named returns the newest block of that name, for no name the open run.
func (bs *blocks) named(name string, k kind) *block {
	if name == "" {
		if bs.run != nil && bs.run.kind == k {
			return bs.run
		}
		return nil
	}
	if b := bs.current; b != nil && b.kind == k && b.name == name {
		return b
	}
	if i, ok := bs.index[blockKey{k, name}]; ok {
		return bs.list[i]
	}
	return nil
}

// addressed returns the block that has the part a journal event names.
func (bs *blocks) addressed(e *steno.Event, k kind) *block {
	if b := bs.current; b != nil && b.kind == k && b.part == e.Part {
		return b
	}
	if i, ok := bs.index[partKey(k, e.Part)]; ok {
		return bs.list[i]
	}
	return nil
}

// partKey is under what the index has the block of a part: its name is the
// part's ordinal, its kind none that a block has.
func partKey(k kind, part string) blockKey { return blockKey{kindCount + k, part} }

func (n *Normaliser) blockStart(e *steno.Event, k kind) {
	if n.foreign(e) {
		n.drop(e, otherMessage)
		return
	}
	n.needStep(e)
	bs := &n.turn.step.blocks
	b := bs.named(e.Block, k)
	if b != nil && b.name != "" && !b.sealed() {
		if b.breaks == bs.breaks {
			n.drop(e, alreadyOpen)
			return
		}
		n.endRun()
	} else {
		n.endRun()
		b = bs.add(k, e.Block)
	}
	n.openPart(b, e)
}

// openPart gives b its next part and emits the start. e may carry the source's
// own start, for what else stands in it.
func (n *Normaliser) openPart(b *block, e *steno.Event) {
	s := &n.turn.step
	s.stuck = false
	b.parts = append(b.parts, n.turn.ordinals[b.kind])
	b.part = n.nextPart(b.kind)
	b.breaks = s.blocks.breaks
	s.blocks.put(partKey(b.kind, b.part), b.at)
	s.blocks.current = b
	o := n.put(startOf(b.kind))
	o.Part, o.Block = b.part, b.name
	if e.Type == o.Type {
		o.Name, o.Body = e.Name, e.Body
	}
	n.send()
}

func (n *Normaliser) blockDelta(e *steno.Event, k kind) {
	if e.Text == "" {
		return // A5
	}
	if why := n.refuse(e, k); why != "" {
		n.drop(e, why)
		return
	}
	n.needStep(e)
	bs := &n.turn.step.blocks
	b := bs.find(e, k)
	switch {
	case b == nil && e.Part != "":
		n.drop(e, noPart)
		return
	case b == nil:
		n.endRun()
		b = bs.add(k, e.Block)
		n.openPart(b, e)
	case b.sealed():
		n.drop(e, sealed)
		return
	case b.breaks != bs.breaks && e.Part == "":
		n.endRun()
		n.openPart(b, e)
	case bs.run != nil && bs.run != b && e.Part == "":
		n.endRun()
	}
	n.grow(b, e.Text)
}

// grow emits a delta of b.
func (n *Normaliser) grow(b *block, text string) {
	s := &n.turn.step
	s.stuck = false
	s.blocks.current = b
	b.sum.WriteString(text)
	b.size += len(text)
	o := n.blank(deltaOf(b.kind))
	o.Turn, o.Step, o.Attempt = n.keep.Turn, s.number, s.attempt
	o.Message, o.Part, o.Text = n.turn.message, b.part, text
	n.send()
}

// refuse says why a delta or end of kind k has no place, or "": it speaks of
// another message, or of an answer that has ended (C95).
func (n *Normaliser) refuse(e *steno.Event, k kind) string {
	if e.Message == "" && n.turn.step.open {
		return ""
	}
	return n.misplaced(e, k)
}

func (n *Normaliser) misplaced(e *steno.Event, k kind) string {
	s := &n.turn.step
	switch {
	case n.foreign(e):
		return otherMessage
	case s.open:
		return ""
	}
	if n.late {
		return answerEnded
	}
	if s.number > 0 && !s.failed && e.Block != "" {
		if _, known := s.blocks.index[blockKey{k, e.Block}]; known {
			return sealed
		}
	}
	return ""
}

// blockEnd takes the end of a block, its whole text and its opaque data.
func (n *Normaliser) blockEnd(e *steno.Event, k kind) {
	if why := n.refuse(e, k); why != "" {
		n.drop(e, why)
		return
	}
	bs := &n.turn.step.blocks
	b := (*block)(nil)
	if n.turn.step.open {
		b = bs.find(e, k)
	}
	switch {
	case b != nil && b.sealed():
		n.drop(e, sealed)
		return
	case b != nil && e.Part != "":
		n.endAddressed(b, e)
		return
	case b == nil && (e.Part != "" || !says(e)):
		n.drop(e, nothingOpen)
		return
	case b == nil:
		n.needStep(e)
		n.endRun()
		b = bs.add(k, e.Block)
		n.openPart(b, e)
	}
	n.endBlock(b, e)
}

// says reports whether an end carries something of its own.
func says(e *steno.Event) bool {
	seal, ok := e.Body.(*steno.Seal)
	return e.Text != "" || ok && len(seal.Opaque) > 0
}

// endAddressed takes the end of one part from the journal: it passes as it is.
func (n *Normaliser) endAddressed(b *block, e *steno.Event) {
	for b.ended < len(b.parts)-1 && strconv.Itoa(b.parts[b.ended]) != e.Part {
		n.endPart(b)
		n.send()
	}
	o := n.endPart(b)
	o.Text, o.Whole, o.Body = e.Text, e.Whole, n.owned(e.Body)
	n.send()
	n.sealed(b)
}

// endBlock ends all parts of b. The whole, if the source gave one that differs,
// goes to the last part: as a delta if it only adds, else in the end, and the
// earlier parts are emptied (A7). Opaque data goes on the last part.
func (n *Normaliser) endBlock(b *block, e *steno.Event) {
	whole := e.Whole || e.Text != ""
	if whole && b.begins(e.Text) {
		if rest := e.Text[b.size:]; rest != "" {
			n.grow(b, rest)
		}
		whole = false
	}
	for b.ended < len(b.parts)-1 {
		n.endPart(b).Whole = whole
		n.send()
	}
	o := n.endPart(b)
	if whole {
		o.Whole, o.Text = true, e.Text
	}
	o.Name, o.Body = e.Name, n.owned(e.Body)
	n.send()
	n.sealed(b)
}

// begins reports whether whole begins with the deltas of b joined.
func (b *block) begins(whole string) bool {
	if len(whole) < b.size {
		return false
	}
	return maphash.String(seed, whole[:b.size]) == b.sum.Sum64()
}

// owned adds to opaque data whose it is (A25), where the source did not say.
func (n *Normaliser) owned(body steno.Body) steno.Body {
	seal, ok := body.(*steno.Seal)
	s := &n.turn.step
	if !ok || len(seal.Opaque) == 0 || seal.Provider != "" || seal.Model != "" || s.provider == "" && s.model == "" {
		return body
	}
	mine := *seal
	mine.Provider, mine.Model = s.provider, s.model
	return &mine
}

// endPart begins the end event of the next part of b.
func (n *Normaliser) endPart(b *block) *steno.Event {
	o := n.put(endOf(b.kind))
	o.Part = strconv.Itoa(b.parts[b.ended])
	b.ended++
	return o
}

// sealed forgets that b is open.
func (n *Normaliser) sealed(b *block) {
	if bs := &n.turn.step.blocks; bs.run == b && b.sealed() {
		bs.run = nil
	}
}

// endRun ends the open block of a source that names none.
func (n *Normaliser) endRun() {
	if b := n.turn.step.blocks.run; b != nil {
		n.endBlock(b, &steno.Event{})
	}
}

// breakBlocks closes every open part, as what is not of the provider does (A6).
func (n *Normaliser) breakBlocks() {
	n.endRun()
	n.turn.step.blocks.breaks++
}

// endBlocks seals every block of the attempt.
func (n *Normaliser) endBlocks() {
	for _, b := range n.turn.step.blocks.list {
		if !b.sealed() {
			n.endBlock(b, &steno.Event{})
		}
	}
}

// single takes a part that one event holds whole: a source, a file, a block we
// do not know.
func (n *Normaliser) single(e *steno.Event) {
	if n.foreign(e) {
		n.drop(e, otherMessage)
		return
	}
	n.needStep(e)
	n.endRun()
	n.turn.step.stuck = false
	o := n.put(e.Type)
	o.Part = n.nextPart(kindOf(e.Type))
	o.Block, o.Call, o.Name, o.Text, o.Body = e.Block, e.Call, e.Name, e.Text, e.Body
	n.send()
}

func startOf(k kind) steno.Type {
	if k == kThinking {
		return steno.ReasoningStart
	}
	return steno.TextStart
}

func deltaOf(k kind) steno.Type { return startOf(k) + 1 }
func endOf(k kind) steno.Type   { return startOf(k) + 2 }
