// Package slot holds ordered sets of values in stable places.
//
// A slot is a value's place for its life: a reader finds it once by key and
// hears of later values there, however many siblings come, go or move. What
// changed is known by slot, by op and, with a [Layout], by field, so the work a
// change causes follows the size of the change.
//
// The untyped store is [Set], many of which settle together on a [Board]; it
// holds cells of any type, which is what a projection needs. [Collection] is
// the typed store for everyone else.
//
// # Concurrency
//
// A board, its sets and their slots belong to one goroutine. Frozen values and
// [Vector] are immutable and may be read anywhere.
package slot
