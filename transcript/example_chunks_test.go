package transcript_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
)

// appendEventToChunks takes one more event of an answer and returns the answer's
// chunks so far. It needs no state machine of its own: a text or thinking chunk
// grows until something else comes, the calls of a step stand in one batch, and
// a result finds its call wherever that is.
func appendEventToChunks(t *transcript.Transcript, e steno.Event) []steno.Chunk {
	t.Append(e)
	messages := t.Messages()
	return transcript.Chunks(messages[len(messages)-1].Parts)
}

// Six chunks in the order in which the model made them: nothing is hoisted, and
// nothing is lost to one long string.
func ExampleTranscript_appendEventToChunks() {
	var t transcript.Transcript
	var chunks []steno.Chunk
	for _, e := range []steno.Event{
		{Type: steno.ReasoningDelta, Text: "I should "},
		{Type: steno.ReasoningDelta, Text: "look."},
		{Type: steno.TextDelta, Text: "Let me see."},
		{Type: steno.ReasoningDelta, Text: "Two files."},
		{Type: steno.ToolCall, Call: "1", Name: "read_file", Text: `{"path":"a"}`},
		{Type: steno.ToolCall, Call: "2", Name: "read_file", Text: `{"path":"b"}`},
		{Type: steno.ToolOutput, Call: "2", Text: "reading…"},
		{Type: steno.ToolResult, Call: "1", Text: "A"},
		{Type: steno.ReasoningDelta, Text: "Clear."},
		{Type: steno.TextDelta, Text: "It is "},
		{Type: steno.TextDelta, Text: "in a."},
	} {
		chunks = appendEventToChunks(&t, e)
	}
	for _, c := range chunks {
		fmt.Printf("%s %q\n", c.Type, c.Text)
		for _, call := range c.Calls {
			result := "none yet"
			if call.Result != nil {
				result = *call.Result
			}
			fmt.Printf("  %s %s printed %q, result: %s\n", call.Name, call.Arguments, call.ShellOutput, result)
		}
	}
	// Output:
	// thinking "I should look."
	// text "Let me see."
	// thinking "Two files."
	// tool-batch ""
	//   read_file {"path":"a"} printed "", result: A
	//   read_file {"path":"b"} printed "reading…", result: none yet
	// thinking "Clear."
	// text "It is in a."
}

// applySystemEvent says where a system event went: into the answer that is under
// way, into the system message that stands last, or into a new one.
func applySystemEvent(t *transcript.Transcript, e steno.Event) string {
	t.Append(e)
	messages := t.Messages()
	last := messages[len(messages)-1]
	return fmt.Sprintf("%s, part %d of %s message %d", e.Text, len(last.Parts), last.Role, len(messages))
}

func ExampleTranscript_applySystemEvent() {
	var t transcript.Transcript
	t.Append(steno.Event{Type: steno.UserMessage, Text: "explain"})
	t.Append(steno.Event{Type: steno.TextDelta, Text: "Sure: "})
	fmt.Println(applySystemEvent(&t, steno.Event{Type: steno.ModelChanged, Text: "another model"}))
	t.Append(steno.Event{Type: steno.TextDelta, Text: "here it is."})
	t.Append(steno.Event{Type: steno.Done})
	fmt.Println(applySystemEvent(&t, steno.Event{Type: steno.ConfigReload, Text: "settings read"}))
	fmt.Println(applySystemEvent(&t, steno.Event{Type: steno.Notice, Text: "a key expires"}))
	// Output:
	// another model, part 2 of assistant message 2
	// settings read, part 1 of system message 3
	// a key expires, part 2 of system message 3
}
