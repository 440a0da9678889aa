package transcript

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/text"
)

// Tool is the node of a tool call.
type Tool struct {
	Kind    steno.Kind `json:"kind" slot:"immutable"`
	Step    uint32     `json:"step" slot:"immutable"`
	Attempt uint32     `json:"attempt" slot:"immutable"`
	Block   string     `json:"block" slot:"immutable"`
	State   PartState  `json:"state"`
	// ID is the provider's, and no key (A11).
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Executor  steno.Executor `json:"executor"`
	Arguments text.Text      `json:"arguments" slot:"append"`
	Output    text.Text      `json:"output" slot:"append"`
	// Status is writing, called, asking, running, and at the end the outcome.
	Status    string            `json:"status"`
	Result    string            `json:"result"`
	IsError   bool              `json:"isError"`
	Blob      string            `json:"blob"`
	Truncated *steno.Truncation `json:"truncated" slot:"ref"`
	// Content holds the parts of a result that is more than one text.
	Content []steno.Content `json:"content" slot:"ref"`

	// Called says that the arguments are sealed, Started that the tool runs,
	// Asks that a permission is open.
	Called  bool `json:"-"`
	Started bool `json:"-"`
	Asks    bool `json:"-"`
	// Held is the beginning of a character that the output of the stream HeldOf
	// broke off in.
	Held   string `json:"-"`
	HeldOf string `json:"-"`
	// Seal is the provider's own data of the call, Body that of its result.
	Seal *steno.Seal   `json:"-" slot:"ref"`
	Body *steno.Result `json:"-" slot:"ref"`
}

// The statuses of a call that has no result.
const (
	StatusWriting = "writing"
	StatusCalled  = "called"
	StatusAsking  = "asking"
	StatusRunning = "running"
)

var toolLayout = layout[Tool]()

func toolKind() projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, Tool]{
		Kind: string(steno.KindTool),
		On: on(steno.ToolStart, steno.ToolDelta, steno.ToolCall, steno.ToolOutput, steno.ToolResult,
			steno.PermissionAsked, steno.PermissionAnswered),
		MatchInto: matchTool,
		Start:     startTool,
		Amend:     amendTool,
		Cadence:   toolCadence,
		Equal:     equalTools,
		Layout:    toolLayout,
	})
}

func matchTool(e *steno.Event, c *projection.Claim) bool {
	c.Collection, c.ID, c.Role = Parts(e.Message), e.Part, projection.Update
	if e.Type == steno.ToolStart {
		c.Role = projection.Start
	}
	return e.Part != "" // a question may be about no call
}

func startTool(e *steno.Event, _ projection.Reader) Tool {
	t := Tool{
		Kind: steno.KindTool, Step: e.Step, Attempt: e.Attempt, Block: strings.Clone(e.Block),
		ID: strings.Clone(e.Call), Name: strings.Clone(e.Name),
		Executor: steno.ExecutorClient, Status: StatusWriting,
	}
	t.seal(e)
	return t
}

// equalTools looks first at what deltas change.
func equalTools(a, b *Tool) bool {
	return a.Arguments.Len() == b.Arguments.Len() && a.Output.Len() == b.Output.Len() && toolLayout.Equivalent(a, b)
}

// amendTool never goes back: what comes after the result changes nothing.
func amendTool(t *Tool, e *steno.Event) {
	if t.State == Sealed {
		return
	}
	switch e.Type {
	case steno.ToolDelta:
		if !t.Called {
			t.Arguments = t.Arguments.Append(e.Text)
			t.identify(e)
		}
	case steno.ToolCall:
		if !t.Called {
			t.Called = true
			t.identify(e)
			t.seal(e)
			if e.Whole {
				t.Arguments = text.Text{}.Append(e.Text)
			}
		}
	case steno.ToolOutput:
		t.Started = true
		t.print(e)
	case steno.PermissionAsked:
		t.Asks = true
	case steno.PermissionAnswered:
		t.Asks = false
	case steno.ToolResult:
		t.finish(e)
		return
	}
	t.Status = t.status()
}

// print takes a piece of output. Tools write bytes, in pieces that end anywhere:
// a character that is cut between two of them is one character (A15).
func (t *Tool) print(e *steno.Event) {
	out, _ := e.Body.(*steno.Output)
	if t.Held == "" && (out == nil || len(out.Data) == 0) {
		t.Output = t.Output.Append(e.Text)
		return
	}
	data, stream := e.Text, ""
	if out != nil {
		data, stream = data+string(out.Data), out.Stream
	}
	if stream != t.HeldOf {
		t.flush()
	}
	data = t.Held + data
	whole := len(data) - cutShort(data)
	t.Output = t.Output.Append(strings.ToValidUTF8(data[:whole], "\ufffd"))
	t.Held, t.HeldOf = data[whole:], stream
}

// flush gives up on the rest of a character.
func (t *Tool) flush() {
	if t.Held != "" {
		t.Output = t.Output.Append("\ufffd")
		t.Held = ""
	}
}

// cutShort returns how many bytes at the end of s begin a character that is not
// whole.
func cutShort(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if last := s[len(s)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRuneInString(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// identify takes an id and a name that the start did not have (A12).
func (t *Tool) identify(e *steno.Event) {
	if t.ID == "" && e.Call != "" {
		t.ID = strings.Clone(e.Call)
	}
	if t.Name == "" && e.Name != "" {
		t.Name = strings.Clone(e.Name)
	}
}

func (t *Tool) seal(e *steno.Event) {
	s, ok := e.Body.(*steno.Seal)
	if !ok {
		return
	}
	if len(s.Opaque) > 0 {
		t.Seal = s
	}
	t.Executor = cmp.Or(s.Executor, t.Executor)
}

func (t *Tool) finish(e *steno.Event) {
	t.flush()
	t.State, t.Asks = Sealed, false
	t.Result = strings.Clone(e.Text)
	t.Status = string(steno.OutcomeOK)
	if r, ok := e.Body.(*steno.Result); ok {
		t.Body = r
		t.IsError, t.Blob, t.Truncated, t.Content = r.IsError, r.Blob, r.Truncated, r.Parts
		t.Status = cmp.Or(string(r.Outcome), t.Status)
	}
}

func (t *Tool) status() string {
	switch {
	case t.Asks:
		return StatusAsking
	case t.Started:
		return StatusRunning
	case t.Called:
		return StatusCalled
	}
	return StatusWriting
}

// toolCadence lets pieces of arguments and output wait for a frame; that a tool
// started is a fact.
func toolCadence(e *steno.Event) projection.Cadence {
	if e.Type.IsDelta() && e.Text != "" {
		return projection.Frame
	}
	return projection.Immediate
}

// part returns what the node is as a plain value.
func (t *Tool) part(ordinal string) steno.Part {
	p := steno.Part{
		Kind: steno.KindTool, Ordinal: ordinal, Step: t.Step, Attempt: t.Attempt, Block: t.Block,
		Sealed: t.State == Sealed,
		Call: &steno.Call{
			ID: t.ID, Name: t.Name, Arguments: t.Arguments, Executor: t.Executor,
			Output: t.Output, Started: t.Started, Result: t.Body, ResultText: t.Result,
		},
	}
	if p.Sealed && t.Body == nil {
		p.Call.Result = okResult
	}
	p.Opaque, p.Provider, p.Model = opaqueOf(t.Seal)
	return p
}
