//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime is the wall clock where there is no other.
func cpuTime() time.Duration { return time.Since(start) }
