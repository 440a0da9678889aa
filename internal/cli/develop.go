package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/answer"
	"github.com/stenolog/steno/wire/formats"
)

// formats are the words that --from takes.
func (m *Main) formats() []string { return append(formats.Names(), formats.Guessed) }

// checkFormat refuses a format nobody knows before anything is made for it.
func (m *Main) checkFormat(name string) error {
	_, err := formats.New(name, nil)
	if errors.Is(err, steno.ErrUnsupported) {
		return catalogue.Wrap(catalogue.Usage, "--from "+name+": the formats are "+strings.Join(m.formats(), ", "), err)
	}
	return err
}

// readSize is how much is read at once where --cut does not say.
const readSize = 64 << 10

func (m *Main) partsCommand() *cobra.Command {
	var from string
	var cut int
	var think bool
	cmd := m.withJSON(&cobra.Command{
		Use:     "parts [FILE|-]",
		GroupID: groupDevelop,
		Short:   "Decode a recorded answer and print its parts",
		Long: `Decode a recorded answer and print what is in it, in order: text, thinking,
tool calls and the rest, why it ended, and the provider's numbers. Nothing is
recorded. How the bytes are cut (--cut) never changes what comes out.`,
		Example: `  steno parts --from anthropic-messages --json answer.sse
  steno parts --from auto answer.sse`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cut < 0 {
				return catalogue.New(catalogue.Usage, "--cut must not be negative")
			}
			if err := m.checkFormat(from); err != nil {
				return err
			}
			in, done, err := m.input(cmd.Context(), args)
			if err != nil {
				return err
			}
			defer done()
			doc, err := decode(in, from, cut, &formats.Options{InlineThink: think})
			if err != nil {
				return err
			}
			if m.flags.json {
				err = m.printWritten(doc.AppendJSON(nil))
			} else {
				err = m.printDocument(doc)
			}
			if err == nil && doc.Format == "" {
				return catalogue.New(catalogue.Unsupported, "the format cannot be told from the bytes; name it with --from")
			}
			return err
		},
	})
	f := cmd.Flags()
	f.StringVar(&from, "from", formats.Guessed, "the `FORMAT`; auto guesses it")
	f.IntVar(&cut, "cut", 0, "feed the bytes `N` at a time")
	f.BoolVar(&think, "inline-think", false, "take <think> out of openai-chat text")
	fixedCompletion(cmd, "from", m.formats()...)
	return cmd
}

// decode reads a recorded answer to its end.
func decode(in io.Reader, from string, cut int, opts *formats.Options) (*answer.Document, error) {
	d, err := formats.New(from, opts)
	if err != nil {
		return nil, err
	}
	var c answer.Collector
	buf := make([]byte, readSize)
	for {
		n, err := in.Read(buf)
		feed(d, buf[:n], cut, c.Add)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	d.Close(c.Add)
	name := formats.Name(from)
	if auto, ok := d.(*formats.Auto); ok {
		name = auto.Format()
	}
	return c.Document(name), nil
}

// feed gives p to d, n bytes at a time; all at once if n is 0.
func feed(d wire.Decoder, p []byte, n int, emit func(*steno.Event)) {
	if n == 0 {
		n = len(p)
	}
	for len(p) > 0 {
		k := min(n, len(p))
		d.Decode(p[:k], emit)
		p = p[k:]
	}
}

func (m *Main) printDocument(doc *answer.Document) error {
	if err := m.printf("format %s\n", doc.Format); err != nil {
		return err
	}
	for i := range doc.Answers {
		a := &doc.Answers[i]
		if err := m.printf("\nanswer %d: %s (%s) %s\n", i+1, string(a.Finish), orDash(a.Stop), string(a.Usage)); err != nil {
			return err
		}
		rows := make([][]string, 0, len(a.Parts))
		for _, p := range a.Parts {
			text := p.Text
			if text == "" {
				text = p.Arguments
			}
			if text == "" {
				text = string(p.Raw)
			}
			rows = append(rows, []string{string(p.Kind), orDash(p.Name), clip(text, 80)})
		}
		if err := m.table([]string{"KIND", "NAME", "TEXT"}, rows); err != nil {
			return err
		}
	}
	for _, e := range doc.Errors {
		if err := m.printf("error%s: %s\n", number(e.Status), e.Message); err != nil {
			return err
		}
	}
	return nil
}

func (m *Main) foldCommand() *cobra.Command {
	return m.withJSON(&cobra.Command{
		Use:     "fold [FILE|-]",
		GroupID: groupDevelop,
		Short:   "Fold source events and print the messages",
		Long: `Read source events as JSON lines, fold them and print the messages as chunks,
why the last turn ended, and what was refused and why. Nothing is recorded. The
output is always JSON.`,
		Example: "  steno fold events.jsonl\n  steno fold < events.jsonl",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, done, err := m.input(cmd.Context(), args)
			if err != nil {
				return err
			}
			defer done()
			f, err := fold(in)
			if err != nil {
				return err
			}
			return m.printJSON(f)
		},
	})
}

// fold reads source events to their end.
func fold(in io.Reader) (*api.Folded, error) {
	var t transcript.Transcript
	if err := transcript.ReadSource(in, func(e *steno.Event) { t.Append(*e) }); err != nil {
		var at *transcript.SourceError
		if errors.As(err, &at) {
			return nil, catalogue.Wrap(catalogue.BadInput, at.Error(), err)
		}
		return nil, err
	}
	f := t.Report()
	return &f, nil
}
