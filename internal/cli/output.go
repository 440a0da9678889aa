package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/lmittmann/tint"
	"golang.org/x/term"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/terminal"
)

// printJSON prints v as indented JSON. JSON escapes controls, so it is safe
// for a terminal but for C1 and bidirectional ones, which it may hold as they
// are; on a terminal those are escaped too.
func (m *Main) printJSON(v any) error {
	data, err := json.Marshal(v, api.JSON, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return m.printWritten(data)
}

// printJSONLine prints v as one line of JSON.
func (m *Main) printJSONLine(v any) error {
	data, err := json.Marshal(v, api.JSON)
	if err != nil {
		return err
	}
	return m.printWritten(data)
}

// printWritten prints JSON that stands as it must.
func (m *Main) printWritten(data []byte) error {
	_, err := fmt.Fprintf(m.Stdout, "%s\n", m.jsonSafe(data))
	return err
}

// jsonSafe escapes every rune beyond ASCII that a terminal must not see. Into
// a file or a pipe the bytes go unchanged.
func (m *Main) jsonSafe(data []byte) string {
	s := string(data)
	if !isTerminal(m.Stdout) || terminal.Safe(s) == s {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if c := string(r); r >= 0x7f && terminal.Safe(c) != c {
			if r > 0xffff {
				r -= 0x10000
				fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
				continue
			}
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// printf prints a line of our own words with values made safe: they may come
// from a model, a tool or a file.
func (m *Main) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(m.Stdout, format, safeArgs(args)...)
	return err
}

func safeArgs(args []any) []any {
	safe := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case string:
			safe[i] = terminal.Line(v)
		case error:
			safe[i] = terminal.Line(v.Error())
		default:
			safe[i] = a
		}
	}
	return safe
}

// table prints rows in columns. Cells are made safe.
func (m *Main) table(header []string, rows [][]string) error {
	w := tabwriter.NewWriter(m.Stdout, 0, 8, 2, ' ', 0)
	if !m.flags.quiet {
		fmt.Fprintln(w, strings.Join(header, "\t"))
	}
	for _, row := range rows {
		for i, cell := range row {
			row[i] = terminal.Line(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// orDash is what stands in a cell that would be empty.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// clip shortens a text for a column to n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n-1])) + "…"
}

// when is a time for people, in their zone; "-" for none.
func when(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04")
}

// size is a number of bytes for people.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/unit, 0
	for f >= unit && i < 3 {
		f, i = f/unit, i+1
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGT"[i])
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour reports whether w may be sent colours.
func (m *Main) colour(w any) bool {
	if v, ok := m.Env("NO_COLOR"); ok && v != "" {
		return false
	}
	return !m.flags.noColor && isTerminal(w)
}

// logger is where the program logs: text for people on a terminal, else the
// format that was set.
func (m *Main) logger() *slog.Logger {
	opts := &slog.HandlerOptions{Level: m.settings.LogLevel}
	switch m.settings.LogFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(m.Stderr, opts))
	case "auto":
		if isTerminal(m.Stderr) {
			return slog.New(tint.NewTextHandler(m.Stderr, &tint.Options{
				Level: m.settings.LogLevel, NoColor: !m.colour(m.Stderr), TimeFormat: time.TimeOnly, ReplaceAttr: safeAttr,
			}))
		}
	}
	return slog.New(slog.NewTextHandler(m.Stderr, opts))
}

// safeAttr keeps what a path or an error holds from reaching the terminal as
// a control.
func safeAttr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(terminal.Line(a.Value.String()))
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(terminal.Line(err.Error()))
		}
	}
	return a
}

// progress counts bytes on a terminal while something long runs.
type progress struct {
	r    io.Reader
	w    io.Writer
	what string
	now  func() time.Time

	n    int64
	last time.Time
}

// progressEvery is how often the line is drawn again.
const progressEvery = 200 * time.Millisecond

// withProgress wraps r so that the bytes read are shown on Stderr. It does
// nothing where Stderr is no terminal; done clears the line.
func (m *Main) withProgress(r io.Reader, what string) (_ io.Reader, done func()) {
	if m.flags.quiet || !isTerminal(m.Stderr) {
		return r, func() {}
	}
	p := &progress{r: r, w: m.Stderr, what: what, now: m.Now}
	return p, func() { fmt.Fprint(p.w, "\r\x1b[K") }
}

// Read implements io.Reader.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.n += int64(n)
	if now := p.now(); now.Sub(p.last) >= progressEvery {
		p.last = now
		fmt.Fprintf(p.w, "\r\x1b[K%s %s", p.what, size(p.n))
	}
	return n, err
}

// waiting says on a terminal what a command waits for; done clears it.
func (m *Main) waiting(what string) (done func()) {
	if m.flags.quiet || !isTerminal(m.Stderr) {
		return func() {}
	}
	fmt.Fprintf(m.Stderr, "%s …", what)
	return func() { fmt.Fprint(m.Stderr, "\r\x1b[K") }
}
