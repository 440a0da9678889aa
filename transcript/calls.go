package transcript

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// call is one tool call of the turn. Its key is its ordinal in its message: the
// provider's id may repeat (A11).
type call struct {
	message, part string
	step, attempt uint32
	id, name      string
	block         string
	// older is the index of the call before it with the same id, or -1, and
	// namesake that of the call of the same part in an earlier message.
	older, namesake int
	// args are the arguments so far, until they are sealed.
	args []byte
	// sealed says that the arguments are whole, object that they are a JSON
	// object, started that the tool runs, done that there is a result.
	sealed, object, started, done bool
}

// calls are the tool calls of a turn. The zero value is empty.
type calls struct {
	list []call
	// open are the indexes of the calls without a result, oldest first, and
	// unsealed those of the calls whose arguments are being written.
	open, unsealed []int
	byID           map[string]int
	// byPart has the newest call of each part.
	byPart map[string]int
	// first is the index of the first call of the attempt.
	first int
	// held are the results whose call has not come, by its id.
	held map[string][]*steno.Event
	// spare is the memory of sealed arguments, of as many calls as were written
	// at once.
	spare [][]byte
	// recent are calls that deltas came for, by how their blocks' names end:
	// those of parallel calls come in turns. They are hints.
	recent [4]int
}

func (cs *calls) reset() {
	clear(cs.list)
	clear(cs.byID)
	clear(cs.byPart)
	*cs = calls{list: cs.list[:0], open: cs.open[:0], unsealed: cs.unsealed[:0], byID: cs.byID, byPart: cs.byPart, spare: cs.spare}
}

func (cs *calls) nextAttempt() { cs.first = len(cs.list) }

// add enters a call under its id and returns its index.
func (cs *calls) add(c call) int {
	i := len(cs.list)
	c.older, c.namesake = -1, -1
	if n, ok := cs.byPart[c.part]; ok {
		c.namesake = n
	}
	if cs.byPart == nil {
		cs.byPart = make(map[string]int)
	}
	cs.byPart[c.part] = i
	if last := len(cs.spare) - 1; last >= 0 {
		c.args, cs.spare = cs.spare[last][:0], cs.spare[:last]
	}
	cs.list = append(cs.list, c)
	cs.open = append(cs.open, i)
	cs.unsealed = append(cs.unsealed, i)
	cs.identify(i, c.id)
	return i
}

// identify makes id lead to call i.
func (cs *calls) identify(i int, id string) {
	if id == "" {
		return
	}
	if cs.byID == nil {
		cs.byID = make(map[string]int)
	}
	if older, ok := cs.byID[id]; ok {
		cs.list[i].older = older
	}
	cs.list[i].id = id
	cs.byID[id] = i
}

// at returns the call that has the part a journal event names, or -1. It costs
// the same however many calls the turn has.
func (cs *calls) at(e *steno.Event) int {
	i, ok := cs.byPart[e.Part]
	if !ok {
		return -1
	}
	for i >= 0 && e.Message != "" && cs.list[i].message != e.Message {
		i = cs.list[i].namesake
	}
	return i
}

// resultless returns the newest call with that id that has no result, -1 if
// there is none, and whether there is any call with that id (A9).
func (cs *calls) resultless(id string) (int, bool) {
	i, known := cs.byID[id]
	if !known {
		return -1, false
	}
	newest := i
	for i >= 0 && cs.list[i].done {
		i = cs.list[i].older
	}
	if i != newest {
		cs.list[newest].older = i // what is done stays so: the next look is short
	}
	return i, true
}

// newest returns the newest call without a result, or -1.
func (cs *calls) newest() int {
	if len(cs.open) == 0 {
		return -1
	}
	return cs.open[len(cs.open)-1]
}

// writing returns the newest call of the attempt whose arguments are not
// sealed, with that id if id is not empty, or -1.
func (cs *calls) writing(id string) int {
	if id != "" {
		i, known := cs.byID[id]
		if !known {
			return -1
		}
		if i >= cs.first && !cs.list[i].sealed {
			return i
		}
	}
	for o := len(cs.unsealed) - 1; o >= 0; o-- {
		i := cs.unsealed[o]
		if i < cs.first {
			break
		}
		if id == "" || cs.list[i].id == id {
			return i
		}
	}
	return -1
}

