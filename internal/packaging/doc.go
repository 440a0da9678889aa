// Package packaging proves that the module can be had as any module is: packed
// as a zip, served by a proxy, installed with the go command alone. It holds
// tests and nothing else.
package packaging
