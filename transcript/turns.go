package transcript

import (
	"strings"

	"github.com/stenolog/steno"
)

// turn is the turn in flight.
type turn struct {
	on bool
	// implicit says that no turn-start named it; it then ends at the next
	// unqueued user message too.
	implicit bool
	// name is the source's own name of the message, page the beginning of ours.
	name, page string
	// message is the assistant message that takes parts. full says that a queued
	// user message was taken after it: the next step opens another.
	message  string
	full     bool
	ordinals [kindCount]int
	// cancelled says that a cancelled event came.
	cancelled bool
	step      step
	calls     calls
}

// step is the latest step of the turn, open or not.
type step struct {
	number, attempt uint32
	open            bool
	// explicit says that a step-start began it.
	explicit bool
	// failed says that the latest attempt failed: what comes next is another
	// attempt at the same step.
	failed bool
	// errored says that the attempt has an error event, stuck that nothing of
	// the provider came after it.
	errored, stuck  bool
	finish          steno.Finish
	provider, model string
	blocks          blocks
}

func (n *Normaliser) turnStart(e *steno.Event) {
	n.endTurn("", n.replaced())
	body, _ := e.Body.(*steno.Turn)
	if body != nil && body.Takes != "" {
		if i := n.queued(body.Takes); i >= 0 {
			n.take(i)
			n.took = true
		}
	}
	n.beginTurn(e.Message, body)
	n.turn.implicit = false
	n.late = false
}

// beginTurn opens a turn and its message. body may be nil.
func (n *Normaliser) beginTurn(name string, body *steno.Turn) {
	if !n.took {
		n.takeAll()
	}
	n.took = false
	n.keep.Turn++
	n.keep.Messages, n.keep.Items = 0, 0
	t := &n.turn
	t.on, t.implicit = true, true
	t.name = strings.Clone(name)
	t.message = n.newMessage(steno.RoleAssistant)
	t.page = t.message[:strings.IndexByte(t.message, '.')+1]
	o := n.put(steno.TurnStart)
	if body != nil && body.Continues != "" {
		o.Body = &steno.Turn{Continues: body.Continues}
	}
	n.send()
}

// turnEnd takes turn-end and done.
func (n *Normaliser) turnEnd(e *steno.Event) {
	if !n.turn.on {
		n.drop(e, noTurn)
		return
	}
	if n.foreign(e) {
		n.drop(e, otherMessage)
		return
	}
	var reason steno.Finish
	if body, ok := e.Body.(*steno.Turn); ok {
		reason = body.Reason
	}
	n.endTurn(reason, steno.FinishComplete)
}

// replaced is how an open step has ended when the next thing simply began:
// well, if its source knows no steps, else in the middle.
func (n *Normaliser) replaced() steno.Finish {
	if n.turn.step.open && n.turn.step.explicit {
		return steno.FinishIncomplete
	}
	if n.turn.implicit || n.turn.step.number > 0 {
		return steno.FinishComplete
	}
	return steno.FinishIncomplete
}

// endTurn closes everything of the turn, if one is open. An empty reason is
// worked out from how its last step ended; finish is how that step ended if
// nothing has said so yet.
func (n *Normaliser) endTurn(reason, finish steno.Finish) {
	if !n.turn.on {
		return
	}
	t := &n.turn
	if t.step.open {
		n.closeStep(nil, n.stepFinish(reason, finish))
	}
	n.settleAll()
	n.closeQuestions()
	if reason == "" {
		reason = n.turnReason(finish)
	}
	n.put(steno.TurnEnd).Body = &steno.Turn{Reason: reason}
	n.send()
	n.resetTurn()
}

// stepFinish is how a step ended that its turn's end cuts.
func (n *Normaliser) stepFinish(reason, finish steno.Finish) steno.Finish {
	switch reason {
	case steno.FinishCancelled, steno.FinishInterrupted:
		return steno.FinishIncomplete
	case "":
		if n.turn.step.stuck {
			return steno.FinishError
		}
		if n.turn.cancelled {
			return steno.FinishIncomplete
		}
		return finish
	}
	return reason
}

func (n *Normaliser) turnReason(finish steno.Finish) steno.Finish {
	s := &n.turn.step
	switch {
	case n.turn.cancelled:
		return steno.FinishCancelled
	case s.failed:
		return steno.FinishError
	case s.number > 0:
		return s.finish
	}
	return finish
}

// resetTurn forgets the turn and keeps its memory for the next.
func (n *Normaliser) resetTurn() {
	b, c := n.turn.step.blocks, n.turn.calls
	b.reset()
	c.reset()
	n.turn = turn{calls: c}
	n.turn.step.blocks = b
}

// Recover closes a turn that was open when its process died: ends for its open
// parts, results for its open calls, answers for its questions, and a turn-end
// with reason interrupted. Between turns it only finishes what was begun there.
// The events of the journal have been given to [Normaliser.Replay] before, from
// the end of an earlier turn on.
func (n *Normaliser) Recover(emit func(*steno.Event)) {
	n.emit, n.at = emit, 0
	if n.owed != nil {
		n.emit(n.owed)
		n.promoted, n.owed = "", nil
	}
	if n.turn.on {
		n.endTurn(steno.FinishInterrupted, steno.FinishIncomplete)
	} else {
		n.closeQuestions()
	}
	n.emit = nil
}

// foreign reports whether e names a message that is not the open one. A source
// that names its messages may speak of one that has ended.
func (n *Normaliser) foreign(e *steno.Event) bool {
	t := &n.turn
	if e.Message == "" || !t.on || e.Message == t.name {
		return false
	}
	awaits := t.full || !t.step.open && len(n.keep.Queue) > 0
	if t.name == "" || awaits {
		n.name(e)
		return false
	}
	return !t.implicit && !strings.HasPrefix(e.Message, t.page)
}

// name takes the source's own name of the open message from e.
func (n *Normaliser) name(e *steno.Event) {
	if e.Message != "" {
		n.turn.name = strings.Clone(e.Message)
	}
}
