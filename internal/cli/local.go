package cli

import (
	"context"

	"github.com/stenolog/steno/internal/store"
)

// openStore opens the store of a data directory in this process.
func openStore(ctx context.Context, o OpenOptions) (Local, error) {
	s, err := store.Open(ctx, store.Options{
		Dir: o.Dir, Write: o.Write, Relaxed: o.Sync == "normal", Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	if o.Registry != nil {
		o.Registry.MustRegister(s.Collector())
	}
	return s, nil
}
