package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/catalogue"
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

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

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

// tokenKeeper is where tokens are: a running server, or their file.
type tokenKeeper interface {
	Tokens(ctx context.Context) ([]config.Token, error)
	AddToken(ctx context.Context, name string, scope config.Scope) (secret string, err error)
	RevokeToken(ctx context.Context, name string) error
}

// ownTokens is the file.
type ownTokens struct{ auth *config.Auth }

func (o ownTokens) Tokens(context.Context) ([]config.Token, error) { return o.auth.Tokens(), nil }

func (o ownTokens) AddToken(_ context.Context, name string, scope config.Scope) (string, error) {
	return o.auth.AddToken(name, scope)
}

func (o ownTokens) RevokeToken(_ context.Context, name string) error {
	return o.auth.RevokeToken(name)
}

// tokenKeeper returns who keeps the tokens. Where no server runs the file is
// opened, with the lock of the data directory only to write.
func (m *Main) tokenKeeper(ctx context.Context, write bool) (tokenKeeper, error) {
	find := m.findServer
	if write {
		find = m.own
	}
	c, err := find(ctx)
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	auth, err := config.OpenAuth(m.places.Data.Text, m.Now)
	if err != nil {
		return nil, err
	}
	return ownTokens{auth}, nil
}

func (m *Main) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "token",
		GroupID: groupMaintain,
		Short:   "Make, list and revoke API tokens",
		Long: `Make, list and revoke API tokens. A token is sent as "Authorization: Bearer",
or given to a command in STENO_TOKEN. Its scope says what it may do:

  read    see everything
  ingest  record, and nothing else
  write   read, record, delete
  admin   all of it, and tokens`,
		Example: "  steno token add ci --scope ingest\n  steno token list\n  steno token revoke ci",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(m.tokenAdd(), m.tokenList(), m.tokenRevoke())
	return cmd
}

func (m *Main) tokenAdd() *cobra.Command {
	var scope string
	cmd := m.withJSON(&cobra.Command{
		Use:     "add NAME --scope SCOPE",
		Short:   "Make a token and print it, once",
		Example: "  steno token add ci --scope ingest",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sc, err := config.ParseScope(scope)
			if err != nil {
				return err
			}
			k, err := m.tokenKeeper(cmd.Context(), true)
			if err != nil {
				return err
			}
			secret, err := k.AddToken(cmd.Context(), args[0], sc)
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(map[string]string{"name": args[0], "scope": scope, "secret": secret})
			}
			return m.printf("%s\n", secret)
		},
	})
	cmd.Flags().StringVar(&scope, "scope", "", "read, write, ingest or admin: the `SCOPE`")
	_ = cmd.MarkFlagRequired("scope")
	fixedCompletion(cmd, "scope", "read", "write", "ingest", "admin")
	return cmd
}

func (m *Main) tokenList() *cobra.Command {
	return m.withJSON(&cobra.Command{
		Use:     "list",
		Short:   "List the tokens, without their secrets",
		Example: "  steno token list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			k, err := m.tokenKeeper(cmd.Context(), false)
			if err != nil {
				return err
			}
			list, err := k.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(append([]config.Token{}, list...))
			}
			rows := make([][]string, 0, len(list))
			for _, t := range list {
				rows = append(rows, []string{t.Name, string(t.Scope), when(t.Created)})
			}
			return m.table([]string{"NAME", "SCOPE", "CREATED"}, rows)
		},
	})
}

func (m *Main) tokenRevoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke NAME",
		Short:   "End a token and the streams it holds open",
		Example: "  steno token revoke ci",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := m.tokenKeeper(cmd.Context(), true)
			if err != nil {
				return err
			}
			return k.RevokeToken(cmd.Context(), args[0])
		},
	}
}

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

// clip shortens a title for a column.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n-1])) + "…"
}
