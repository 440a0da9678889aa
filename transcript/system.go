package transcript

import (
	"strconv"

	"github.com/stenolog/steno"
)

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
