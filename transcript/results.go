package transcript

import "github.com/stenolog/steno"

// toolOutput takes what a running tool printed. It goes to the call it names;
// only if it names none, to the newest without a result (A10).
func (n *Normaliser) toolOutput(e *steno.Event) {
	i := n.callOf(e)
	if i < 0 {
		n.drop(e, noCall)
		return
	}
	c := &n.turn.calls.list[i]
	if c.done {
		n.drop(e, sealed)
		return
	}
	body, _ := e.Body.(*steno.Output)
	if e.Text == "" && (body == nil || len(body.Data) == 0) && c.started {
		return // A5: only the first empty one says something
	}
	c.started = true
	o := n.putCall(steno.ToolOutput, c)
	o.Text, o.Body = e.Text, e.Body
	n.send()
}

// callOf returns the index of the call that an output or permission belongs to,
// or -1.
func (n *Normaliser) callOf(e *steno.Event) int {
	cs := &n.turn.calls
	switch {
	case !n.turn.on:
		return -1
	case e.Part != "":
		return cs.at(e)
	case e.Call == "":
		return cs.newest()
	}
	i, known := cs.resultless(e.Call)
	if i < 0 && known {
		return cs.byID[e.Call]
	}
	return i
}

// toolResult takes a call's result: for the newest call of that id without one
// in this turn, never an earlier turn (A9). It opens and closes nothing.
func (n *Normaliser) toolResult(e *steno.Event) {
	cs := &n.turn.calls
	i, known := -1, false
	switch {
	case e.Part != "" && n.turn.on:
		i = cs.at(e)
		known = i >= 0
	case e.Call == "":
		i, known = cs.newest(), true
	case n.turn.on:
		i, known = cs.resultless(e.Call)
	}
	switch {
	case e.Call == "" && i < 0:
		n.drop(e, noCall)
	case !known:
		n.hold(e)
	case i < 0 || cs.list[i].done:
		n.drop(e, secondResult)
	default:
		if !cs.list[i].sealed {
			n.seal(i, &steno.Event{})
		}
		if !cs.list[i].done { // sealing may have released a held result
			n.result(i, e)
			return
		}
		n.drop(e, secondResult)
	}
}

// hold keeps a result whose call has not come. A result after its turn is for
// a call that will not come again: ids repeat across turns, so it is kept in
// the journal only.
func (n *Normaliser) hold(e *steno.Event) {
	o := n.put(steno.Held)
	o.Message, o.Step, o.Attempt = "", 0, 0
	o.Call, o.Name, o.Text, o.Body = e.Call, e.Name, e.Text, e.Body
	n.send()
	if e.Call != "" && (n.turn.on || n.keep.Turn == 0) {
		cs := &n.turn.calls
		if cs.held == nil {
			cs.held = make(map[string][]*steno.Event)
		}
		c := e.Clone()
		cs.held[c.Call] = append(cs.held[c.Call], c)
	}
}

// release gives call i the result that was held for its id.
func (n *Normaliser) release(i int) {
	cs := &n.turn.calls
	id := cs.list[i].id
	switch waiting := cs.held[id]; len(waiting) {
	case 0:
	case 1:
		delete(cs.held, id)
		n.result(i, waiting[0])
	default:
		cs.held[id] = waiting[1:]
		n.result(i, waiting[0])
	}
}

// result writes the result of call i.
func (n *Normaliser) result(i int, e *steno.Event) {
	c := &n.turn.calls.list[i]
	o := n.putCall(steno.ToolResult, c)
	o.Call, o.Name, o.Text, o.Body = c.id, e.Name, e.Text, outcome(e.Body)
	n.send()
	n.turn.calls.finish(i)
}

var okResult = &steno.Result{Outcome: steno.OutcomeOK}

// outcome returns a result's body with its outcome said.
func outcome(body steno.Body) steno.Body {
	r, ok := body.(*steno.Result)
	switch {
	case !ok:
		return okResult
	case r.Outcome != "":
		return r
	}
	said := *r
	said.Outcome = steno.OutcomeOK
	if r.IsError {
		said.Outcome = steno.OutcomeError
	}
	return &said
}

// conclude writes the result that nobody else will give call i.
func (n *Normaliser) conclude(i int, o steno.Outcome) {
	e := steno.Event{Body: &steno.Result{Outcome: o}}
	if o == steno.OutcomeError || o == steno.OutcomeCutOff {
		e.Text = ResultText(o)
		e.Body = &steno.Result{Outcome: o, IsError: true}
	}
	n.result(i, &e)
}

// settleStep ends the calls of the step: it seals their arguments and answers
// those that cannot be run, because the answer was cut off before their end or
// because their arguments are no object.
func (n *Normaliser) settleStep(finish steno.Finish) {
	cut := finish == steno.FinishLength || finish == steno.FinishError || finish == steno.FinishIncomplete
	n.eachOpen(n.turn.calls.first, func(i int) {
		whole := n.turn.calls.list[i].sealed
		if !whole {
			n.seal(i, &steno.Event{})
		}
		switch c := &n.turn.calls.list[i]; {
		case c.done:
		case !whole && cut:
			n.conclude(i, steno.OutcomeCutOff)
		case !c.object:
			n.conclude(i, steno.OutcomeError)
		}
	})
}

// settleAttempt ends the calls of a failed attempt, all of them.
func (n *Normaliser) settleAttempt() {
	n.settleStep(steno.FinishError)
	n.eachOpen(n.turn.calls.first, n.abandon)
}

// settleAll answers every open call of the turn.
func (n *Normaliser) settleAll() { n.eachOpen(0, n.abandon) }

// abandon answers call i, which will not be run or not to its end.
func (n *Normaliser) abandon(i int) {
	if n.turn.calls.list[i].started {
		n.conclude(i, steno.OutcomeInterrupted)
	} else {
		n.conclude(i, steno.OutcomeSkipped)
	}
}

// eachOpen calls do for each call from index first that has no result. do may
// give it one.
func (n *Normaliser) eachOpen(first int, do func(i int)) {
	for o := 0; o < len(n.turn.calls.open); {
		i := n.turn.calls.open[o]
		if i >= first {
			do(i)
		}
		if o < len(n.turn.calls.open) && n.turn.calls.open[o] == i {
			o++
		}
	}
}
