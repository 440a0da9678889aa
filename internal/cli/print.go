package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/terminal"
)

// printFolded prints messages for people. Everything in it is hostile and is
// made safe where it is written.
func (m *Main) printFolded(f *api.Folded) error {
	var b strings.Builder
	for i, msg := range f.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "── %s ──\n", terminal.Line(string(msg.Role)))
		superseded := map[int]bool{}
		for _, n := range msg.Superseded {
			superseded[n] = true
		}
		for n := range msg.Chunks {
			if superseded[n] {
				b.WriteString("[superseded] ")
			}
			writeChunk(&b, &msg.Chunks[n])
		}
	}
	if f.End != "" && f.End != steno.FinishComplete {
		fmt.Fprintf(&b, "\n[ended: %s]\n", terminal.Line(string(f.End)))
	}
	_, err := io.WriteString(m.Stdout, b.String())
	return err
}

func writeChunk(b *strings.Builder, c *steno.Chunk) {
	switch c.Type {
	case "text":
		writeBlock(b, "", c.Text)
	case "thinking":
		text := c.Text
		if text == "" {
			text = "(redacted)"
		}
		writeBlock(b, "[thinking] ", text)
	case "tool-batch":
		for i := range c.Calls {
			writeCall(b, &c.Calls[i])
		}
	case "error":
		writeBlock(b, "[error"+number(c.StatusCode)+"] ", c.Message)
	case "system":
		writeBlock(b, "["+terminal.Line(c.Kind)+"] ", c.Text)
	default:
		writeBlock(b, "["+terminal.Line(c.Type)+"] ", string(c.Raw))
	}
}

func writeCall(b *strings.Builder, c *steno.ChunkCall) {
	outcome := string(c.Outcome)
	switch {
	case outcome == "":
		outcome = "open"
	case c.IsError && c.Outcome == steno.OutcomeOK:
		outcome = "failed"
	}
	fmt.Fprintf(b, "[tool %s, %s] %s\n", terminal.Line(c.Name), terminal.Line(outcome), terminal.Line(c.Arguments))
	if c.ShellOutput != "" {
		writeBlock(b, "", c.ShellOutput)
	}
	if c.Result != nil && *c.Result != "" {
		writeBlock(b, "→ ", *c.Result)
	}
	for _, p := range c.Parts {
		if p.Kind == "text" {
			writeBlock(b, "→ ", p.Text)
		} else {
			fmt.Fprintf(b, "→ [%s %s]\n", terminal.Line(p.Kind), terminal.Line(p.Media))
		}
	}
}

// writeBlock writes text with a label before it and one line end after it.
func writeBlock(b *strings.Builder, label, text string) {
	b.WriteString(label)
	b.WriteString(strings.TrimRight(terminal.Safe(text), "\n"))
	b.WriteByte('\n')
}

func number(status int) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprintf(" %d", status)
}

// livePrinter prints events as they come. Deltas of one part run on; anything
// else begins a line.
type livePrinter struct {
	m *Main
	// part is the part whose text is being printed, "" at the start of a line.
	part string
	text *terminal.Writer
}

func (p *livePrinter) event(e *steno.Event) error {
	switch e.Type {
	case steno.TextDelta, steno.ReasoningDelta, steno.ToolDelta, steno.ToolOutput:
		return p.delta(e)
	case steno.UserMessage:
		return p.line("── user ──\n%s\n", terminal.Safe(e.Text))
	case steno.ToolStart:
		return p.line("[tool %s] ", terminal.Line(e.Name))
	case steno.ToolResult:
		outcome := steno.OutcomeOK
		if r, ok := e.Body.(*steno.Result); ok && r.Outcome != "" {
			outcome = r.Outcome
		}
		return p.line("→ %s %s\n", terminal.Line(string(outcome)), strings.TrimRight(terminal.Safe(e.Text), "\n"))
	case steno.Error:
		status := 0
		if f, ok := e.Body.(*steno.Failure); ok {
			status = f.Status
		}
		return p.line("[error%s] %s\n", number(status), terminal.Safe(e.Text))
	case steno.Notice, steno.ModelChanged, steno.ConfigReload, steno.Cancelled:
		return p.line("[%s] %s\n", e.Type.String(), terminal.Safe(e.Text))
	case steno.TurnEnd:
		if t, ok := e.Body.(*steno.Turn); ok && t.Reason != steno.FinishComplete {
			return p.line("[ended: %s]\n", terminal.Line(string(t.Reason)))
		}
		return p.end()
	}
	return nil
}

// delta prints a piece of a growing text.
func (p *livePrinter) delta(e *steno.Event) error {
	part := string(steno.KindOf(e.Type)) + ":" + e.Message + ":" + e.Part
	if part != p.part {
		if e.Type != steno.ToolDelta {
			if err := p.end(); err != nil {
				return err
			}
		}
		if e.Type == steno.ReasoningDelta {
			if _, err := io.WriteString(p.m.Stdout, "[thinking] "); err != nil {
				return err
			}
		}
		p.part, p.text = part, &terminal.Writer{W: p.m.Stdout}
	}
	_, err := io.WriteString(p.text, e.Text)
	return err
}

// line prints something of its own. The arguments are safe already.
func (p *livePrinter) line(format string, args ...any) error {
	if err := p.end(); err != nil {
		return err
	}
	text := fmt.Sprintf(format, args...)
	if !strings.HasSuffix(text, "\n") {
		p.part = "open"
	}
	_, err := io.WriteString(p.m.Stdout, text)
	return err
}

// end ends the line that is being printed.
func (p *livePrinter) end() error {
	if p.part == "" {
		return nil
	}
	p.part = ""
	_, err := io.WriteString(p.m.Stdout, "\n")
	return err
}

func (m *Main) printReport(r *api.Report) error {
	for _, b := range r.Branches {
		if b.Damage == "" {
			continue
		}
		if err := m.printf("damaged  %s  at event %d: %s\n", b.Branch, b.At, b.Damage); err != nil {
			return err
		}
	}
	return m.printf("%s, %s, %s: %s\n", plural(int64(len(r.Branches)), "branch", "branches"),
		plural(r.Events, "event", "events"), size(r.Bytes), verdict(r.Damaged))
}

func verdict(damaged int) string {
	if damaged == 0 {
		return "all sound"
	}
	return fmt.Sprintf("%d damaged", damaged)
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
