package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// line is one line of the table: what we did, what was measured beside it, and
// what is asked of the two.
type line struct {
	work       string
	ours, base string
	ratio      string
	target     string
	// verdict is "met", "NOT MET", or empty where nothing is asked.
	verdict string
}

// atMost and atLeast judge a number.
func atMost(got, limit float64) string  { return verdict(got <= limit) }
func atLeast(got, limit float64) string { return verdict(got >= limit) }

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "NOT MET"
}

// compare is the line of a ratio between two variants that must not exceed a
// limit, in units of the second.
func (r results) compare(work, ours, base, unit string, limit float64) line {
	ratio := r.ratio(ours, base)
	return line{
		work, duration(r.ns(ours)), duration(r.ns(base)),
		fmt.Sprintf("%.2f %s", ratio, unit), fmt.Sprintf("≤ %g %s", limit, unit), atMost(ratio, limit),
	}
}

// count is the line of something that was counted.
func count(work string, got float64, unit string, limit float64) line {
	return line{work: work, ours: fmt.Sprintf("%.4g %s", got, unit), target: fmt.Sprintf("≤ %g", limit), verdict: atMost(got, limit)}
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.2f µs", ns/1e3)
	}
	return fmt.Sprintf("%.2f ms", ns/1e6)
}

func write(w io.Writer, title string, lines []line) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\n%s\n", title)
	fmt.Fprintf(t, "work\tours\tfloor or peer\tratio\ttarget\t\n")
	for _, l := range lines {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", l.work, l.ours, l.base, l.ratio, l.target, l.verdict)
	}
	return t.Flush()
}
