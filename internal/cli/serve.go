package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/client"
	"github.com/stenolog/steno/internal/config"
	"github.com/stenolog/steno/internal/server"
)

func (m *Main) serveCommand() *cobra.Command {
	var noOpen bool
	cmd := m.withJSON(&cobra.Command{
		Use:     "serve",
		GroupID: groupStart,
		Short:   "Serve the page, the API and the view",
		Long: `Serve the page, the API and the view of one store, until it is stopped.

It prints a sign-in link that works once and for 10 minutes, and opens it where
it runs on a terminal. "steno open" makes another at any time. Stopped by a
signal it ends open streams at once, lets other requests finish within --grace,
and exits 0.`,
		Example: `  steno serve
  steno serve --listen 127.0.0.1:8000 --data ./data
  steno serve --listen 0.0.0.0:7836 --public-url https://steno.example`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return m.serve(cmd.Context(), noOpen) },
	})
	settingFlag(cmd, "listen", "`HOST:PORT` to listen on (STENO_LISTEN; default "+config.DefaultListen+")")
	settingListFlag(cmd, "allowHost", "another host `NAME` to answer to; may be repeated (STENO_ALLOW_HOST)")
	settingFlag(cmd, "publicURL", "the `URL` it is reached at behind a proxy (STENO_PUBLIC_URL)")
	settingFlag(cmd, "grace", "how long requests may take, a `DURATION`, when it stops (STENO_GRACE; default 5s)")
	settingFlag(cmd, "sync", "`HOW` safe: full survives a power cut, normal only a crash (STENO_SYNC; default full)")
	settingFlag(cmd, "logLevel", "debug, info, warn or error: the least `LEVEL` that is logged (STENO_LOG_LEVEL; default info)")
	settingFlag(cmd, "logFormat", "auto, text or json: the `FORMAT` of the log (STENO_LOG_FORMAT; default auto)")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "do not open the browser")
	fixedCompletion(cmd, "sync", "full", "normal")
	fixedCompletion(cmd, "log-level", "debug", "info", "warn", "error")
	fixedCompletion(cmd, "log-format", "auto", "text", "json")
	return cmd
}

func (m *Main) serve(ctx context.Context, noOpen bool) error {
	dir := m.places.Data.Text
	running, err := m.own(ctx)
	if err != nil {
		return err
	}
	if running != nil {
		return catalogue.New(catalogue.Running, "at "+running.Base())
	}
	ln, err := listen(m.settings.Listen)
	if err != nil {
		return err
	}
	// Serve closes it too; this is for what fails before.
	m.onClose(func() error { ln.Close(); return nil })
	auth, err := config.OpenAuth(dir, m.Now)
	if err != nil {
		return err
	}
	log, registry := m.logger(), prometheus.NewRegistry()
	store, err := m.openLocal(ctx, OpenOptions{Dir: dir, Write: true, Log: log, Registry: registry})
	if err != nil {
		return err
	}
	srv := server.New(server.Options{
		Store: store, Views: store, Auth: auth, Page: m.Page,
		Addr: reachable(ln.Addr(), m.settings.Listen), AllowHosts: m.settings.AllowHosts, PublicURL: m.settings.PublicURL,
		Grace: m.settings.Grace, Log: log, Registry: registry, Now: m.Now,
	})
	info := client.Info{PID: os.Getpid(), Address: local(ln.Addr()), Token: auth.OwnToken("command", config.Admin)}
	if err := client.WriteInfo(dir, info); err != nil {
		return err
	}
	m.onClose(func() error { return client.RemoveInfo(dir, info.PID) })
	if err := m.announce(srv.SignInLink(), info, noOpen); err != nil {
		return err
	}
	return srv.Serve(ctx, ln)
}

// listen takes an address, or says who cannot have it and what to do.
func listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		return ln, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, catalogue.Wrap(catalogue.PortInUse, addr, err)
	}
	return nil, catalogue.Wrap(catalogue.BadConfig, fmt.Sprintf("cannot listen on %s: %v", addr, err), err)
}

// reachable is the address that links name: what was asked for, with the port
// the system gave where 0 was.
func reachable(a net.Addr, asked string) string {
	host, _, err := net.SplitHostPort(asked)
	_, port, perr := net.SplitHostPort(a.String())
	if err != nil || perr != nil {
		return a.String()
	}
	return net.JoinHostPort(host, port)
}

// local is the address under which this machine reaches a.
func local(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
}

// announced is what serve --json prints when it stands.
type announced struct {
	Address string `json:"address"`
	SignIn  string `json:"signIn"`
	PID     int    `json:"pid"`
	Data    string `json:"data"`
}

// announce prints the banner and opens the link on a terminal.
func (m *Main) announce(link string, info client.Info, noOpen bool) error {
	if m.flags.json {
		return m.printJSONLine(announced{info.Address, link, info.PID, m.places.Data.Text})
	}
	err := m.printf("steno %s\n\n  Address  http://%s\n  Data     %s\n  Sign in  %s\n           works once, within 10 minutes; `steno open` makes another\n\n",
		Version(), info.Address, m.places.Data.Text, link)
	if err != nil {
		return err
	}
	if !noOpen && isTerminal(m.Stdout) {
		if err := m.Browse(link); err != nil {
			m.warn("the browser could not be opened: %v", err)
		}
	}
	return nil
}

func (m *Main) openCommand() *cobra.Command {
	var printOnly bool
	cmd := m.withJSON(&cobra.Command{
		Use:     "open",
		GroupID: groupStart,
		Short:   "Open the page of the running server, signed in",
		Long: `Make a sign-in link at the running server and open it in the browser. Where
there is no terminal, or with --print, the link is printed only.`,
		Example: "  steno open\n  steno open --print   # a link for another browser on this machine",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := m.findServer(cmd.Context())
			if err != nil {
				return err
			}
			if c == nil {
				return catalogue.New(catalogue.NoServer, m.places.Data.Text)
			}
			link, err := c.SignInLink(cmd.Context())
			if err != nil {
				return err
			}
			if m.flags.json {
				return m.printJSON(map[string]string{"url": link})
			}
			if err := m.printf("%s\n", link); err != nil || printOnly || !isTerminal(m.Stdout) {
				return err
			}
			return m.Browse(link)
		},
	})
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the link and open nothing")
	return cmd
}
