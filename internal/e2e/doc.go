// Package e2e holds the tests that need the whole program: a server on a real
// connection, processes that are killed, several at one store. It has no code
// of its own.
package e2e
