package gemini

import "github.com/stenolog/steno"

// reason says in our words why a candidate ended, and in the provider's.
func (d *Decoder) reason(c *candidate) (steno.Finish, string) {
	stop := c.stop
	if stop == "" && c.index == 0 {
		stop = d.blocked
	}
	switch {
	case d.failed:
		return steno.FinishError, stop
	case c.stop == "" && stop != "":
		return steno.FinishRefusal, stop
	}
	return finishOf(stop), stop
}

// finishOf translates a finishReason. One we do not know is no completion:
// there is one word for that.
func finishOf(stop string) steno.Finish {
	switch stop {
	case "STOP":
		return steno.FinishComplete
	case "MAX_TOKENS":
		return steno.FinishLength
	case "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return steno.FinishRefusal
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE":
		return steno.FinishError
	}
	return steno.FinishIncomplete
}
