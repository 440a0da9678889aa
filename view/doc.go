// Package view shows a conversation live to any number of viewers.
//
// A [Live] is fed once per publication by whoever folds the conversation and
// turns what changed into one frame of bytes, which every viewer is sent. A
// viewer is a cursor: one that keeps up reads frames from a shared ring; one
// that lags, or comes back with the id of the last frame it saw, is answered
// by [Live.Since] with the difference between then and now. The protocol is in
// docs/protocol.md; [Replica] applies it.
//
// # Concurrency
//
// Publish is called by one goroutine, the writer's. Everything else may be
// called from any: the state viewers read is immutable and reached through one
// atomic pointer, so no viewer ever holds up the writer.
//
// # Delivery
//
// Frames are applied whole, in order, each exactly once. A slow viewer gets
// fewer, larger changes and always the last state; the memory it costs does
// not grow with its lag.
package view
