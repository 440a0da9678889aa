package transcript

import "github.com/stenolog/steno"

func (n *Normaliser) stepStart(e *steno.Event) {
	n.needTurn(e)
	n.cutStep()
	body, _ := e.Body.(*steno.Step)
	n.name(e)
	n.openStep(body)
	n.turn.step.explicit = true
}

// cutStep ends the step, if one is open, because something else began.
func (n *Normaliser) cutStep() {
	switch s := &n.turn.step; {
	case !s.open:
	case s.stuck:
		n.closeStep(nil, steno.FinishError)
	default:
		n.closeStep(nil, n.replaced())
	}
}

// needTurn opens an implicit turn if none is in flight.
func (n *Normaliser) needTurn(e *steno.Event) {
	if !n.turn.on {
		n.beginTurn(e.Message, nil)
	}
}

// needStep opens an implicit step, and turn, if none is open.
func (n *Normaliser) needStep(e *steno.Event) {
	if !n.turn.step.open {
		n.needTurn(e)
		n.openStep(nil)
	}
}

// openStep begins the next step, or after a failed attempt the next attempt at
// the same one. A queued user message is taken between two steps if the calls
// of the earlier have their results; the step then opens another message.
func (n *Normaliser) openStep(body *steno.Step) {
	s := &n.turn.step
	if s.failed {
		s.attempt++
	} else {
		if s.number > 0 && len(n.turn.calls.open) == 0 {
			n.takeAll()
		}
		s.number, s.attempt = s.number+1, 1
	}
	s.blocks.reset()
	s.open, s.explicit, s.failed, s.errored, s.stuck = true, false, false, false, false
	s.finish, s.provider, s.model = "", "", ""
	n.turn.calls.nextAttempt()
	n.late = false
	opens := n.turn.full
	if opens {
		n.turn.message, n.turn.full = n.newMessage(steno.RoleAssistant), false
		n.turn.ordinals = [kindCount]int{}
	}
	o := n.put(steno.StepStart)
	if body != nil {
		s.provider, s.model = body.Provider, body.Model
		o.Body = body
	}
	if said := body != nil && body.Opens; said != opens {
		var b steno.Step
		if body != nil {
			b = *body
		}
		b.Opens = opens
		o.Body = &b
	}
	n.send()
}

func (n *Normaliser) stepEnd(e *steno.Event) {
	s := &n.turn.step
	if !s.open {
		n.drop(e, noStep)
		return
	}
	body, _ := e.Body.(*steno.Step)
	finish := steno.FinishComplete
	if s.stuck {
		finish = steno.FinishError
	}
	if body != nil && body.Finish != "" {
		finish = body.Finish
	}
	n.closeStep(body, finish)
}

// closeStep ends the open step: its parts, the arguments of its calls, and the
// results that can no longer come (A6). body may be nil.
func (n *Normaliser) closeStep(body *steno.Step, finish steno.Finish) {
	s := &n.turn.step
	n.endBlocks()
	n.settleStep(finish)
	o := n.put(steno.StepEnd)
	switch {
	case body == nil:
		o.Body = &steno.Step{Finish: finish}
	case body.Finish == finish:
		o.Body = body
	default:
		b := *body
		b.Finish = finish
		o.Body = &b
	}
	n.send()
	s.open, s.finish = false, finish
	n.late = s.explicit
}

// attemptStart takes the border between two attempts. It emits nothing of its
// own: the next event of the provider opens the attempt.
func (n *Normaliser) attemptStart(e *steno.Event) {
	n.needTurn(e)
	s := &n.turn.step
	n.late = false
	switch {
	case s.failed || s.number == 0:
	case e.Attempt == 0 || e.Attempt > s.attempt:
		gaveUp := s.finish == steno.FinishError || s.finish == steno.FinishIncomplete
		if s.open || gaveUp && !n.turn.full {
			var why steno.Event
			if !s.errored {
				why.Text = "the answer was given up"
			}
			n.failAttempt(&why)
			n.late = false
		}
	case s.open:
		n.cutStep()
		n.late = false
	}
}

func (n *Normaliser) attemptFailed(e *steno.Event) {
	s := &n.turn.step
	if s.failed || n.turn.full || n.foreign(e) {
		n.drop(e, noAttempt)
		return
	}
	if s.number == 0 {
		n.needStep(e)
	}
	n.failAttempt(e)
}

// failAttempt ends the latest attempt. It always follows an error event, which
// is the part that is shown.
func (n *Normaliser) failAttempt(e *steno.Event) {
	s := &n.turn.step
	if !s.errored {
		n.putFailure(e)
	}
	n.endBlocks()
	n.settleAttempt()
	o := n.put(steno.AttemptFailed)
	o.Step, o.Attempt = s.number, s.attempt // its answer may have ended the step before
	o.Text, o.Body = e.Text, e.Body
	n.send()
	s.open, s.failed, s.finish = false, true, steno.FinishError
	n.late = s.explicit
}

// failure takes an error event. It belongs to a step, as what failed was a try
// at an answer: to the open one, to an ended one that it names, else to a new.
func (n *Normaliser) failure(e *steno.Event) {
	if n.foreign(e) {
		n.drop(e, otherMessage)
		return
	}
	s := &n.turn.step
	if s.number == 0 || e.Step != s.number || e.Attempt != s.attempt {
		n.needStep(e)
	}
	n.putFailure(e)
}

func (n *Normaliser) putFailure(e *steno.Event) {
	n.breakBlocks()
	s := &n.turn.step
	o := n.put(steno.Error)
	o.Step, o.Attempt, o.Part = s.number, s.attempt, n.nextPart(kError)
	o.Text, o.Name, o.Body = e.Text, e.Name, e.Body
	n.send()
	s.errored, s.stuck = true, true
}

// usage passes the provider's numbers on; they touch nothing else.
func (n *Normaliser) usage(e *steno.Event) {
	o := n.put(steno.Usage)
	o.Text, o.Name, o.Body = e.Text, e.Name, e.Body
	n.send()
}
