package cli

import (
	"github.com/spf13/cobra"
)

// fixedCompletion completes a flag from a list of words.
func fixedCompletion(cmd *cobra.Command, flag string, words ...string) {
	// It fails only for a flag that is not there, which a test would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeID completes the id of a conversation, with its title beside it.
func (m *Main) completeID(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || m.prepare(cmd, args) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = m.Close() }() // only read
	store, err := m.reading(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := store.List(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ids := make([]cobra.Completion, 0, len(list))
	for _, c := range list {
		ids = append(ids, cobra.CompletionWithDesc(c.ID, title(c)))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
