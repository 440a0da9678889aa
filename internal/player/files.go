package player

import (
	"fmt"
	"strings"

	"github.com/stenolog/steno"
)

// File is a file of a user's: an answer, or a script.
type File struct {
	Name string
	// Format is the format of an answer; it is guessed if it is "" or "auto".
	Format string
	Data   []byte
	// Timing is the content of the timing file beside it, empty if there is none.
	Timing []byte
}

// FromFiles makes scripts of a user's files. A file whose name ends in
// ".script.jsonl" is a script and plays those of the other files that it
// names; every other file is a provider's answer and a script by itself.
//
// Nothing but the given files is read. The data is kept by the scripts and must
// not be changed. Errors name the file and the line: a file that a script names
// and that is not there wraps [steno.ErrNotFound], a format there is no decoder
// for [steno.ErrUnsupported].
func FromFiles(files []File) ([]*Script, error) {
	named := make(map[string]bool)
	open := func(name string) (data, timing []byte, err error) {
		for i := range files {
			if files[i].Name == name {
				named[name] = true
				return files[i].Data, files[i].Timing, nil
			}
		}
		return nil, nil, fmt.Errorf("file %q: %w among the given files", name, steno.ErrNotFound)
	}
	parsed := make([]*Script, len(files))
	for i, f := range files {
		if base, ok := strings.CutSuffix(f.Name, scriptSuffix); ok {
			s, err := parseScript(base, f.Data, open)
			if err != nil {
				return nil, err
			}
			parsed[i] = s
		}
	}
	var scripts []*Script
	for i, f := range files {
		switch {
		case parsed[i] != nil:
			scripts = append(scripts, parsed[i])
		case !named[f.Name]:
			a, err := newAnswer(f.Format, f.Data, f.Timing)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			scripts = append(scripts, alone(f.Name, a))
		}
	}
	return scripts, nil
}

// alone is the script of an answer without one: a turn of its own.
func alone(name string, a *answer) *Script {
	return &Script{
		Name: name, Title: name, Formats: []string{a.format},
		steps: []step{
			{event: &steno.Event{Type: steno.TurnStart}},
			{answer: a},
			{event: &steno.Event{Type: steno.TurnEnd}},
		},
	}
}
