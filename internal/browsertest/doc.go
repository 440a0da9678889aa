// Package browsertest drives the page in a real browser against a real server:
// what only a browser can tell. It holds tests and nothing else.
//
// The browser is the one `.ci/browser` finds, or STENO_CHROMIUM. Where there is
// none the tests are skipped, and say how to install one; in CI and as root,
// where it can be installed unasked, a missing one is a failure.
package browsertest
