package transcript

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// Chunks returns the parts of a message as chunks: one each, save that the
// calls of one step and attempt that stand side by side are one tool-batch, and
// that a text or thinking part with neither text nor opaque data is none (A5).
func Chunks(parts []steno.Part) []steno.Chunk {
	chunks, _ := chunked(parts)
	return chunks
}

// chunked also returns the indexes of the chunks of attempts that failed.
func chunked(parts []steno.Part) (chunks []steno.Chunk, superseded []int) {
	chunks, superseded = []steno.Chunk{}, []int{}
	for i := range parts {
		p := &parts[i]
		if blank(p) {
			continue
		}
		last := len(chunks) - 1
		if p.Kind == steno.KindTool && last >= 0 && joins(&chunks[last], p) {
			chunks[last].Calls = append(chunks[last].Calls, chunkCall(p))
			continue
		}
		chunks = append(chunks, chunkOf(p))
		if p.Superseded {
			superseded = append(superseded, last+1)
		}
	}
	return chunks, superseded
}

func blank(p *steno.Part) bool {
	return (p.Kind == steno.KindText || p.Kind == steno.KindThinking) && p.Text.Len() == 0 && len(p.Opaque) == 0
}

// joins reports whether a call joins the batch before it (A8).
func joins(c *steno.Chunk, p *steno.Part) bool {
	return c.Type == "tool-batch" && c.Step == p.Step && c.Attempt == p.Attempt
}

func chunkOf(p *steno.Part) steno.Chunk {
	c := steno.Chunk{Type: string(p.Kind), Step: p.Step, Attempt: p.Attempt, Block: p.Block}
	switch p.Kind {
	case steno.KindText, steno.KindThinking:
		c.Text = p.Text.String()
		c.Opaque, c.Provider, c.Model = p.Opaque, p.Provider, p.Model
	case steno.KindTool:
		c.Type, c.Block = "tool-batch", ""
		c.Calls = []steno.ChunkCall{chunkCall(p)}
	case steno.KindError:
		c.Message, c.StatusCode = p.Text.String(), p.Status
	case steno.KindSystem:
		c.Kind, c.Text = p.Notice, p.Text.String()
	default:
		c.Text = p.Text.String()
		if p.Content != nil {
			c.Kind, c.Provider, c.Model = p.Content.Kind, p.Content.Provider, p.Content.Model
			c.Raw = rawOf(p.Content)
		}
	}
	return c
}

// rawOf returns the provider's block, or for a block of our own its JSON form.
func rawOf(b *steno.Block) jsontext.Value {
	if len(b.Raw) > 0 {
		return b.Raw
	}
	own, err := json.Marshal(b)
	if err != nil {
		return nil
	}
	return own
}

func chunkCall(p *steno.Part) steno.ChunkCall {
	call := p.Call
	if call == nil {
		call = &steno.Call{}
	}
	c := steno.ChunkCall{
		ID: call.ID, Name: call.Name, Arguments: call.Arguments.String(),
		Opaque: p.Opaque, ShellOutput: call.Output.String(),
	}
	if call.Executor != steno.ExecutorClient { // the default, which goes without saying
		c.Executor = call.Executor
	}
	r := call.Result
	if r == nil {
		return c
	}
	c.Parts, c.Raw, c.IsError, c.Outcome = r.Parts, r.Raw, r.IsError, r.Outcome
	if text, ok := resultOf(r, call.ResultText); ok {
		c.Result = &text
	}
	return c
}

// resultOf returns the text of a result. A call that was denied, not started or
// interrupted has an outcome and no result of its own.
func resultOf(r *steno.Result, text string) (string, bool) {
	if text != "" {
		return text, true
	}
	if len(r.Parts) > 0 {
		var b strings.Builder
		for _, p := range r.Parts {
			b.WriteString(p.Text)
		}
		return b.String(), true
	}
	switch r.Outcome {
	case steno.OutcomeDenied, steno.OutcomeSkipped, steno.OutcomeInterrupted:
		return "", false
	}
	return "", len(r.Raw) == 0
}
