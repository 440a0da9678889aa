package transcript

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// Why a source event is refused: the reasons of dropped events.
const (
	sealed       = "sealed"        // its part takes nothing more
	answerEnded  = "answer ended"  // its answer has ended
	otherMessage = "other message" // it names a message that is not open
	alreadyOpen  = "already open"  // its block has started and not ended
	nothingOpen  = "nothing open"  // it ends what never started
	noPart       = "no such part"
	noCall       = "no such call"
	secondResult = "second result" // the call has one
	noStep       = "no open step"
	noAttempt    = "no open attempt"
	noTurn       = "no open turn"
	noItem       = "no such queue item"
	noQuestion   = "no such question" // never asked, or answered
)

// drop writes that e was refused, and e itself.
func (n *Normaliser) drop(e *steno.Event, why string) {
	body := &steno.Refused{Reason: why}
	if v, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true)); err == nil {
		body.Event = v
	}
	o := n.put(steno.Dropped)
	o.Message, o.Step, o.Attempt = "", 0, 0
	o.Body = body
	n.send()
}
