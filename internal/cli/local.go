package cli

import (
	"context"
	"errors"

	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/store"
	"github.com/stenolog/steno/journal/sqlite"
)

// openStore opens the store of a data directory in this process.
func openStore(ctx context.Context, o OpenOptions) (Local, error) {
	s, err := store.Open(ctx, store.Options{
		Dir: o.Dir, Write: o.Write, Relaxed: o.Sync == "normal", Log: o.Log,
	})
	var locked *sqlite.LockedError
	switch {
	case errors.As(err, &locked):
		return nil, catalogue.Wrap(catalogue.Locked, locked.Dir, err)
	case err != nil:
		return nil, err
	}
	if o.Registry != nil {
		o.Registry.MustRegister(s.Collector())
	}
	return s, nil
}
