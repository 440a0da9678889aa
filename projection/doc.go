// Package projection folds a log of events into ordered nodes.
//
// Each kind of content is one [Definition]: which events are mine, how I
// start, how I fold, how often a view should hear of it. A definition knows
// nothing of the others, and the [Engine] knows nothing of any. Nodes live in
// the slots of keyed collections (package slot), so a change costs what it
// changes, however much there is around it.
//
// # Semantics
//
//   - Every definition that names an event's type sees it; several may claim it.
//   - A node stands where its start put it and keeps that place.
//   - An update for a node that was never started is counted and ignored.
//   - A start for a node that is there opens it anew in place, with the next
//     generation.
//   - [Reader.Previous] looks only back.
//   - All claims of one event are staged and then committed; a definition that
//     panics is reported, its node left as it was, and the others commit.
//
// So folding the same log again gives the same nodes, however it is batched.
//
// # Concurrency
//
// An engine has no goroutine of its own and belongs to one writer. Listeners
// run on it and must not block. Nodes and snapshots are immutable: hold them
// as long as you like and read them anywhere. [Engine.Watch] is for readers on
// other goroutines.
//
// # Delivery
//
// A listener never sees an older state after a newer one. A listener that
// panics is reported and the others are served. An event pushed by a listener
// waits until all have been served. A watcher that is slow gets fewer, larger
// changes and always the last.
package projection