// seal marks the arguments of call i as whole.
func (cs *calls) seal(i int) {
	cs.list[i].sealed = true
	cs.unsealed = without(cs.unsealed, i)
}

// finish marks call i as done.
func (cs *calls) finish(i int) {
	cs.list[i].done = true
	cs.open = without(cs.open, i)
}

// without returns the ascending list without i. The first is cheap to take: a
// turn's end takes all of them in order.
func without(list []int, i int) []int {
	switch o, found := slices.BinarySearch(list, i); {
	case !found:
		return list
	case o == 0:
		return list[1:]
	default:
		return slices.Delete(list, o, o+1)
	}
}

func (n *Normaliser) toolStart(e *steno.Event) {
	if n.foreign(e) {
		n.drop(e, otherMessage)
		return
	}
	n.needStep(e)
	n.endRun()
	if i := n.blockCall(e); i >= 0 && e.Part == "" {
		if c := &n.turn.calls.list[i]; !c.sealed && sameCall(c, e) {
			n.growCall(i, "", n.complete(i, e))
			return
		}
	}
	n.openCall(e)
}

// sameCall reports whether a fragment with e's id can belong to c: a missing id
// means absent, another id on a used block is a new call (A12).
func sameCall(c *call, e *steno.Event) bool {
	return e.Call == "" || c.id == "" || e.Call == c.id
}

// complete gives call i the id and name it did not have, and reports whether
// it did.
func (n *Normaliser) complete(i int, e *steno.Event) bool {
	c := &n.turn.calls.list[i]
	learned := false
	if c.id == "" && e.Call != "" {
		n.turn.calls.identify(i, strings.Clone(e.Call))
		learned = true
	}
	if c.name == "" && e.Name != "" {
		c.name = strings.Clone(e.Name)
		learned = true
	}
	return learned
}

// blockCall returns the newest call of e's block in this attempt, or -1.
func (n *Normaliser) blockCall(e *steno.Event) int {
	if e.Block == "" {
		return -1
	}
	cs := &n.turn.calls
	hint := cs.hint(e.Block)
	if i := *hint; i >= cs.first && i < len(cs.list) && cs.list[i].block == e.Block {
		return i
	}
	if i, ok := n.turn.step.blocks.index[blockKey{kTool, e.Block}]; ok {
		*hint = i
		return i
	}
	return -1
}

// hint returns where the newest call of a block is remembered.
func (cs *calls) hint(block string) *int {
	return &cs.recent[int(block[len(block)-1])%len(cs.recent)]
}

// openCall begins a call and returns its index. A call before it on the same
// block is thereby whole.
func (n *Normaliser) openCall(e *steno.Event) int {
	n.endRun()
	if i := n.blockCall(e); i >= 0 && !n.turn.calls.list[i].sealed {
		n.seal(i, &steno.Event{})
	}
	s := &n.turn.step
	s.stuck = false
	i := n.turn.calls.add(call{
		message: n.turn.message, part: n.nextPart(kTool),
		step: s.number, attempt: s.attempt,
		id: strings.Clone(e.Call), name: strings.Clone(e.Name), block: strings.Clone(e.Block),
	})
	c := &n.turn.calls.list[i]
	if c.block != "" {
		s.blocks.put(blockKey{kTool, c.block}, i)
		*n.turn.calls.hint(c.block) = i
	}
	o := n.putCall(steno.ToolStart, c)
	o.Call, o.Name, o.Block = c.id, c.name, c.block
	if seal, ok := e.Body.(*steno.Seal); ok && e.Type == steno.ToolStart {
		o.Body = n.owned(seal)
	} else if ok && seal.Executor != "" {
		o.Body = &steno.Seal{Executor: seal.Executor}
	}
	n.send()
	return i
}

// putCall begins an event of call c.
func (n *Normaliser) putCall(t steno.Type, c *call) *steno.Event {
	o := n.blank(t)
	o.Turn, o.Step, o.Attempt = n.keep.Turn, c.step, c.attempt
	o.Message, o.Part = c.message, c.part
	return o
}

