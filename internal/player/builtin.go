package player

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/stenolog/steno"
)

//go:embed recordings/*
var recordings embed.FS

// scriptSuffix is how the name of a script file ends, timingSuffix what the
// timing file of an answer has after the answer's name.
const (
	scriptSuffix = ".script.jsonl"
	timingSuffix = ".timing"
)

// order is the order the built-in recordings are listed and played in.
var order = []string{"flaky-test", "overloaded", "rate-limit-guide", "failing-review", "cut-off"}

// builtin parses what is embedded, once. That it can be parsed is held by a
// test, so a failure here is a broken build.
var builtin = sync.OnceValue(func() []*Script {
	scripts := make([]*Script, len(order))
	for i, name := range order {
		data, err := recordings.ReadFile("recordings/" + name + scriptSuffix)
		if err == nil {
			scripts[i], err = parseScript(name, data, openEmbedded)
		}
		if err != nil {
			panic(fmt.Sprintf("player: built-in recording: %v", err))
		}
	}
	return scripts
})

// List returns the built-in recordings in the order they are best seen.
func List() []*Script { return append([]*Script(nil), builtin()...) }

// Load returns the built-in recording with a name. The error wraps
// [steno.ErrNotFound] and says which there are.
func Load(name string) (*Script, error) {
	for _, s := range builtin() {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("recording %q: %w: there are %s", name, steno.ErrNotFound, strings.Join(order, ", "))
}

func openEmbedded(name string) (data, timing []byte, err error) {
	file := path.Join("recordings", path.Base(name))
	if data, err = recordings.ReadFile(file); err != nil {
		return nil, nil, err
	}
	timing, err = recordings.ReadFile(file + timingSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return data, timing, err
}
