// Package cli is the commands of the program: what they are called, what they
// print and how they end. What they do is done by the packages below.
//
// A Main is one run of the program over given streams, environment and store,
// so a test runs it in its own process.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
	"github.com/stenolog/steno/internal/server"
	"github.com/stenolog/steno/internal/terminal"
	"github.com/stenolog/steno/web"
)

// Local is a store this process has opened.
type Local interface {
	api.Store
	server.Views
	io.Closer
}

// OpenOptions say how a store is opened.
type OpenOptions struct {
	// Dir is the data directory. With Write it exists and its lock is held by
	// the caller; running turns are to be ended and indexes mended. Without,
	// the store is opened read-only: nothing is made, recovered or changed,
	// and one that is not there is an empty one.
	Dir   string
	Write bool
	// Sync is "full" or "normal": whether a commit outlives a power cut.
	Sync string
	Log  *slog.Logger
	// Registry takes the store's metrics, or is nil.
	Registry *prometheus.Registry
}

// Opener opens the store of a data directory.
type Opener func(ctx context.Context, o OpenOptions) (Local, error)

// Main is one run of the program.
type Main struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            config.Lookup
	// Open opens a local store; nil makes every command that needs one say
	// that this build has none.
	Open Opener
	// Page is the static page that serve gives out, or nil.
	Page http.Handler
	// Browse opens a URL in the user's browser.
	Browse func(url string) error
	// Now is the clock.
	Now func() time.Time

	root     *cobra.Command
	flags    globalFlags
	started  bool // a command's own code has run: what fails now is no usage error
	closers  []func() error
	settings *config.Settings
	places   config.Places
}

// globalFlags are those every command has.
type globalFlags struct {
	data, config string
	json         bool
	quiet        bool
	noColor      bool
}

// New returns a Main over the process's streams and environment.
func New() *Main {
	return &Main{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: os.LookupEnv, Browse: browse, Now: time.Now,
		Open: openStore, Page: web.Handler(),
	}
}

// ParseFlags takes the arguments, without the program's name, and finds the
// command they mean. Errors are of the catalogue.
func (m *Main) ParseFlags(args []string) error {
	m.root = m.command()
	m.root.SetArgs(args)
	m.root.SetIn(m.Stdin)
	m.root.SetOut(m.Stdout)
	m.root.SetErr(m.Stderr)
	if _, _, err := m.root.Find(args); err != nil {
		return usage(err)
	}
	return nil
}

// Run runs the command until it ends or ctx does.
func (m *Main) Run(ctx context.Context) error {
	err := m.root.ExecuteContext(ctx)
	if err != nil && !m.started {
		return usage(err)
	}
	if errors.Is(err, context.Canceled) {
		return catalogue.Wrap(catalogue.Interrupted, "", err)
	}
	return err
}

// Close lets go of what the command has opened, last first.
func (m *Main) Close() error {
	var errs []error
	for i := len(m.closers) - 1; i >= 0; i-- {
		errs = append(errs, m.closers[i]())
	}
	m.closers = nil
	return errors.Join(errs...)
}

// Exit says on Stderr what err is and what to do, and returns the exit code.
func (m *Main) Exit(err error) int {
	if err == nil {
		return catalogue.ExitDone
	}
	e := catalogue.Of(err)
	if e.Exit == catalogue.ExitInterrupted {
		return e.Exit // whoever pressed the key knows
	}
	var b strings.Builder
	fmt.Fprintf(&b, "steno: %s\n", terminal.Line(e.Error()))
	if !m.flags.quiet {
		fmt.Fprintf(&b, "  %s\n  %s\n", e.Means, e.Do)
	}
	_, _ = io.WriteString(m.Stderr, b.String())
	return e.Exit
}

// Execute is ParseFlags, Run, Close and Exit in one.
func (m *Main) Execute(ctx context.Context, args []string) int {
	err := m.ParseFlags(args)
	if err == nil {
		err = m.Run(ctx)
	}
	if cerr := m.Close(); err == nil {
		err = cerr
	}
	return m.Exit(err)
}

// onClose has f called by Close.
func (m *Main) onClose(f func() error) { m.closers = append(m.closers, f) }

// prepare is run before each command: it finds the places and settings.
func (m *Main) prepare(cmd *cobra.Command, _ []string) error {
	m.places = config.FindPlaces(m.flags.data, m.flags.config, m.Env, runtime.GOOS)
	if c := m.places.Config; c.Source == config.FromFlag && !exists(c.Text) {
		return catalogue.New(catalogue.BadConfig, "there is no file "+c.Text+" (--config)")
	}
	s, err := config.Load(givenFlags(cmd), m.Env, m.places.Config.Text)
	if err != nil {
		return catalogue.Of(err)
	}
	m.settings = s
	for _, key := range s.Unknown {
		m.warn("the config file sets %q, which this steno does not know", key)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// warn says something that does not end the command.
func (m *Main) warn(format string, args ...any) {
	if !m.flags.quiet {
		fmt.Fprintf(m.Stderr, "steno: %s\n", terminal.Line(fmt.Sprintf(format, args...)))
	}
}

func usage(err error) error {
	var e *catalogue.Error
	if errors.As(err, &e) {
		return e
	}
	return catalogue.Wrap(catalogue.Usage, strings.TrimSpace(err.Error()), err)
}

// unavailable is the answer of a command whose part this build lacks.
func unavailable(what string) error { return catalogue.New(catalogue.Unavailable, what) }
