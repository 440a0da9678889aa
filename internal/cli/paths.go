package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// pathInfo is one place the program uses.
type pathInfo struct {
	What   string `json:"what"`
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Bytes  int64  `json:"bytes"`
}

func (m *Main) pathsCommand() *cobra.Command {
	return m.withJSON(&cobra.Command{
		Use:     "paths",
		GroupID: groupMaintain,
		Short:   "Print every place it uses, and its size",
		Long: `Print every place it uses, and its size. The data directory and the config
file are all there is to back up.`,
		Example: "  steno paths\n  steno paths --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list, err := m.paths()
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(list)
			}
			rows := make([][]string, 0, len(list))
			for _, p := range list {
				s := "-"
				if p.Exists {
					s = size(p.Bytes)
				}
				rows = append(rows, []string{p.What, p.Path, s})
			}
			return m.table([]string{"WHAT", "PATH", "SIZE"}, rows)
		},
	})
}

// what the entries of the data directory are, by name.
var entryNames = map[string]string{
	"auth.json":   "tokens and sessions",
	"server.json": "running server",
	"steno.lock":  "lock",
}

func (m *Main) paths() ([]pathInfo, error) {
	data := m.places.Data.Text
	if data == "" {
		return []pathInfo{}, nil
	}
	total, err := measure(data)
	if err != nil {
		return nil, err
	}
	conf, err := measure(m.places.Config.Text)
	if err != nil {
		return nil, err
	}
	total.What, conf.What = "data", "config"
	list := []pathInfo{total, conf}
	entries, err := os.ReadDir(data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		p, err := measure(filepath.Join(data, e.Name()))
		if err != nil {
			return nil, err
		}
		if p.What = entryNames[e.Name()]; p.What == "" {
			p.What = "store"
		}
		list = append(list, p)
	}
	return list, nil
}

// measure returns the size of a file or of all files below a directory. What
// vanishes while it looks is not counted.
func measure(path string) (pathInfo, error) {
	info := pathInfo{Path: path}
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info.Exists = true
		st, err := d.Info()
		if err == nil && st.Mode().IsRegular() {
			info.Bytes += st.Size()
		}
		return nil
	})
	return info, err
}
