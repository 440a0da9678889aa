package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by a release build with -ldflags "-X".
var release string

// Version is the version of this build: the release's, the module's, or
// "devel" with the commit it was built from.
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

// build describes the program.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (m *Main) versionCommand() *cobra.Command {
	return m.withJSON(&cobra.Command{
		Use:     "version",
		GroupID: groupMaintain,
		Short:   "Print the version",
		Example: "  steno version --json",
		Args:    cobra.NoArgs,
		// It must work whatever the settings are.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(*cobra.Command, []string) error {
			b := build{Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
			if m.flags.json {
				return m.printJSON(b)
			}
			return m.printf("steno %s (%s, %s/%s)\n", b.Version, b.Go, b.OS, b.Arch)
		},
	})
}
