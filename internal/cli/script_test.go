package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stenolog/steno/internal/client"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"steno": func() { process(openStore) },
		// The same program over a store that can be given any content.
		"fake": func() { process(openFake) },
	})
}

// process is what the program's main does.
func process(open Opener) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m := New()
	m.Open = open
	os.Exit(m.Execute(ctx, os.Args[1:]))
}

// commands are what the scripts have beside those of testscript.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	// status N COMMAND runs a command that must exit with N.
	"status": func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 2 {
			ts.Fatalf("usage: status N command [args...]")
		}
		want, err := strconv.Atoi(args[0])
		ts.Check(err)
		got := 0
		if err := ts.Exec(args[1], args[2:]...); err != nil {
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				ts.Fatalf("%v", err)
			}
			got = exit.ExitCode()
		}
		if got != want {
			ts.Fatalf("exit %d, want %d", got, want)
		}
	},
	// capture VAR REGEXP sets a variable to what the group of the expression
	// matches in the last output.
	"capture": func(ts *testscript.TestScript, _ bool, args []string) {
		m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
		if m == nil {
			ts.Fatalf("nothing matches %s", args[1])
		}
		ts.Setenv(args[0], m[1])
	},
	// serving waits until the server of $STENO_DATA answers.
	"serving": func(ts *testscript.TestScript, _ bool, _ []string) {
		for range 600 {
			c, err := client.Find(context.Background(), ts.Getenv("STENO_DATA"), "")
			if err == nil && c != nil {
				c.Close()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		ts.Fatalf("no server")
	},
	// mode PATH PERM checks the permission bits.
	"mode": func(ts *testscript.TestScript, _ bool, args []string) {
		st, err := os.Stat(ts.MkAbs(args[0]))
		ts.Check(err)
		if got := fmt.Sprintf("%04o", st.Mode().Perm()); got != args[1] {
			ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
		}
	},
}

func setup(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("STENO_DATA", filepath.Join(env.WorkDir, "data"))
	env.Setenv("STENO_CONFIG", filepath.Join(env.WorkDir, "config.json"))
	env.Setenv("STENO_LISTEN", "127.0.0.1:0")
	return nil
}

func params(dir string) testscript.Params {
	return testscript.Params{
		Dir: filepath.Join("testdata", dir), Cmds: commands, Setup: setup,
		RequireExplicitExec: true, RequireUniqueNames: true,
	}
}

func TestScripts(t *testing.T) { testscript.Run(t, params("script")) }

// Every command that uses a store is run without a server and with one. The
// scripts are the same, so output and exit code are too.
func TestBothWays(t *testing.T) {
	t.Run("local", func(t *testing.T) { testscript.Run(t, params("both")) })
	t.Run("server", func(t *testing.T) {
		p := params("both")
		p.Setup = func(env *testscript.Env) error {
			if err := setup(env); err != nil {
				return err
			}
			return startServer(env)
		}
		testscript.Run(t, p)
	})
}

// startServer runs a server in this process until the script has ended.
func startServer(env *testscript.Env) error {
	ctx, cancel := context.WithCancel(context.Background())
	vars := env.Vars
	m := &Main{
		Stdin: os.Stdin, Stdout: io.Discard, Stderr: io.Discard, Open: openStore, Now: time.Now,
		Env: func(name string) (string, bool) {
			for i := len(vars) - 1; i >= 0; i-- {
				if k, v, _ := strings.Cut(vars[i], "="); k == name {
					return v, true
				}
			}
			return "", false
		},
	}
	done := make(chan int, 1)
	go func() { done <- m.Execute(ctx, []string{"serve"}) }()
	env.Defer(func() {
		cancel()
		if code := <-done; code != 0 {
			panic(fmt.Sprintf("serve ended with %d", code))
		}
	})
	for range 600 {
		c, err := client.Find(ctx, filepath.Join(env.WorkDir, "data"), "")
		if err == nil && c != nil {
			return c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the server did not come up")
}
