package main

import (
	"strconv"

	"github.com/stenolog/steno"
)

// script is a workload as an adapter tells it: source events in a row.
type script []steno.Event

// one appends n deltas of a new block, without its end.
func (s script) one(start steno.Type, block string, n int) script {
	s = append(s, steno.Event{Type: start, Block: block})
	for i := range n {
		s = append(s, steno.Event{Type: start + 1, Block: block, Text: deltas[i&255]})
	}
	return s
}

func (s script) end(start steno.Type, block string) script {
	return append(s, steno.Event{Type: start + 2, Block: block})
}

func (s script) step() script { return append(s, steno.Event{Type: steno.StepStart}) }

func (s script) stepEnd() script {
	return append(s, steno.Event{Type: steno.StepEnd, Body: &steno.Step{Finish: steno.FinishComplete}})
}

func (s script) turnEnd() script { return append(s, steno.Event{Type: steno.TurnEnd}) }

// finished is a message with m finished parts in rotation: text, thinking,
// call. What W2 and W5 begin with.
func finished(m int) script {
	s := script{}.step()
	for i := range m {
		block := strconv.Itoa(i)
		switch i % 3 {
		case 0, 1:
			start := []steno.Type{steno.TextStart, steno.ReasoningStart}[i%3]
			s = append(s, steno.Event{Type: start, Block: block}, steno.Event{Type: start + 1, Block: block, Text: prose})
			s = s.end(start, block)
		case 2:
			call := "call_" + block
			s = append(s,
				steno.Event{Type: steno.ToolStart, Block: block, Call: call, Name: "read_file"},
				steno.Event{Type: steno.ToolDelta, Block: block, Text: arguments},
				steno.Event{Type: steno.ToolCall, Block: block, Call: call},
				steno.Event{Type: steno.ToolResult, Call: call, Text: output})
		}
	}
	return s
}

// growing is one more text part of n deltas in that message.
func growing(m, n int) script {
	block := strconv.Itoa(m)
	return script{}.one(steno.TextStart, block, n).end(steno.TextStart, block)
}

// The rounds of W3, and how many deltas and parts they are.
const (
	rounds      = 20
	mixedDeltas = rounds * (300 + 100 + 3*50 + 500)
	mixedParts  = rounds * 6
)

// mixed is W3: one message of thinking, text, three calls at once, text.
func mixed() script {
	var s script
	for r := range rounds {
		s = s.step().one(steno.ReasoningStart, "0", 300).end(steno.ReasoningStart, "0")
		s = s.one(steno.TextStart, "1", 100).end(steno.TextStart, "1")
		s = s.calls(r).stepEnd()
		for t := range 3 {
			s = append(s, steno.Event{Type: steno.ToolResult, Call: callID(r, t), Text: output})
		}
		s = s.step().one(steno.TextStart, "0", 500).end(steno.TextStart, "0").stepEnd()
	}
	return s.turnEnd()
}

// calls are three calls whose arguments come in turns.
func (s script) calls(r int) script {
	for t := range 3 {
		s = append(s, steno.Event{Type: steno.ToolStart, Block: strconv.Itoa(2 + t), Call: callID(r, t), Name: "read_file"})
	}
	for i := range len(arguments) / 4 {
		for t := range 3 {
			s = append(s, steno.Event{Type: steno.ToolDelta, Block: strconv.Itoa(2 + t), Text: arguments[i*4 : i*4+4]})
		}
	}
	for t := range 3 {
		s = append(s, steno.Event{Type: steno.ToolCall, Block: strconv.Itoa(2 + t), Call: callID(r, t)})
	}
	return s
}

func callID(round, call int) string { return "call_" + strconv.Itoa(round) + "_" + strconv.Itoa(call) }

// coldDeltas is how many deltas a message of W4 has.
const coldDeltas = 200 + 800

// cold is one of the messages of W4.
func cold() script {
	s := script{}.step().one(steno.ReasoningStart, "0", 200).end(steno.ReasoningStart, "0")
	return s.one(steno.TextStart, "1", 800).end(steno.TextStart, "1").stepEnd().turnEnd()
}
