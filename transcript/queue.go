package transcript

import (
	"slices"
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
	q := QueueItem{Item: item, Client: client, Text: strings.Clone(e.Text), By: in.By, At: e.At, Parts: in.Parts}
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
