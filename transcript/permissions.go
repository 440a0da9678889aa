package transcript

import (
	"slices"
	"strings"

	"github.com/stenolog/steno"
)

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
	i := n.callOf(e)
	if i < 0 && e.Part != "" {
		i = n.callOf(&steno.Event{Call: e.Call}) // a part that is not there says nothing
	}
	if i >= 0 {
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