// fragment finds the call of a tool-delta or tool-call: by its part, its block,
// its id, and only then the newest that is being written. It returns -1 for a
// call that is new.
func (n *Normaliser) fragment(e *steno.Event) int {
	cs := &n.turn.calls
	if e.Part != "" {
		return cs.at(e)
	}
	if e.Block != "" {
		if i := n.blockCall(e); i >= 0 && sameCall(&cs.list[i], e) {
			return i
		}
		return -1
	}
	return cs.writing(e.Call)
}

func (n *Normaliser) toolDelta(e *steno.Event) {
	if e.Text == "" && e.Call == "" && e.Name == "" {
		return // A5
	}
	if why := n.refuse(e, kTool); why != "" {
		n.drop(e, why)
		return
	}
	n.needStep(e)
	learned := false
	i := n.fragment(e)
	switch {
	case i >= 0 && n.turn.calls.list[i].sealed:
		n.drop(e, sealed)
		return
	case i >= 0:
		learned = n.complete(i, e)
	case e.Part != "":
		n.drop(e, noPart)
		return
	case e.Block == "" && e.Call == "" && e.Name == "":
		n.drop(e, noCall)
		return
	case e.Block == "" && n.sealedInAttempt(e.Call):
		n.drop(e, sealed)
		return
	default:
		i = n.openCall(e)
	}
	if e.Part == "" {
		n.endRun()
	}
	n.growCall(i, e.Text, learned)
}

// sealedInAttempt reports whether the attempt has a call with that id: its
// arguments are then sealed, or the fragment would have found it.
func (n *Normaliser) sealedInAttempt(id string) bool {
	i, ok := n.turn.calls.byID[id]
	return ok && i >= n.turn.calls.first
}

// growCall emits a delta of call i. It tells the id and name where they were
// only now learned, and then may have no text.
func (n *Normaliser) growCall(i int, text string, learned bool) {
	if text == "" && !learned {
		return
	}
	c := &n.turn.calls.list[i]
	c.args = append(c.args, text...)
	n.turn.step.stuck = false
	o := n.putCall(steno.ToolDelta, c)
	o.Text = text
	if learned {
		o.Call, o.Name = c.id, c.name
	}
	n.send()
}

func (n *Normaliser) toolCall(e *steno.Event) {
	if n.foreign(e) {
		n.drop(e, otherMessage)
		return
	}
	i := -1
	if n.turn.step.open {
		i = n.fragment(e)
	} else if why := n.refuse(e, kTool); why != "" && e.Block != "" {
		n.drop(e, why)
		return
	}
	switch {
	case i < 0 && e.Part != "":
		n.drop(e, noPart)
		return
	case i < 0 && e.Block == "" && e.Call == "" && e.Name == "":
		n.drop(e, noCall)
		return
	case i >= 0 && n.turn.calls.list[i].sealed:
		n.drop(e, sealed)
		return
	case i < 0:
		n.needStep(e)
		i = n.openCall(e)
	default:
		n.complete(i, e)
	}
	if e.Part == "" {
		n.endRun()
	}
	n.seal(i, e)
}

// seal ends the arguments of call i. A whole that only adds goes out as a delta
// before, as for a block (A7). A result that was held follows.
func (n *Normaliser) seal(i int, e *steno.Event) {
	c := &n.turn.calls.list[i]
	whole := e.Whole || e.Text != ""
	if whole && strings.HasPrefix(e.Text, string(c.args)) && e.Part == "" {
		n.growCall(i, e.Text[len(c.args):], false)
		whole = false
	}
	args := c.args
	if whole {
		args = []byte(e.Text)
	}
	s, ok := e.Body.(*steno.Seal)
	n.turn.calls.seal(i)
	c.object = ok && s.Freeform || isObject(args)
	n.turn.calls.spare, c.args = append(n.turn.calls.spare, c.args), nil
	o := n.putCall(steno.ToolCall, c)
	o.Call, o.Name, o.Body = c.id, c.name, n.owned(e.Body)
	if whole {
		o.Whole, o.Text = true, e.Text
	}
	n.send()
	n.release(i)
}

// isObject reports whether arguments can be given to a tool: a JSON object, or
// nothing at all, which counts as one (A13).
func isObject(args []byte) bool {
	v := jsontext.Value(bytes.TrimSpace(args))
	if len(v) == 0 {
		return true
	}
	return v.Kind() == '{' && v.IsValid(jsontext.AllowDuplicateNames(true))
}
