// Package catalogue is the one list of errors the program shows: for each what
// happened, what it means and what to do. HTTP status, exit code and text come
// from it and from nowhere else, so a command says the same whether it asked a
// running server or opened the store itself.
package catalogue

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/stenolog/steno"
)

// The exit codes of the program.
const (
	ExitDone        = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitRunning     = 3
	ExitNotFound    = 4
	ExitInterrupted = 130
)

// Code names an entry. It stands in JSON answers and never changes its meaning.
type Code string

// Entry is one line of the catalogue.
type Entry struct {
	Code   Code
	Status int    // HTTP
	Exit   int    // of a command
	What   string // what happened
	Means  string // what it means
	Do     string // what to do
}

// Error is an entry with the particulars of one case. Detail is shown to the
// user and must hold no secret and no content; Err is only for logs and for
// [errors.Is].
type Error struct {
	Entry
	Detail string
	Err    error
}

// Error returns what happened and the detail, in one line.
func (e *Error) Error() string {
	if e.Detail == "" {
		return e.What
	}
	return e.What + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the sentinel this entry stands for. So an error
// that crossed HTTP matches the same sentinels as one that did not.
func (e *Error) Is(target error) bool {
	for _, s := range sentinels {
		if s.code == e.Code && s.err == target {
			return true
		}
	}
	return false
}

// New returns an error of the catalogue. An unknown code is Internal.
func New(code Code, detail string) *Error { return Wrap(code, detail, nil) }

// Wrap is New with a cause.
func Wrap(code Code, detail string, err error) *Error {
	e, ok := byCode[code]
	if !ok {
		e = byCode[Internal]
	}
	return &Error{Entry: e, Detail: detail, Err: err}
}

// sentinels maps errors the packages below return to entries, first match wins.
var sentinels = []struct {
	err  error
	code Code
}{
	{steno.ErrConflict, Conflict},
	{steno.ErrGap, Gap},
	{steno.ErrNotFound, NotFound},
	{steno.ErrClosed, Closed},
	{steno.ErrTooLarge, TooLarge},
	{steno.ErrUnsupported, Unsupported},
	{steno.ErrIncomplete, Incomplete},
	{steno.ErrCorrupt, Corrupt},
	{context.Canceled, Interrupted},
	{fs.ErrPermission, ReadOnly},
}

// Of returns err as an error of the catalogue; nil stays nil. What is in no
// list is Internal: its text is kept as the cause and as the detail.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	for _, s := range platform {
		if errors.Is(err, s.err) {
			return Wrap(s.code, once(err.Error()), err)
		}
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return Wrap(s.code, detailOf(err, s.err), err)
		}
	}
	return Wrap(Internal, err.Error(), err)
}

// detailOf is the text of err without the sentinel's own words at its end,
// which the entry already says better.
func detailOf(err, sentinel error) string {
	d := strings.TrimSuffix(once(err.Error()), sentinel.Error())
	return strings.TrimSuffix(d, ": ")
}

// once is a text of several errors in one line, each said once: what fails for
// want of space fails at each step that is still to be done.
func once(text string) string {
	var said []string
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, "; ")
}

// Entries returns the whole catalogue in order, for documentation.
func Entries() []Entry { return append([]Entry(nil), entries...) }

var byCode = func() map[Code]Entry {
	m := make(map[Code]Entry, len(entries))
	for _, e := range entries {
		m[e.Code] = e
	}
	return m
}()
