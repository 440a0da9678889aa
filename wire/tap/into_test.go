package tap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/tap"
)

// log is a recorder that keeps what it is given.
type log struct {
	events  []*steno.Event
	decoder wire.Decoder
	ctx     context.Context
}

func (l *log) Record(_ context.Context, events ...*steno.Event) error {
	l.events = append(l.events, events...)
	return nil
}

func (l *log) Answer(ctx context.Context, d wire.Decoder) *written {
	l.ctx, l.decoder = ctx, d
	return new(written)
}

type written struct{ io.Writer }

func (*written) Close() error { return nil }

func TestInto(t *testing.T) {
	for _, test := range []struct {
		format  string
		decoder string
	}{
		{formats.AnthropicMessages, "*anthropic.Decoder"},
		{formats.OpenAIChat, "*openaichat.Decoder"},
		{formats.Guessed, "*formats.Auto"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var l log
		if _, err := tap.Into(&l)(ctx, &tap.Exchange{Format: test.format, Status: 200}); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%T", l.decoder); got != test.decoder {
			t.Errorf("%s: decoded by a %s", test.format, got)
		}
		if cancel(); l.ctx.Err() != nil {
			t.Errorf("%s: what has passed is lost when the program gives up", test.format)
		}
	}
}

func TestIntoError(t *testing.T) {
	var l log
	w, err := tap.Into(&l)(t.Context(), &tap.Exchange{Format: formats.OpenAIChat, Status: 529})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(l.events) != 1 || l.events[0].Type != steno.Error || l.events[0].Text != "Overloaded" || l.decoder != nil {
		t.Errorf("recorded %v", l.events)
	}
}

func TestIntoUnknownFormat(t *testing.T) {
	w, err := tap.Into(new(log))(t.Context(), &tap.Exchange{Format: "smoke-signals", Status: 200})
	if w != nil || !errors.Is(err, steno.ErrUnsupported) {
		t.Errorf("got %v, %v", w, err)
	}
}
