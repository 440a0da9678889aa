package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stenolog/steno"
)

// userMessage takes what a person said. Said during a turn it waits in the
// queue, unless the turn is an implicit one, which it ends.
func (n *Normaliser) userMessage(e *steno.Event) {
	body, _ := e.Body.(*steno.UserInput)
	if body != nil && body.Item != "" && body.Item == n.promoted {
		n.promoted, n.owed = "", nil
		return
	}
	if body != nil && body.Queued || n.turn.on && !n.turn.implicit {
		n.queueAdded(e)
		return
	}
	n.endTurn("", n.replaced())
	n.late = false
	id := n.newMessage(steno.RoleUser)
	o := n.put(steno.UserMessage)
	o.Message = id
	o.Text, o.Name = e.Text, e.Name
	o.Body = said(body, id, e.Message)
	n.send()
}

// said returns the body of a journal's user-message: the source's own id of it
// is kept as the sender's, if it is not ours.
func said(body *steno.UserInput, id, own string) steno.Body {
	var b steno.UserInput
	if body != nil {
		b = *body
	}
	b.Queued = false
	b.Item = "" // only what was taken from the queue has one
	if b.Client == "" && own != id {
		b.Client = strings.Clone(own)
	}
	if body != nil && b.Client == body.Client && b.Item == body.Item && !body.Queued {
		return body
	}
	if b.By == "" && b.Parts == nil && b.Client == "" {
		return nil
	}
	return &b
}

// queueAdded takes a user message that waits. Its item's id is ours; a name the
// source gave it is kept as the sender's.
func (n *Normaliser) queueAdded(e *steno.Event) {
	body, _ := e.Body.(*steno.UserInput)
	var in steno.UserInput
	if body != nil {
		in = *body
	}
	n.keep.Items++
	item := itemID(n.keep.Turn, n.keep.Items)
	client := in.Client
	for _, own := range []string{in.Item, e.Message} {
		if client == "" && own != item {
			client = strings.Clone(own)
		}
	}
	q := QueueItem{Item: item, Client: client, Text: strings.Clone(e.Text), By: in.By, Parts: in.Parts}
	n.keep.Queue = append(n.keep.Queue, q)
	o := n.put(steno.QueueAdded)
	o.Message, o.Step, o.Attempt = "", 0, 0
	o.Text, o.Body = q.Text, q.input()
	n.send()
}

func itemID(turn, number uint32) string {
	return "q" + pageID(turn, number)
}

func (q *QueueItem) input() *steno.UserInput {
	return &steno.UserInput{Item: q.Item, Client: q.Client, By: q.By, Parts: q.Parts}
}

// queued returns the index of the waiting item of that name, ours or the
// sender's, or -1.
func (n *Normaliser) queued(name string) int {
	i := slices.IndexFunc(n.keep.Queue, func(q QueueItem) bool { return q.Item == name })
	if i < 0 {
		i = slices.IndexFunc(n.keep.Queue, func(q QueueItem) bool { return q.Client == name })
	}
	return i
}

// queueTaken takes one item, or all of them if it names none and the calls of
// the turn have their results: what a step's end does.
func (n *Normaliser) queueTaken(e *steno.Event) {
	body, _ := e.Body.(*steno.UserInput)
	if body == nil || body.Item == "" {
		if len(n.turn.calls.open) == 0 && len(n.keep.Queue) > 0 {
			n.cutStep()
			n.takeAll()
		}
		return
	}
	i := n.queued(body.Item)
	if i < 0 {
		n.drop(e, noItem)
		return
	}
	n.cutStep()
	n.promoted = n.keep.Queue[i].Item
	n.take(i)
	if n.replaying {
		n.owed = n.out.Clone()
	}
	n.took = !n.turn.on
}

func (n *Normaliser) queueWithdrawn(e *steno.Event) {
	body, _ := e.Body.(*steno.UserInput)
	i := -1
	if body != nil {
		i = n.queued(body.Item)
	}
	if i < 0 {
		n.drop(e, noItem)
		return
	}
	o := n.put(steno.QueueWithdrawn)
	o.Message, o.Step, o.Attempt = "", 0, 0
	o.Body = &steno.UserInput{Item: n.keep.Queue[i].Item, By: body.By}
	n.send()
	n.keep.Queue = slices.Delete(n.keep.Queue, i, i+1)
}

