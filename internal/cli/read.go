package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/api"
)

func (m *Main) listCommand() *cobra.Command {
	return m.withJSON(&cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		GroupID: groupRead,
		Short:   "List the conversations, those changed last first",
		Example: "  steno list\n  steno list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := m.reading(cmd.Context())
			if err != nil {
				return err
			}
			list, err := store.List(cmd.Context())
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(append([]api.Conversation{}, list...))
			}
			rows := make([][]string, 0, len(list))
			for _, c := range list {
				rows = append(rows, []string{c.ID, clip(title(c), 48), when(c.Updated), fmt.Sprint(c.Head), marks(c)})
			}
			return m.table([]string{"ID", "TITLE", "CHANGED", "EVENTS", ""}, rows)
		},
	})
}

func title(c api.Conversation) string {
	if c.Title == "" {
		return "(untitled)"
	}
	return c.Title
}

// marks are the words that say what is special about a conversation.
func marks(c api.Conversation) string {
	var m []string
	for _, w := range []struct {
		on   bool
		word string
	}{{c.Running, "running"}, {c.Demo, "demo"}, {c.Pin, "pinned"}, {c.Archive, "archived"}, {c.Damaged, "damaged"}} {
		if w.on {
			m = append(m, w.word)
		}
	}
	return strings.Join(m, " ")
}

func (m *Main) showCommand() *cobra.Command {
	cmd := m.withJSON(&cobra.Command{
		Use:     "show ID",
		GroupID: groupRead,
		Short:   "Print a conversation",
		Long: `Print a conversation: its messages with their parts in order. With --json it
prints them as chunks, in the form "steno fold" prints.`,
		Example: "  steno show 019a… | less\n  steno show 019a… --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := m.reading(cmd.Context())
			if err != nil {
				return err
			}
			f, err := store.Messages(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(f)
			}
			return m.printFolded(f)
		},
	})
	cmd.ValidArgsFunction = m.completeID
	return cmd
}

func (m *Main) tailCommand() *cobra.Command {
	var after int64
	var follow bool
	cmd := m.withJSON(&cobra.Command{
		Use:     "tail ID",
		GroupID: groupRead,
		Short:   "Print a conversation's events as they come",
		Long: `Print what is said and done in a conversation as it comes, until it is
interrupted. With --json it prints the events, one a line. A stream that is cut
is resumed where it was, without gap or repeat.`,
		Example: "  steno tail 019a…\n  steno tail 019a… --json --after 100\n  steno tail 019a… --follow=false",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := m.reading(cmd.Context())
			if err != nil {
				return err
			}
			p := &livePrinter{m: m}
			for e, err := range store.Events(cmd.Context(), args[0], after, follow) {
				if err != nil {
					return err
				}
				if m.flags.json {
					err = m.printJSONLine(e)
				} else {
					err = p.event(e)
				}
				if err != nil {
					return err
				}
			}
			if err := p.end(); err != nil {
				return err
			}
			return cmd.Context().Err()
		},
	})
	cmd.Flags().Int64Var(&after, "after", 0, "begin after the event with this `SEQ`")
	cmd.Flags().BoolVarP(&follow, "follow", "f", true, "go on with what comes")
	cmd.ValidArgsFunction = m.completeID
	return cmd
}
