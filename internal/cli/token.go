package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/config"
)

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
