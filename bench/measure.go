package main

import (
	"runtime"
	"slices"
	"time"
)

// variant is one way to do a piece of work.
type variant struct {
	name string
	// deltas is how many there are in one run.
	deltas int
	// setup returns the run, which is done once.
	setup func() func()
	// together is how many short runs are prepared and then done in a row, so
	// that what is measured is not how cold the machine is; 0 means 1.
	together int
}

// sample is what a delta cost.
type sample struct {
	ns, allocs, bytes float64
}

// results are the samples of each variant, one a round.
type results map[string][]sample

// leastWork is how long a sample computes at least, made of as many runs as it
// takes.
const leastWork = 3 * time.Millisecond

// interleave runs every variant once a round, so that what the machine does
// meanwhile meets all of them alike.
func interleave(n int, variants []variant) results {
	got := make(results)
	for _, v := range variants {
		v.sample() // warms up
	}
	for range n {
		for _, v := range variants {
			got[v.name] = append(got[v.name], v.sample())
		}
	}
	return got
}

func (v variant) sample() sample {
	var cpu time.Duration
	var allocs, bytes uint64
	var before, after runtime.MemStats
	runs := 0
	prepared := make([]func(), max(v.together, 1))
	for ; runs == 0 || cpu < leastWork; runs += len(prepared) {
		for i := range prepared {
			prepared[i] = v.setup()
		}
		runtime.GC() // nothing collects another's garbage
		runtime.ReadMemStats(&before)
		began := cpuTime()
		for _, run := range prepared {
			run()
		}
		cpu += cpuTime() - began
		runtime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		bytes += after.TotalAlloc - before.TotalAlloc
	}
	n := float64(runs * v.deltas)
	return sample{float64(cpu) / n, float64(allocs) / n, float64(bytes) / n}
}

// ns returns the median time of a delta.
func (r results) ns(name string) float64 {
	return r.median(name, func(s sample) float64 { return s.ns })
}

func (r results) allocs(name string) float64 {
	return r.median(name, func(s sample) float64 { return s.allocs })
}

func (r results) bytes(name string) float64 {
	return r.median(name, func(s sample) float64 { return s.bytes })
}

func (r results) median(name string, of func(sample) float64) float64 {
	var list []float64
	for _, s := range r[name] {
		list = append(list, of(s))
	}
	return median(list)
}

// ratio returns the median over the rounds of a's time by b's: both were
// measured within a moment of each other.
func (r results) ratio(a, b string) float64 {
	var list []float64
	for i := range r[a] {
		list = append(list, r[a][i].ns/r[b][i].ns)
	}
	return median(list)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
