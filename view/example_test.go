package view_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/view"
)

// source is a conversation in memory, as a view follows it. In a program it is
// a recorder.
type source struct {
	*transcript.Live
	normaliser transcript.Normaliser
	seq        int64
}

func (*source) Branch() string { return "branch" }

// Follow implements [view.Source].
func (s *source) Follow(_ context.Context, f func(transcript.Update)) (cancel func(), err error) {
	f(s.Current())
	return s.Live.Follow(f), nil
}

func (s *source) record(e steno.Event) {
	s.normaliser.Normalise(&e, func(e *steno.Event) {
		s.seq++
		e.Seq = s.seq
		if err := s.Push(e); err != nil {
			log.Fatal(err)
		}
	})
}

// A viewer reads a snapshot and is then told what changed. One that was away
// asks for everything since the position it had.
func ExampleLive() {
	src := &source{Live: transcript.NewLive(projection.Options[steno.Event]{})}
	live, stop, err := view.Follow(context.Background(), src)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	src.record(steno.Event{Type: steno.TurnStart})
	src.record(steno.Event{Type: steno.TextDelta, Text: "The answer"})
	var viewer view.Replica
	id, snapshot := live.Snapshot(view.DefaultWindow)
	if err := viewer.Apply(snapshot); err != nil {
		log.Fatal(err)
	}
	fmt.Println(viewer.Node("parts/1.1", "text:0").Text("text"))

	src.record(steno.Event{Type: steno.TextDelta, Text: " is "})
	src.record(steno.Event{Type: steno.TextDelta, Text: "42."})
	_, seq, err := view.ParseID(id)
	if err != nil {
		log.Fatal(err)
	}
	_, change, err := live.Since(seq)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(change))
	if err := viewer.Apply(change); err != nil {
		log.Fatal(err)
	}
	fmt.Println(viewer.Node("parts/1.1", "text:0").Text("text"))
	// Output:
	// The answer
	// {"ops":[{"op":"append","collection":"parts/1.1","key":"text:0","field":"text","at":10,"len":7,"text":" is 42."}]}
	// The answer is 42.
}
