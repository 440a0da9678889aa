package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stenolog/steno/internal/config"
)

// The groups of the help.
const (
	groupStart    = "start"
	groupRead     = "read"
	groupRecord   = "record"
	groupMaintain = "maintain"
	groupDevelop  = "develop"
)

func (m *Main) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "steno",
		Short: "Keep the record of what an LLM agent said and did",
		Long: `steno keeps the record of what an LLM agent said and did: every token, in
order, durable while it streams, and live in any view.`,
		Example: `  steno serve              # start, and open the page
  steno play               # see a recorded answer live, without a key
  curl -N https://… | steno record --from openai-chat`,
		Version:           Version(),
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: m.prepare,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddGroup(
		&cobra.Group{ID: groupStart, Title: "Start:"},
		&cobra.Group{ID: groupRead, Title: "Read:"},
		&cobra.Group{ID: groupRecord, Title: "Record:"},
		&cobra.Group{ID: groupMaintain, Title: "Maintain:"},
		&cobra.Group{ID: groupDevelop, Title: "Developer:"},
	)
	f := root.PersistentFlags()
	f.StringVar(&m.flags.data, "data", "", "where it keeps its data: a `DIR` (STENO_DATA)")
	f.StringVar(&m.flags.config, "config", "", "the config: a `FILE` (STENO_CONFIG)")
	f.BoolVarP(&m.flags.quiet, "quiet", "q", false, "say only results and errors")
	f.BoolVar(&m.flags.noColor, "no-color", false, "no colours (NO_COLOR)")
	root.AddCommand(
		m.serveCommand(), m.openCommand(), m.playCommand(),
		m.listCommand(), m.showCommand(), m.tailCommand(),
		m.recordCommand(),
		m.configCommand(), m.pathsCommand(), m.tokenCommand(), m.verifyCommand(), m.versionCommand(),
		m.partsCommand(), m.foldCommand(),
	)
	root.SetHelpCommandGroupID(groupDevelop)
	root.SetCompletionCommandGroupID(groupDevelop)
	m.noteStart(root)
	return root
}

// noteStart has each command say when its own code begins: what fails before
// is the fault of how it was called.
func (m *Main) noteStart(cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			m.started = true
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		m.noteStart(sub)
	}
}

// withJSON gives a command whose output is data the flag --json.
func (m *Main) withJSON(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&m.flags.json, "json", false, "print JSON")
	return cmd
}

// settingFlag gives a command the flag of a setting. Its default is not the
// flag's: a setting may come from the environment or the file.
func settingFlag(cmd *cobra.Command, key, help string) {
	cmd.Flags().String(config.FlagName(key), "", help)
	_ = cmd.Flags().SetAnnotation(config.FlagName(key), settingKey, []string{key})
}

func settingListFlag(cmd *cobra.Command, key, help string) {
	cmd.Flags().StringArray(config.FlagName(key), nil, help)
	_ = cmd.Flags().SetAnnotation(config.FlagName(key), settingKey, []string{key})
}

const settingKey = "steno_setting"

// givenFlags returns the settings that were given as flags, by key.
func givenFlags(cmd *cobra.Command) map[string]string {
	given := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		key := f.Annotations[settingKey]
		if len(key) == 0 {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			given[key[0]] = strings.Join(list.GetSlice(), ",")
			return
		}
		given[key[0]] = f.Value.String()
	})
	return given
}
