package tap

import (
	"context"
	"io"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
)

// Recorder is what a recorder needs for [Into]; A is its writer of an answer.
type Recorder[A io.WriteCloser] interface {
	Record(ctx context.Context, events ...*steno.Event) error
	Answer(ctx context.Context, d wire.Decoder) A
}

// Into returns a [Transport]'s Open that records every exchange with r: the
// answer in its format, an error body as an error event. The turns around the
// answers are for the program to record; it knows what a user asked and when
// the agent was done. What has passed is recorded even where the program gives
// a request up.
func Into[A io.WriteCloser](r Recorder[A]) func(context.Context, *Exchange) (io.WriteCloser, error) {
	return func(ctx context.Context, x *Exchange) (io.WriteCloser, error) {
		ctx = context.WithoutCancel(ctx)
		if x.Status >= 400 {
			return x.Failure(func(e *steno.Event) error { return r.Record(ctx, e) }), nil
		}
		d, err := formats.New(x.Format, nil)
		if err != nil {
			return nil, err
		}
		return r.Answer(ctx, d), nil
	}
}
