package main

import (
	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
)

// path is the engine's whole path, as every user of the library has it: source
// event, normaliser, engine with all kinds of a conversation, slot, callback.
type path struct {
	norm   transcript.Normaliser
	engine *projection.Engine[steno.Event]
	seq    int64
	take   func(*steno.Event)
}

func newPath() *path {
	p := &path{engine: transcript.NewEngine(projection.Options[steno.Event]{})}
	p.take = p.fold
	return p
}

// fold is what a recorder does with a normalised event, less the journal.
func (p *path) fold(e *steno.Event) {
	p.seq++
	e.Seq = p.seq
	if err := p.engine.Push(e); err != nil {
		panic(err)
	}
}

func (p *path) run(s script) {
	for i := range s {
		p.norm.Normalise(&s[i], p.take)
	}
}

// read subscribes a reader that takes every slot that changed.
func (p *path) read() {
	p.engine.Subscribe(func(pub *projection.Publication) {
		for i := range pub.Len() {
			look(pub.At(i).Live())
		}
	})
}

// readAll subscribes a reader that takes an immutable snapshot of all nodes at
// each publication, and looks at the last.
func (p *path) readAll(c projection.Collection) {
	p.engine.Subscribe(func(*projection.Publication) {
		s := p.engine.Snapshot()
		if n := s.Len(c); n > 0 {
			look(s.At(c, n-1))
		}
	})
}

// seen keeps the compiler from leaving out what is read.
var seen int //nolint:unused // it is written to, which is its use

// look reads the last byte of a part's text.
func look(n *projection.Node) {
	switch s := n.Value().(type) {
	case *transcript.Prose:
		last(s.Text.String())
	case *transcript.Tool:
		last(s.Arguments.String())
	}
}

func last(s string) {
	if len(s) > 0 {
		seen += int(s[len(s)-1])
	}
}
