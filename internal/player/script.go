package player

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/formats"
)

// A Script is a recording that can be played. It does not change, and any
// number of goroutines may play it at once.
type Script struct {
	// Name is what it is called by, Title and About are for people.
	Name, Title, About string
	// Formats are the formats of its answers, each once, in order of appearance.
	Formats []string

	steps []step
}

// step is one line of a script: an event or an answer, after a pause.
type step struct {
	line   int
	pause  time.Duration
	event  *steno.Event
	answer *answer
}

// answer is what a provider said, as bytes and when they came.
type answer struct {
	format string
	data   []byte
	marks  []mark
}

// line is a line of a script that is not an event, and what an event has
// beside its own members.
type line struct {
	Title  string `json:"title"`
	About  string `json:"about"`
	Pause  int64  `json:"pause"`
	Type   string `json:"type"`
	Play   string `json:"play"`
	Format string `json:"format"`
}

// open finds an answer file by name; timing is empty where there is none.
type open func(name string) (data, timing []byte, err error)

// parseScript reads a script and the answers it names.
func parseScript(name string, script []byte, open open) (*Script, error) {
	s := &Script{Name: name, Title: name}
	number := 0
	for text := range bytes.Lines(script) {
		number++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if err := s.parseLine(text, number, open); err != nil {
			return nil, fmt.Errorf("script %s, line %d: %w", name, number, err)
		}
	}
	if len(s.steps) == 0 {
		return nil, fmt.Errorf("script %s: nothing to play: %w", name, steno.ErrIncomplete)
	}
	return s, nil
}

func (s *Script) parseLine(text []byte, number int, open open) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	pause, err := milliseconds(l.Pause)
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	next := step{line: number, pause: pause}
	switch {
	case l.Play != "" && l.Type != "":
		return errors.New("both an answer and an event")
	case l.Play != "":
		next.answer, err = openAnswer(l.Play, l.Format, open)
		if err == nil {
			s.addFormat(next.answer.format)
		}
	case l.Type != "":
		next.event = new(steno.Event)
		err = json.Unmarshal(text, next.event)
	case len(s.steps) == 0 && l.Title != "":
		s.Title, s.About = l.Title, l.About
		return nil
	default:
		return errors.New("neither an answer nor an event")
	}
	s.steps = append(s.steps, next)
	return err
}

func (s *Script) addFormat(format string) {
	if !slices.Contains(s.Formats, format) {
		s.Formats = append(s.Formats, format)
	}
}

func openAnswer(name, format string, open open) (*answer, error) {
	data, timing, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("play: %w", err)
	}
	a, err := newAnswer(format, data, timing)
	if err != nil {
		return nil, fmt.Errorf("play %s: %w", name, err)
	}
	return a, nil
}

// newAnswer checks that there is a decoder for the format, which is guessed if
// it is "" or "auto", and reads the timing.
func newAnswer(format string, data, timing []byte) (*answer, error) {
	if format == "" || format == formats.Guessed {
		guess, ok := formats.Guess(data[:min(len(data), formats.MaxGuess)])
		if !ok {
			return nil, fmt.Errorf("the format cannot be told from its content: %w", steno.ErrUnsupported)
		}
		format = guess
	}
	format = formats.Name(format)
	if _, err := formats.New(format, nil); err != nil {
		return nil, err
	}
	a := &answer{format: format, data: data}
	if len(timing) == 0 {
		a.marks = evenly(data)
		return a, nil
	}
	var err error
	a.marks, err = parseTiming(timing, len(data))
	return a, err
}
