package formats_test

import (
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/formats"
)

// An answer whose format is not known is decoded as its bytes arrive.
func ExampleAuto() {
	var d formats.Auto
	var c answer.Collector
	for _, piece := range []string{
		`data: {"candidates":[{"content":{"parts":[{"text":"Two la`,
		"rks.\"}]}}]}\n\n",
		`data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":9}}` + "\n\n",
	} {
		d.Decode([]byte(piece), func(e *steno.Event) { c.Add(e) })
	}
	d.Close(c.Add)
	fmt.Println(string(c.Document(d.Format()).AppendJSON(nil)))
	// Output:
	// {"format":"gemini","answers":[{"parts":[{"kind":"text","text":"Two larks."}],"finish":"complete","stop":"STOP","usage":{"totalTokenCount":9}}],"errors":[]}
}

func ExampleNew() {
	_, err := formats.New("morse", nil)
	fmt.Println(err)
	// Output:
	// format "morse": unsupported: known are anthropic-messages, openai-responses, openai-chat, gemini, ollama, bedrock-converse, bedrock-invoke-anthropic
}

func ExampleGuess() {
	fmt.Println(formats.Guess([]byte("event: message_start\ndata: {")))
	fmt.Println(formats.Guess([]byte("data: [DONE]\n\n")))
	// Output:
	// anthropic-messages true
	//  false
}
