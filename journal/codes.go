package journal

import "github.com/stenolog/steno"

// codes gives the types their written form. It is part of the format: a code
// is never changed and never used again. A type that is not here is written by
// its name, so that a reader that does not know it can keep it; types that are
// new after the format was published stay out of the table for that reason.
var codes = [steno.TypeCount]byte{
	steno.ConversationCreated:  1,
	steno.ConversationSettings: 2,
	steno.BranchCreated:        3,
	steno.BranchSelected:       4,
	steno.UserMessage:          5,
	steno.TurnStart:            6,
	steno.TurnEnd:              7,
	steno.StepStart:            8,
	steno.StepEnd:              9,
	steno.AttemptFailed:        10,
	steno.TextStart:            11,
	steno.TextDelta:            12,
	steno.TextEnd:              13,
	steno.ReasoningStart:       14,
	steno.ReasoningDelta:       15,
	steno.ReasoningEnd:         16,
	steno.ToolStart:            17,
	steno.ToolDelta:            18,
	steno.ToolCall:             19,
	steno.ToolOutput:           20,
	steno.ToolResult:           21,
	steno.Held:                 22,
	steno.PermissionAsked:      23,
	steno.PermissionAnswered:   24,
	steno.QueueAdded:           25,
	steno.QueueTaken:           26,
	steno.QueueWithdrawn:       27,
	steno.Error:                28,
	steno.Notice:               29,
	steno.ModelChanged:         30,
	steno.ConfigReload:         31,
	steno.Cancelled:            32,
	steno.Source:               33,
	steno.File:                 34,
	steno.Opaque:               35,
	steno.Usage:                36,
	steno.Dropped:              37,
}

// byName is the code of a type that is written by its name.
const byName = 0

var typesByCode = func() (types [256]steno.Type) {
	for t, code := range codes {
		if code != byName {
			types[code] = steno.Type(t)
		}
	}
	return types
}()
