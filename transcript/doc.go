// Package transcript is the program a conversation runs: it turns what adapters
// hear into journal events and journal events into messages.
//
// It has two halves. The [Normaliser] stands on the way in: source events,
// loose as they were heard, become balanced and addressed events. It is the
// only place that decides to which part an event belongs. The fold stands
// behind the journal: it reads addresses and never searches.
//
// Both are pure: no clock, no goroutine, no I/O, and the same input always
// gives the same output. The rules stand in docs/semantics.md, whose numbers
// (A5, A7 …) the comments and tests name.
package transcript
