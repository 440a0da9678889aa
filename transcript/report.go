package transcript

import "github.com/stenolog/steno"

// FoldReport is what folding a file of source events comes to.
type FoldReport struct {
	Messages []FoldMessage `json:"messages"`
	// End is why the last turn ended. Where the input stops inside a turn it is
	// cancelled if a cancelled event came, else the finish of the last step,
	// else incomplete. It is empty if there was no turn.
	End steno.Finish `json:"end"`
	// Dropped counts what was refused, by reason.
	Dropped map[string]int `json:"dropped"`
}

// FoldMessage is a message as chunks.
type FoldMessage struct {
	Role   steno.Role    `json:"role"`
	ID     string        `json:"id"`
	Chunks []steno.Chunk `json:"chunks"`
	// Superseded are the indexes of the chunks of attempts that failed.
	Superseded []int `json:"superseded"`
}

// Reporter gathers from journal events what a [FoldReport] says beside the
// messages. The zero value is ready.
type Reporter struct {
	reason, finish steno.Finish
	turns          bool
	inTurn         bool
	cancelled      bool
	dropped        map[string]int
}

// Add takes the next journal event.
func (r *Reporter) Add(e *steno.Event) {
	switch e.Type {
	case steno.TurnStart:
		r.turns, r.inTurn, r.cancelled, r.finish = true, true, false, ""
	case steno.StepStart:
		r.finish = ""
	case steno.StepEnd:
		if b, ok := e.Body.(*steno.Step); ok {
			r.finish = b.Finish
		}
	case steno.AttemptFailed:
		r.finish = steno.FinishError
	case steno.Cancelled:
		r.cancelled = r.cancelled || r.inTurn
	case steno.TurnEnd:
		r.inTurn = false
		if b, ok := e.Body.(*steno.Turn); ok {
			r.reason = b.Reason
		}
	case steno.Dropped:
		if b, ok := e.Body.(*steno.Refused); ok {
			if r.dropped == nil {
				r.dropped = make(map[string]int)
			}
			r.dropped[b.Reason]++
		}
	}
}

// Report returns the report of what was added, with the messages it folds to.
func (r *Reporter) Report(messages []steno.Message) FoldReport {
	f := FoldReport{Messages: []FoldMessage{}, End: r.end(), Dropped: map[string]int{}}
	for why, count := range r.dropped {
		f.Dropped[why] = count
	}
	for i := range messages {
		m := &messages[i]
		chunks, superseded := chunked(m.Parts)
		f.Messages = append(f.Messages, FoldMessage{Role: m.Role, ID: m.ID, Chunks: chunks, Superseded: superseded})
	}
	return f
}

func (r *Reporter) end() steno.Finish {
	switch {
	case !r.turns:
		return ""
	case !r.inTurn:
		return r.reason
	case r.cancelled:
		return steno.FinishCancelled
	case r.finish != "":
		return r.finish
	}
	return steno.FinishIncomplete
}
