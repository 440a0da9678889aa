// Command kind adds a kind of content: a list of things to do. This file is all
// of it. It records a few and prints what a view is sent.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/recorder"
	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/text"
	"github.com/stenolog/steno/view"
)

// The events of the kind. steno does not know them: it keeps them in their
// order and passes them on.
const (
	added  = "todo-added"  // Name is the item's id, Text what is to be done
	worked = "todo-worked" // Text is a piece of the notes on it
	done   = "todo-done"
)

// todo is an item as views see it. The tags say how each field may change, so
// that a view is sent no more than what did.
type todo struct {
	What  string    `json:"what" slot:"immutable"`
	Notes text.Text `json:"notes" slot:"append"`
	Done  bool      `json:"done"`
}

// todos is the kind. Its nodes stand in a collection of their own.
func todos() (projection.Kind[steno.Event], error) {
	layout, err := slot.CompileKeyless[todo]()
	if err != nil {
		return nil, err
	}
	return projection.Of(projection.Definition[steno.Event, todo]{
		Kind:  "todo",
		On:    []uint8{uint8(steno.Unknown)},
		Match: match,
		Start: func(e *steno.Event, _ projection.Reader) todo { return todo{What: strings.Clone(e.Text)} },
		Update: func(t todo, e *steno.Event) todo {
			if name(e) == done {
				t.Done = true
			}
			t.Notes = t.Notes.Append(e.Text) // events are borrowed: a Text copies
			return t
		},
		// Notes may wait until a view can draw; the rest is told at once.
		Cadence: func(e *steno.Event) projection.Cadence {
			if name(e) == worked {
				return projection.Frame
			}
			return projection.Immediate
		},
		Layout: layout,
	}), nil
}

func match(e *steno.Event) (projection.Claim, bool) {
	claim := projection.Claim{Collection: projection.Collection{Name: "todos"}, ID: e.Name, Role: projection.Update}
	switch name(e) {
	case added:
		claim.Role = projection.Start
	case worked, done:
	default:
		return claim, false
	}
	return claim, true
}

func name(e *steno.Event) string {
	if u, ok := e.Body.(*steno.Unrecognised); ok {
		return u.Name
	}
	return ""
}

// event makes an event of the kind.
func event(name, id, what string) *steno.Event {
	return &steno.Event{Type: steno.Unknown, Name: id, Text: what, Body: &steno.Unrecognised{Name: name}}
}

// open opens a recorder that knows the kind, and the view of it.
func open(ctx context.Context, dir string) (*recorder.Recorder, *view.Live, func() error, error) {
	kind, err := todos()
	if err != nil {
		return nil, nil, nil, err
	}
	store, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	rec, err := recorder.Open(ctx, "plan", recorder.Options{Journal: store, Kinds: []projection.Kind[steno.Event]{kind}})
	if err != nil {
		return nil, nil, nil, errors.Join(err, store.Close())
	}
	live, stop, err := view.Follow(ctx, rec)
	if err != nil {
		return nil, nil, nil, errors.Join(err, rec.Close(ctx), store.Close())
	}
	return rec, live, func() error {
		stop()
		return errors.Join(rec.Close(ctx), store.Close())
	}, nil
}

func run(ctx context.Context, dir string) error {
	rec, live, shut, err := open(ctx, dir)
	if err != nil {
		return err
	}
	err = rec.Record(ctx,
		event(added, "1", "Write the test"),
		event(added, "2", "Make it pass"),
		event(worked, "1", "It fails, "),
		event(worked, "1", "as it should."),
		event(done, "1", ""),
	)
	if err == nil {
		err = rec.Sync(ctx)
	}
	_, snapshot := live.Snapshot(view.DefaultWindow)
	fmt.Println(string(snapshot))
	return errors.Join(err, shut())
}

func main() {
	dir, err := os.MkdirTemp("", "steno-kind")
	if err == nil {
		err = run(context.Background(), dir)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
}