func (n *Normaliser) takeAll() {
	for len(n.keep.Queue) > 0 {
		n.take(0)
	}
}

// take makes the waiting item i a user message. In a turn it comes after the
// turn's message so far; the next step opens another.
func (n *Normaliser) take(i int) {
	q := n.keep.Queue[i]
	n.keep.Queue = slices.Delete(n.keep.Queue, i, i+1)
	n.put(steno.QueueTaken).Body = &steno.UserInput{Item: q.Item}
	n.send()
	id := n.newMessage(steno.RoleUser)
	o := n.put(steno.UserMessage)
	o.Message, o.Text, o.Body = id, q.Text, q.input()
	n.send()
	n.turn.full = n.turn.on
	n.turn.step.failed = false // what follows answers something else: another step
	n.late = false
}

// question is a permission that was asked and not answered.
type question struct {
	id, call      string
	message, part string
	step, attempt uint32
	turn          uint32
}

func (n *Normaliser) permissionAsked(e *steno.Event) {
	body, ok := e.Body.(*steno.Permission)
	if !ok || body.ID == "" || n.asked(body.ID) >= 0 {
		n.drop(e, noQuestion)
		return
	}
	q := question{id: body.ID, call: strings.Clone(e.Call)}
	if i := n.callOf(e); i >= 0 {
		c := &n.turn.calls.list[i]
		q.call, q.message, q.part, q.step, q.attempt, q.turn = c.id, c.message, c.part, c.step, c.attempt, n.keep.Turn
	}
	n.questions = append(n.questions, q)
	o := n.putQuestion(steno.PermissionAsked, &q)
	o.Name, o.Text, o.Body = e.Name, e.Text, body
	n.send()
}

// permissionAnswered takes an answer; the first one wins.
func (n *Normaliser) permissionAnswered(e *steno.Event) {
	body, ok := e.Body.(*steno.Permission)
	if !ok || n.asked(body.ID) < 0 {
		n.drop(e, noQuestion)
		return
	}
	i := n.asked(body.ID)
	o := n.putQuestion(steno.PermissionAnswered, &n.questions[i])
	o.Name, o.Text, o.Body = e.Name, e.Text, body
	n.send()
	n.questions = slices.Delete(n.questions, i, i+1)
}

func (n *Normaliser) asked(id string) int {
	return slices.IndexFunc(n.questions, func(q question) bool { return q.id == id })
}

func (n *Normaliser) putQuestion(t steno.Type, q *question) *steno.Event {
	n.out = steno.Event{
		Type: t, At: n.at, Turn: q.turn, Step: q.step, Attempt: q.attempt,
		Message: q.message, Part: q.part, Call: q.call,
	}
	return &n.out
}

// ChoiceClosed is the choice of a permission-answered that nobody gave: the
// turn ended first.
const ChoiceClosed = "closed"

// closeQuestions answers what was asked and can no longer be.
func (n *Normaliser) closeQuestions() {
	for i := range n.questions {
		q := &n.questions[i]
		n.putQuestion(steno.PermissionAnswered, q).Body = &steno.Permission{ID: q.id, Choice: ChoiceClosed}
		n.send()
	}
	n.questions = n.questions[:0]
}

// system takes a notice and its like. In flight it is a part of the turn's
// message at the current position (A18); else of the newest message, if that is
// a system message, or of a new one (A19).
func (n *Normaliser) system(e *steno.Event) {
	if !n.turn.on {
		n.systemMessage(e)
		return
	}
	if n.turn.full {
		n.needStep(e) // the position is after the user's message
	}
	n.breakBlocks()
	o := n.put(e.Type)
	o.Part = n.nextPart(kSystem)
	o.Name, o.Text, o.Body = e.Name, e.Text, e.Body
	n.send()
	if e.Type == steno.Cancelled {
		n.turn.cancelled = true
	}
}

func (n *Normaliser) systemMessage(e *steno.Event) {
	id := n.keep.Newest
	if n.keep.Role != steno.RoleSystem {
		id = n.newMessage(steno.RoleSystem)
	}
	o := n.put(e.Type)
	o.Message, o.Part = id, strconv.Itoa(n.keep.Notices)
	o.Name, o.Text, o.Body = e.Name, e.Text, e.Body
	n.send()
	n.keep.Notices++
}
