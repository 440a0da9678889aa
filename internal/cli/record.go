package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/wire/formats"
)

func (m *Main) recordCommand() *cobra.Command {
	var from, to, name string
	cmd := m.withJSON(&cobra.Command{
		Use:     "record --from FORMAT [FILE|-]",
		GroupID: groupRecord,
		Short:   "Append a provider's answer to a conversation, live",
		Long: `Read a provider's answer from a file or from standard input and append it to a
conversation as it comes: it is durable, and seen, while it streams. Without
--to a new conversation is made. An answer that is or holds an error is recorded
like any other, with a warning; --json says so in "errors" and "finish".

Formats: ` + strings.Join(m.formats(), ", ") + `.`,
		Example: `  curl -N https://… | steno record --from openai-chat
  steno record --from anthropic-messages answer.sse --to 019a…`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.checkFormat(from); err != nil {
				return err
			}
			in, done, err := m.input(cmd.Context(), args)
			if err != nil {
				return err
			}
			defer done()
			store, err := m.writing(cmd.Context())
			if err != nil {
				return err
			}
			if name == "" {
				name = titleOf(args)
			}
			rec, err := m.record(cmd.Context(), store, to, name, from, in)
			if err != nil {
				return err
			}
			for _, text := range rec.Errors {
				m.warn("the answer holds an error: %s", text)
			}
			if more := rec.Failures - len(rec.Errors); more > 0 {
				m.warn("the answer holds %d more errors", more)
			}
			if m.flags.json {
				return m.printJSON(rec)
			}
			return m.printf("%s  events %d to %d, %s, %s\n", rec.Conversation, rec.First, rec.Last, size(rec.Bytes), orDash(string(rec.Finish)))
		},
	})
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "the `FORMAT` of the answer, or auto")
	f.StringVar(&to, "to", "", "the `ID` of the conversation to append to")
	f.StringVar(&name, "title", "", "the `TITLE` of a new conversation; else the file's name")
	_ = cmd.MarkFlagRequired("from")
	cmd.MarkFlagsMutuallyExclusive("to", "title")
	fixedCompletion(cmd, "from", m.formats()...)
	_ = cmd.RegisterFlagCompletionFunc("to", m.completeID)
	return cmd
}

// titleOf returns what to call a new conversation that was given no title.
func titleOf(args []string) string {
	if len(args) == 0 || args[0] == "-" {
		return "Recorded answer"
	}
	return filepath.Base(args[0])
}

func (m *Main) record(ctx context.Context, store api.Store, to, name, from string, in io.Reader) (*api.Recorded, error) {
	made := to == ""
	if made {
		c, err := store.Create(ctx, api.NewConversation{Title: name})
		if err != nil {
			return nil, err
		}
		to = c.ID
	}
	in, done := m.withProgress(in, "recorded")
	defer done()
	rec, err := store.Record(ctx, to, from, in)
	if err == nil && rec.Bytes == 0 {
		if made {
			err = store.Delete(ctx, to)
		}
		return nil, errors.Join(catalogue.New(catalogue.EmptyInput, ""), err)
	}
	return rec, err
}

// input opens the file that is named, or standard input for none or "-". A
// read of standard input, which may wait for ever, ends with ctx.
func (m *Main) input(ctx context.Context, args []string) (_ io.Reader, done func(), err error) {
	if len(args) == 0 || args[0] == "-" {
		r, w := io.Pipe()
		stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
		go func() {
			_, err := io.Copy(w, m.Stdin)
			w.CloseWithError(err)
		}()
		return r, func() { stop(); r.Close() }, nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, nil, fileError(args[0], err)
	}
	// Found out by the first read, it would leave an empty conversation.
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, nil, catalogue.New(catalogue.WrongPath, args[0]+" is a directory")
	}
	return f, func() { f.Close() }, nil
}

func fileError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return catalogue.Wrap(catalogue.NotFound, "file "+path, err)
	}
	return err
}

// maxPlayFile is the largest file play takes, in bytes.
const maxPlayFile = 32 << 20

func (m *Main) playCommand() *cobra.Command {
	var speed float64
	var from string
	var list, remove bool
	cmd := m.withJSON(&cobra.Command{
		Use:     "play [FILE|NAME…]",
		GroupID: groupStart,
		Short:   "Play recorded answers as if they came now",
		Long: `Feed recorded answers through the same path as live ones, into a conversation
that is marked as a demo. Without a file it plays the built-in recordings;
--list names them. The pace is that of FILE.timing, if it is there.`,
		Example: `  steno play
  steno play --speed 4 answer.sse --from anthropic-messages
  steno play --remove      # delete the demo conversations`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(speed > 0) || math.IsInf(speed, 1) {
				return catalogue.New(catalogue.Usage, "--speed must be a number above 0")
			}
			if list {
				return m.listRecordings(cmd.Context())
			}
			store, err := m.writing(cmd.Context())
			if err != nil {
				return err
			}
			if remove {
				return m.removeDemos(cmd.Context(), store)
			}
			req, err := playRequest(args, from, speed)
			if err != nil {
				return err
			}
			done := m.waiting("playing")
			c, err := store.Play(cmd.Context(), req)
			done()
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(c)
			}
			return m.printf("%s  %s\n", c.ID, title(*c))
		},
	})
	f := cmd.Flags()
	f.Float64Var(&speed, "speed", 1, "play `N` times as fast")
	f.StringVar(&from, "from", formats.Guessed, "the `FORMAT` of the files")
	f.BoolVar(&list, "list", false, "list the built-in recordings")
	f.BoolVar(&remove, "remove", false, "delete the demo conversations")
	cmd.MarkFlagsMutuallyExclusive("list", "remove")
	fixedCompletion(cmd, "from", m.formats()...)
	return cmd
}

func (m *Main) listRecordings(ctx context.Context) error {
	store, err := m.reading(ctx)
	if err != nil {
		return err
	}
	list, err := store.Recordings(ctx)
	if err != nil {
		return err
	}
	if m.flags.json {
		return m.printJSON(append([]api.Recording{}, list...))
	}
	rows := make([][]string, 0, len(list))
	for _, r := range list {
		rows = append(rows, []string{r.Name, r.Format, r.Title})
	}
	return m.table([]string{"NAME", "FORMAT", "TITLE"}, rows)
}

func (m *Main) removeDemos(ctx context.Context, store api.Store) error {
	n, err := store.DeleteDemos(ctx)
	if err != nil {
		return err
	}
	if m.flags.json {
		return m.printJSON(map[string]int{"deleted": n})
	}
	return m.printf("%s deleted\n", plural(int64(n), "conversation", "conversations"))
}

// playRequest reads the files that are named. What is no file is the name of a
// built-in recording.
func playRequest(args []string, from string, speed float64) (api.PlayRequest, error) {
	req := api.PlayRequest{Speed: speed, Wait: true}
	for _, a := range args {
		data, err := readSome(a)
		if errors.Is(err, fs.ErrNotExist) && filepath.Base(a) == a && filepath.Ext(a) == "" {
			req.Names = append(req.Names, a)
			continue
		}
		if err != nil {
			return req, fileError(a, err)
		}
		timing, err := readSome(a + ".timing")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return req, err
		}
		req.Files = append(req.Files, api.PlayFile{Name: filepath.Base(a), Format: from, Data: data, Timing: timing})
	}
	return req, nil
}

func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlayFile+1))
	if err == nil && len(data) > maxPlayFile {
		err = catalogue.New(catalogue.TooLarge, fmt.Sprintf("%s: the limit is %d bytes", path, maxPlayFile))
	}
	return data, err
}
