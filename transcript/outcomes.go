package transcript

import "github.com/stenolog/steno"

// resultTexts are what a model is told of a call that has no result of its own.
// They are five different facts in five different texts (A24).
var resultTexts = map[steno.Outcome]string{
	steno.OutcomeDenied:      "Denied by the user. The tool was not run.",
	steno.OutcomeInterrupted: "Interrupted while it ran. It may have had effects.",
	steno.OutcomeSkipped:     "Not started, because the turn ended first.",
	steno.OutcomeCutOff:      "The call was cut off before its end, by the output limit or a broken connection. The tool was not run.",
	steno.OutcomeError:       "The arguments are not a JSON object. The tool was not run.",
}

// ResultText returns the text for a call that ended by o without a result of
// its own, or "" for an outcome that has its own.
func ResultText(o steno.Outcome) string { return resultTexts[o] }
