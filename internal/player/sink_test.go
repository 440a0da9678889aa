package player

import (
	"context"
	"io"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
)

// fold is a sink that does what a recorder does with what is played: bytes go
// through the decoder, and all events through the normaliser.
type fold struct {
	normaliser transcript.Normaliser
	source     []*steno.Event // what was heard
	journal    []*steno.Event // what would be kept
	answers    int
}

func (f *fold) Record(_ context.Context, events ...*steno.Event) error {
	for _, e := range events {
		f.take(e)
	}
	return nil
}

func (f *fold) take(e *steno.Event) {
	f.source = append(f.source, e.Clone())
	f.normaliser.Normalise(e, func(e *steno.Event) { f.journal = append(f.journal, e.Clone()) })
}

func (f *fold) Answer(_ context.Context, format string) (io.WriteCloser, error) {
	d, err := formats.New(format, nil)
	f.answers++
	return &decoding{f, d}, err
}

type decoding struct {
	fold    *fold
	decoder wire.Decoder
}

func (d *decoding) Write(p []byte) (int, error) {
	d.decoder.Decode(p, d.fold.take)
	return len(p), nil
}

func (d *decoding) Close() error {
	d.decoder.Close(d.fold.take)
	return nil
}

// log is a sink that notes what came and when.
type log struct {
	start   time.Time
	entries []entry
	fail    func(what string) error
}

type entry struct {
	at   time.Duration
	what string
}

func (l *log) note(what string) error {
	l.entries = append(l.entries, entry{time.Since(l.start), what})
	if l.fail != nil {
		return l.fail(what)
	}
	return nil
}

func (l *log) Record(_ context.Context, events ...*steno.Event) error {
	for _, e := range events {
		if err := l.note(e.Type.String()); err != nil {
			return err
		}
	}
	return nil
}

func (l *log) Answer(_ context.Context, format string) (io.WriteCloser, error) {
	return logged{l}, l.note("answer " + format)
}

type logged struct{ *log }

func (l logged) Write(p []byte) (int, error) { return len(p), l.note(string(p)) }
func (l logged) Close() error                { return l.note("close") }
