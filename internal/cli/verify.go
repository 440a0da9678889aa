package cli

import (
	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/catalogue"
)

func (m *Main) verifyCommand() *cobra.Command {
	return m.withJSON(&cobra.Command{
		Use:     "verify",
		GroupID: groupMaintain,
		Short:   "Check every journal and say what is wrong",
		Long: `Read every journal and check it: sums, counts, gapless numbers, and that every
event can be read. Exit code 1 says that damage was found.`,
		Example: "  steno verify\n  steno verify --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := m.reading(cmd.Context())
			if err != nil {
				return err
			}
			done := m.waiting("checking")
			rep, err := store.Verify(cmd.Context())
			done()
			if err != nil {
				return err
			}
			if m.flags.json {
				err = m.printJSON(rep)
			} else {
				err = m.printReport(rep)
			}
			if err == nil && rep.Damaged > 0 {
				err = catalogue.New(catalogue.Damaged, plural(int64(rep.Damaged), "branch", "branches"))
			}
			return err
		},
	})
}
