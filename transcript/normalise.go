package transcript

import (
	"strconv"

	"github.com/stenolog/steno"
)

// Normaliser turns source events into journal events. The zero value is a
// normaliser at the start of an empty conversation.
//
// Journal events are balanced: every part, step and turn that starts ends,
// every call gets exactly one result. They are addressed: Turn, Step, Attempt,
// Message and Part say where an event belongs. What cannot be placed becomes a
// dropped event with a reason; nothing is lost in silence, save a source event
// seen before (A29), an empty delta (A5) and the alternatives to an answer's
// first choice (A17).
//
// Normalising is idempotent: on an empty conversation its own output passes
// through unchanged, seq aside. An event that has a Part is taken as a journal
// event and goes to the part it names.
//
// # Cost
//
// A delta costs the same whatever the message holds and allocates nothing.
// Between two turns the normaliser holds its [State] and nothing else; during a
// turn the calls of the turn and the blocks of the step, the arguments of
// unsealed calls being the only text among them.
//
// A Normaliser is used by one goroutine at a time.
type Normaliser struct {
	keep State
	turn turn

	// late says that the last answer began with a step-start and has ended, so
	// that a delta without a new one came too late (C95).
	late bool
	// took says that a queued item was taken since the last turn: the next turn
	// then leaves the rest of the queue alone.
	took bool
	// promoted is the queue item whose user-message was just written; the same
	// user-message in normalised input says nothing new.
	promoted string
	// owed is that user-message while a journal is replayed that may end before it.
	owed      *steno.Event
	replaying bool
	// questions are the permissions asked and not answered.
	questions []question

	emit func(*steno.Event)
	at   int64
	out  steno.Event
}

// Normalise takes one source event and passes the journal events it makes to
// emit, in order. The source event is borrowed: what must be kept is copied.
// The events passed to emit are borrowed too, and are used again as soon as
// emit returns. They carry no seq; the recorder gives it.
func (n *Normaliser) Normalise(e *steno.Event, emit func(*steno.Event)) {
	if e.Seq > 0 {
		if e.Seq <= n.keep.Seq {
			return
		}
		n.keep.Seq = e.Seq
	}
	n.run(e, emit)
}

// Replay takes an event of the journal and emits nothing: it brings the
// normaliser to where it was when the event was written. The event's seq is
// the journal's own and is not remembered as a source's.
func (n *Normaliser) Replay(e *steno.Event) {
	n.replaying = true
	n.run(e, func(*steno.Event) {})
	n.replaying = false
}

func (n *Normaliser) run(e *steno.Event, emit func(*steno.Event)) {
	if e.Choice != 0 {
		return
	}
	n.emit, n.at = emit, e.At
	n.dispatch(e)
	n.emit = nil
}

func (n *Normaliser) dispatch(e *steno.Event) {
	switch e.Type {
	case steno.TextDelta:
		n.blockDelta(e, kText)
	case steno.ReasoningDelta:
		n.blockDelta(e, kThinking)
	case steno.TextStart, steno.ReasoningStart:
		n.blockStart(e, kindOf(e.Type))
	case steno.TextEnd, steno.ReasoningEnd:
		n.blockEnd(e, kindOf(e.Type))
	case steno.ToolStart:
		n.toolStart(e)
	case steno.ToolDelta:
		n.toolDelta(e)
	case steno.ToolCall:
		n.toolCall(e)
	case steno.ToolOutput:
		n.toolOutput(e)
	case steno.ToolResult:
		n.toolResult(e)
	case steno.Error:
		n.failure(e)
	case steno.Source, steno.File, steno.Opaque:
		n.single(e)
	case steno.Notice, steno.ModelChanged, steno.ConfigReload, steno.Cancelled:
		n.system(e)
	default:
		n.dispatchFrame(e)
	}
}

// dispatchFrame takes what surrounds the parts: turns, steps, people.
func (n *Normaliser) dispatchFrame(e *steno.Event) {
	switch e.Type {
	case steno.TurnStart:
		n.turnStart(e)
	case steno.TurnEnd, steno.Done:
		n.turnEnd(e)
	case steno.StepStart:
		n.stepStart(e)
	case steno.StepEnd:
		n.stepEnd(e)
	case steno.AttemptStart:
		n.attemptStart(e)
	case steno.AttemptFailed:
		n.attemptFailed(e)
	case steno.UserMessage:
		n.userMessage(e)
	case steno.QueueAdded:
		n.queueAdded(e)
	case steno.QueueTaken:
		n.queueTaken(e)
	case steno.QueueWithdrawn:
		n.queueWithdrawn(e)
	case steno.PermissionAsked:
		n.permissionAsked(e)
	case steno.PermissionAnswered:
		n.permissionAnswered(e)
	case steno.Usage:
		n.usage(e)
	default:
		n.pass(e)
	}
}

// kind indexes the ordinals of a message's parts.
type kind uint8

const (
	kText kind = iota
	kThinking
	kTool
	kError
	kSystem
	kFile
	kSource
	kOpaque
	kindCount
)

func kindOf(t steno.Type) kind {
	switch t {
	case steno.TextStart, steno.TextDelta, steno.TextEnd:
		return kText
	case steno.ReasoningStart, steno.ReasoningDelta, steno.ReasoningEnd:
		return kThinking
	case steno.Error:
		return kError
	case steno.File:
		return kFile
	case steno.Source:
		return kSource
	case steno.Opaque:
		return kOpaque
	}
	if t.IsSystem() {
		return kSystem
	}
	return kTool
}

// put begins the next event to emit, at the current position of the turn.
func (n *Normaliser) put(t steno.Type) *steno.Event {
	o := n.blank(t)
	if n.turn.on {
		o.Turn, o.Message = n.keep.Turn, n.turn.message
		if n.turn.step.open {
			o.Step, o.Attempt = n.turn.step.number, n.turn.step.attempt
		}
	}
	return o
}

// blank begins the next event to emit, outside of any turn. It is cleared and
// then filled in, as a literal would be made elsewhere and copied.
func (n *Normaliser) blank(t steno.Type) *steno.Event {
	n.out = steno.Event{}
	n.out.Type, n.out.At = t, n.at
	return &n.out
}

// send emits the event that put began.
func (n *Normaliser) send() { n.emit(&n.out) }

// pass emits e as it came, without the source's seq.
func (n *Normaliser) pass(e *steno.Event) {
	n.out = *e
	n.out.Seq = 0
	n.send()
}

// nextPart gives the next ordinal of kind k in the current message.
func (n *Normaliser) nextPart(k kind) string {
	part := strconv.Itoa(n.turn.ordinals[k])
	n.turn.ordinals[k]++
	return part
}

// newMessage opens a message and returns its id: the page it stands on and its
// number on that page.
func (n *Normaliser) newMessage(role steno.Role) string {
	n.keep.Messages++
	n.keep.Newest = pageID(n.keep.Turn, n.keep.Messages)
	n.keep.Role, n.keep.Notices = role, 0
	return n.keep.Newest
}

func pageID(turn, number uint32) string {
	b := strconv.AppendUint(make([]byte, 0, 16), uint64(turn), 10)
	b = append(b, '.')
	return string(strconv.AppendUint(b, uint64(number), 10))
}
