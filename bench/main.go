// Command bench measures the workloads of the performance targets and prints,
// for each, what it cost, what its floor or a peer costs on the same work in
// the same run, and whether the target between them is met. See README.md.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// work is a group of workloads that are measured together.
type work struct {
	name, title string
	run         func(rounds int) ([]line, error)
}

var works = []work{
	{"W1", "W1: one text part of N deltas of 4 bytes", sure(one)},
	{"W2", "W2: a delta into a message that has M parts", sure(wide)},
	{"W3", "W3: a mixed turn", sure(turn)},
	{"W4", "W4: a million deltas, cold", replay},
	{"W5", "W5: a reader after each event", sure(whole)},
	{"W6", "W6: a provider's bytes", sure(bytesToSlot)},
	{"W7", "W7: many viewers", sure(fanOut)},
	{"W8", "W8: the store", durable},
}

func sure(f func(int) []line) func(int) ([]line, error) {
	return func(n int) ([]line, error) { return f(n), nil }
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	n := flags.Int("rounds", 9, "how often each variant is measured; the median counts")
	only := flags.String("only", "", "workloads to measure, such as W1,W6; all if empty")
	dir := flags.String("peers", "bench/peers", "where the peers are; none if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %s/%s, GOMAXPROCS %d, %d rounds. Times are CPU time of the process a delta.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), *n)
	for _, w := range works {
		if *only != "" && !strings.Contains(","+*only+",", ","+w.name+",") {
			continue
		}
		lines, err := w.run(*n)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if err := write(out, w.title, lines); err != nil {
			return err
		}
	}
	if *dir == "" || *only != "" {
		return nil
	}
	lines := besidePeers((*n+1)/2, *dir, out)
	if len(lines) == 0 {
		return nil
	}
	return write(out, "Peers on the same work (W2: 1000 parts)", lines)
}
