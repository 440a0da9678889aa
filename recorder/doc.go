// Package recorder is the pump of a conversation: source events go in, and
// come out durable, folded and published.
//
// A [Recorder] has one goroutine, the only one of an open conversation. One
// pass of it is one of everything: it takes all that is pending, normalises it,
// appends it to the journal in one write that blocks until durable, folds it as
// one batch and publishes at most once. So nothing is ever seen that a crash
// could lose.
//
// # Concurrency
//
// All methods may be called from any goroutine. Followers run on the pump and
// must not block.
//
// # Delivery
//
// Record queues and returns; it blocks only while more than [MaxPending] bytes
// wait. Sync waits until all that was recorded before is durable, folded and
// published. When the journal refuses a write nothing of it is folded, what was
// durable before is published, and the recorder is closed for good, with the
// reason; open the branch again to go on from what is durable.
package recorder
