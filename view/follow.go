package view

import (
	"context"

	"github.com/stenolog/steno/transcript"
)

// Source is a recorder as a view sees it.
type Source interface {
	Branch() string
	// Follow calls f with the whole state and from then on with every
	// publication, on one goroutine, until it is cancelled.
	Follow(ctx context.Context, f func(transcript.Update)) (cancel func(), err error)
}

// Follow returns the live view of a source and what ends it. Ending it ends the
// streams of its viewers.
func Follow(ctx context.Context, src Source) (*Live, func(), error) {
	l := NewLive(src.Branch())
	cancel, err := src.Follow(ctx, l.Publish)
	if err != nil {
		return nil, nil, err
	}
	return l, func() { cancel(); l.Close() }, nil
}
