package transcript_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
)

// Events become chunks in the order in which they came. A result goes to its
// call, wherever that stands.
func ExampleTranscript() {
	var t transcript.Transcript
	for _, e := range []steno.Event{
		{Type: steno.UserMessage, Text: "what is here?"},
		{Type: steno.ReasoningDelta, Text: "I should "},
		{Type: steno.ReasoningDelta, Text: "look."},
		{Type: steno.ToolCall, Call: "c1", Name: "ls", Text: `{}`},
		{Type: steno.TextDelta, Text: "Looking."},
		{Type: steno.ToolResult, Call: "c1", Text: "a.txt"},
		{Type: steno.Done},
	} {
		t.Append(e)
	}
	for _, m := range t.Messages() {
		fmt.Println(m.Role)
		for _, c := range transcript.Chunks(m.Parts) {
			if c.Type == "tool-batch" {
				fmt.Println("  tool-batch", c.Calls[0].Name, *c.Calls[0].Result)
				continue
			}
			fmt.Printf("  %s %q\n", c.Type, c.Text)
		}
	}
	// Output:
	// user
	//   text "what is here?"
	// assistant
	//   thinking "I should look."
	//   tool-batch ls a.txt
	//   text "Looking."
}

// A notice during a turn is a part of the turn's message, at its place. Outside
// of one it stands in a message of its own.
func ExampleTranscript_system() {
	var t transcript.Transcript
	for _, e := range []steno.Event{
		{Type: steno.TurnStart},
		{Type: steno.TextDelta, Text: "One"},
		{Type: steno.ModelChanged, Text: "another model from here"},
		{Type: steno.TextDelta, Text: "two."},
		{Type: steno.Done},
		{Type: steno.Notice, Text: "configuration read again"},
	} {
		t.Append(e)
	}
	for _, m := range t.Messages() {
		fmt.Println(m.Role)
		for _, c := range transcript.Chunks(m.Parts) {
			fmt.Println(" ", c.Type, c.Kind, c.Text)
		}
	}
	// Output:
	// assistant
	//   text  One
	//   system model-changed another model from here
	//   text  two.
	// system
	//   system notice configuration read again
}

// What a source leaves out is written: the turn, the step, starts and ends, and
// the result of a call that was never run.
func ExampleNormaliser() {
	var n transcript.Normaliser
	print := func(e *steno.Event) {
		fmt.Println(strings.TrimRight(fmt.Sprintf("%-12v %d.%d %s %s", e.Type, e.Turn, e.Step, e.Part, e.Text), " "))
	}
	n.Normalise(&steno.Event{Type: steno.TextDelta, Text: "On it."}, print)
	n.Normalise(&steno.Event{Type: steno.ToolCall, Call: "c1", Name: "rm", Text: "{}"}, print)
	n.Normalise(&steno.Event{Type: steno.Done}, print)
	// Output:
	// turn-start   1.0
	// step-start   1.1
	// text-start   1.1 0
	// text-delta   1.1 0 On it.
	// text-end     1.1 0
	// tool-start   1.1 0
	// tool-delta   1.1 0 {}
	// tool-call    1.1 0
	// step-end     1.1
	// tool-result  1.1 0
	// turn-end     1.0
}

// After a crash the open turn is closed from its events in the journal.
func ExampleNormaliser_Recover() {
	var n transcript.Normaliser
	n.Replay(&steno.Event{Seq: 1, Type: steno.TurnStart, Turn: 1, Message: "1.1"})
	n.Replay(&steno.Event{Seq: 2, Type: steno.StepStart, Turn: 1, Step: 1, Attempt: 1, Message: "1.1"})
	n.Replay(&steno.Event{Seq: 3, Type: steno.TextStart, Turn: 1, Step: 1, Attempt: 1, Message: "1.1", Part: "0"})
	n.Recover(func(e *steno.Event) { fmt.Println(e.Type) })
	// Output:
	// text-end
	// step-end
	// turn-end
}

// A file of loosely named events folds into a report.
func ExampleReadSource() {
	var t transcript.Transcript
	err := transcript.ReadSource(strings.NewReader(`
{"type":"turn-start"}
{"type":"tool-call","id":"c1","name":"sh","arguments":"{}"}
{"type":"shell-output","id":"c1","text":"working"}
{"type":"cancelled","text":"stopped by user"}
{"type":"done"}
`), func(e *steno.Event) { t.Append(*e) })
	if err != nil {
		fmt.Println(err)
	}
	if err := json.MarshalWrite(os.Stdout, t.Report(), jsontext.WithIndent(" "), json.Deterministic(true)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//  "messages": [
	//   {
	//    "role": "assistant",
	//    "id": "1.1",
	//    "chunks": [
	//     {
	//      "type": "tool-batch",
	//      "step": 1,
	//      "attempt": 1,
	//      "calls": [
	//       {
	//        "id": "c1",
	//        "name": "sh",
	//        "arguments": "{}",
	//        "outcome": "interrupted",
	//        "shellOutput": "working"
	//       }
	//      ]
	//     },
	//     {
	//      "type": "system",
	//      "text": "stopped by user",
	//      "step": 1,
	//      "attempt": 1,
	//      "kind": "cancelled"
	//     }
	//    ],
	//    "superseded": []
	//   }
	//  ],
	//  "end": "cancelled",
	//  "dropped": {}
	// }
}

// Rows say what to draw, in order, and name the nodes that hold it.
func ExampleRows() {
	engine := transcript.NewEngine(projection.Options[steno.Event]{})
	var rows transcript.Rows
	engine.Subscribe(func(p *projection.Publication) {
		rows.Apply(p, func(c transcript.Change) {
			row := c.Value.(*transcript.Row)
			fmt.Println(row.Type, row.Group, row.State, row.Parts)
		})
	})
	var n transcript.Normaliser
	for _, e := range []steno.Event{
		{Type: steno.TurnStart},
		{Type: steno.ToolCall, Call: "c1", Name: "read"},
		{Type: steno.ToolCall, Call: "c2", Name: "grep"},
		{Type: steno.TextDelta, Text: "Found."},
		{Type: steno.TextDelta, Text: " It is there."},
	} {
		n.Normalise(&e, func(e *steno.Event) { _ = engine.Push(e) })
	}
	// Output:
	// group exploration open [tool:0]
	// group exploration open [tool:0 tool:1]
	// group exploration completed [tool:0 tool:1]
	// part   [text:0]
}
