package cli

import (
	"context"
	"io"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/store"
	"github.com/stenolog/steno/transcript"
)

// openStore opens the store of a data directory in this process.
func openStore(ctx context.Context, o OpenOptions) (Local, error) {
	return store.Open(ctx, store.Options{
		Dir: o.Dir, Write: o.Write, Relaxed: o.Sync == "normal", Log: o.Log,
	})
}

// foldSource folds source events given as JSON lines.
func foldSource(in io.Reader) (*api.Folded, error) {
	var t transcript.Transcript
	if err := transcript.ReadSource(in, func(e *steno.Event) { t.Append(*e) }); err != nil {
		return nil, err
	}
	report := t.Report()
	return &report, nil
}
