package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// peer is another library, how it is called in its own program's output, and
// how many times cheaper we are meant to be on the same work.
type peer struct {
	name    string
	ours    string // the variant of ours that does the same
	atLeast float64
}

var peers = []peer{
	{"openai-go W2", "W2", 5},
	{"anthropic-sdk-go W2", "W2", 20},
	{"anthropic-sdk-go decode and accumulate W3", "W6", 10},
	{"fantasy W1", "W1", 0},
	{"a Map and strings (floor of JavaScript)", "W2", 0},
	{"assistant-stream", "W2", 90},
	{"AI SDK, bare", "W2", 90},
	{"AI SDK, readUIMessageStream", "W2", 1000},
	{"Solid, reconcile", "W2", 1000},
	{"AG-UI", "W2", 1000},
}

// besidePeers measures ours and, in the same round, each peer's program. One
// that cannot be installed is left out with a word about it.
func besidePeers(n int, dir string, say io.Writer) []line {
	programs := install(dir, say)
	if len(programs) == 0 {
		return nil
	}
	ours := []variant{
		pathVariant("W1", finished(0), growing(0, intoWide), intoWide, (*path).read),
		pathVariant("W2", finished(1000), growing(1000, intoWide), intoWide, (*path).read),
		wireVariant("W6", answers()),
	}
	r := make(results)
	for range n {
		for _, v := range ours {
			r[v.name] = append(r[v.name], v.sample())
		}
		for _, p := range programs {
			if err := r.take(p()); err != nil {
				fmt.Fprintln(say, "a peer's program failed:", err)
			}
		}
	}
	var lines []line
	for _, p := range peers {
		if len(r[p.name]) < n {
			continue
		}
		ratio := r.ratio(p.name, p.ours)
		l := line{work: p.name, ours: duration(r.ns(p.ours)), base: duration(r.ns(p.name)), ratio: fmt.Sprintf("%.0f×", ratio)}
		if p.atLeast > 0 {
			l.target, l.verdict = fmt.Sprintf("≥ %g×", p.atLeast), atLeast(ratio, p.atLeast)
		}
		lines = append(lines, l)
	}
	return lines
}

// take adds what a program printed: a line of JSON a peer.
func (r results) take(cmd *exec.Cmd) error {
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, errs.String())
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var got struct {
			Name string  `json:"name"`
			NS   float64 `json:"ns"`
		}
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			return fmt.Errorf("what it printed: %w", err)
		}
		r[got.Name] = append(r[got.Name], sample{ns: got.NS})
	}
	return nil
}

// install builds the peers of Go and installs those of Node, and returns what
// runs them.
func install(dir string, say io.Writer) (programs []func() *exec.Cmd) {
	binary := filepath.Join(os.TempDir(), "steno-bench-peers")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(say, "\nThe peers in Go are left out, as they cannot be built: %v\n%s", err, out)
	} else {
		programs = append(programs, func() *exec.Cmd { return exec.Command(binary) })
	}
	node := filepath.Join(dir, "node")
	if _, err := os.Stat(filepath.Join(node, "node_modules")); err != nil {
		npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		npm.Dir = node
		if out, err := npm.CombinedOutput(); err != nil {
			fmt.Fprintf(say, "\nThe peers in JavaScript are left out, as they cannot be installed: %v\n%s", err, out)
			return programs
		}
	}
	return append(programs, func() *exec.Cmd {
		cmd := exec.Command("node", "drive.mjs")
		cmd.Dir = node
		return cmd
	})
}
