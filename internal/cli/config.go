package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/config"
)

func (m *Main) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		GroupID: groupMaintain,
		Short:   "Show the settings",
		Long: `Show the settings. A flag is stronger than the environment, that than the
config file, that than the default. The file is JSON; comments and trailing
commas are allowed.`,
		Example: "  steno config show\n  steno config schema > config.schema.json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(m.withJSON(&cobra.Command{
		Use:     "show",
		Short:   "Print each value and where it came from, secrets masked",
		Example: "  steno config show --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			values := append([]config.Value{m.places.Data, m.places.Config}, m.settings.Values...)
			if m.flags.json {
				return m.printJSON(values)
			}
			rows := make([][]string, 0, len(values))
			for _, v := range values {
				from := string(v.Source)
				if v.Where != "" {
					from += " " + v.Where
				}
				rows = append(rows, []string{v.Key, orDash(v.Text), from})
			}
			return m.table([]string{"SETTING", "VALUE", "FROM"}, rows)
		},
	}), &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the config file",
		Example: "  steno config schema > config.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(m.Stdout, config.Schema)
			return err
		},
	})
	return cmd
}
