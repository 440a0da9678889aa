package answer_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
)

func ExampleCollector() {
	var c answer.Collector
	for _, e := range []steno.Event{
		{Type: steno.StepStart},
		{Type: steno.TextDelta, Text: "Let me "},
		{Type: steno.TextDelta, Text: "look."},
		{Type: steno.ToolStart, Block: "call:0", Call: "a", Name: "list"},
		{Type: steno.ToolDelta, Block: "call:0", Text: `{"dir": "."}`},
		{Type: steno.ToolCall, Block: "call:0", Call: "a", Name: "list"},
		{Type: steno.StepEnd, Body: &steno.Step{Finish: steno.FinishComplete, Stop: "tool_calls"}},
	} {
		c.Add(&e)
	}
	for _, p := range c.Document("openai-chat").Answers[0].Parts {
		fmt.Println(p.Kind, p.Text+p.Name+p.Arguments)
	}
	// Output:
	// text Let me look.
	// tool-call list{"dir": "."}
}
