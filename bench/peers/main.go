// Command peers does the workloads of the benchmark with other libraries of Go,
// each once, and prints for each a line of JSON: its name and the CPU time of a
// delta in nanoseconds. The benchmark runs it once a round.
package main

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"time"
)

// peer is one library on one workload.
type peer struct {
	name   string
	deltas int
	// setup returns the run, which is done once.
	setup func() func()
}

// leastWork is how long a peer computes at least.
const leastWork = 20 * time.Millisecond

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, list := range [][]peer{anthropicPeers(), openaiPeers(), fantasyPeers()} {
		for _, p := range list {
			p.measure() // warms up
			must(out.Encode(struct {
				Name string  `json:"name"`
				NS   float64 `json:"ns"`
			}{p.name, p.measure()}))
		}
	}
}

func (p peer) measure() float64 {
	var spent time.Duration
	runs := 0
	for ; runs == 0 || spent < leastWork; runs++ {
		run := p.setup()
		runtime.GC()
		began := cpuTime()
		run()
		spent += cpuTime() - began
	}
	return float64(spent) / float64(runs*p.deltas)
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
