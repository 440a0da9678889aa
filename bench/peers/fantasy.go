package main

import (
	"context"
	"errors"
	"iter"

	"charm.land/fantasy"
)

// fantasyPeers stream one answer of a model that is none through an agent (W1).
func fantasyPeers() []peer {
	const n = 10_000
	parts := []fantasy.StreamPart{{Type: fantasy.StreamPartTypeTextStart, ID: "0"}}
	for i := range n {
		parts = append(parts, fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "0", Delta: deltas[i&255]})
	}
	parts = append(parts,
		fantasy.StreamPart{Type: fantasy.StreamPartTypeTextEnd, ID: "0"},
		fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: fantasy.FinishReasonStop})
	return []peer{{"fantasy W1", n, func() func() {
		agent := fantasy.NewAgent(&script{parts})
		return func() {
			got := 0
			_, err := agent.Stream(context.Background(), fantasy.AgentStreamCall{
				Prompt:      "hi",
				OnTextDelta: func(_, text string) error { got += len(text); return nil },
			})
			must(err)
			if got != 4*n {
				panic("not every delta came")
			}
		}
	}}}
}

// script is a model that says what it was given.
type script struct{ parts []fantasy.StreamPart }

var errNotAsked = errors.New("not part of the benchmark")

func (s *script) Stream(context.Context, fantasy.Call) (fantasy.StreamResponse, error) {
	return iter.Seq[fantasy.StreamPart](func(yield func(fantasy.StreamPart) bool) {
		for i := range s.parts {
			if !yield(s.parts[i]) {
				return
			}
		}
	}), nil
}

func (s *script) Generate(context.Context, fantasy.Call) (*fantasy.Response, error) {
	return nil, errNotAsked
}

func (s *script) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errNotAsked
}

func (s *script) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errNotAsked
}

func (s *script) Provider() string { return "none" }
func (s *script) Model() string    { return "none" }
