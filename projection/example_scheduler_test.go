package projection_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/projection"
)

// screen draws when it is told to. A real one fires from a timer or from an
// animation frame, on the engine's goroutine.
type screen struct{ fire func() }

// Schedule implements [projection.Scheduler].
func (s *screen) Schedule(fire func()) (cancel func()) {
	s.fire = fire
	return func() { s.fire = nil }
}

func (s *screen) draw() {
	if s.fire != nil {
		s.fire()
	}
}

// With a scheduler, deltas are told as often as a view can draw. A fact that
// is told at once takes along what waits.
func ExampleScheduler() {
	screen := new(screen)
	engine, err := projection.New(projection.Options[happening]{
		Kinds:     []projection.Kind[happening]{projection.Of(jobs)},
		Scheduler: screen,
	})
	if err != nil {
		log.Fatal(err)
	}
	engine.Subscribe(func(p *projection.Publication) {
		for c := range p.Changes() {
			fmt.Printf("%s %q\n", c.Key(), projection.MustState[job](c.Live()).Output)
		}
	})
	push := func(what, text string) {
		if err := engine.Push(&happening{what, "build", text}); err != nil {
			log.Fatal(err)
		}
	}
	push("started", "")
	for _, word := range []string{"one ", "two ", "three "} {
		push("printed", word)
	}
	fmt.Println("draw")
	screen.draw()
	push("printed", "four")
	push("ended", "")
	fmt.Println("draw")
	screen.draw() // there is nothing left to tell
	// Output:
	// job:build ""
	// draw
	// job:build "one two three "
	// job:build "one two three four"
	// draw
}
