package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/client"
	"github.com/stenolog/steno/internal/config"
)

// lockSlice is how long one try at the lock takes, before a command looks
// whether a server has come up meanwhile.
const lockSlice = time.Second

// reading returns the store to read: a running server's, or the one opened
// read-only.
func (m *Main) reading(ctx context.Context) (api.Store, error) {
	c, err := m.findServer(ctx)
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	return m.openLocal(ctx, OpenOptions{Dir: m.places.Data.Text})
}

// writing returns the store to write: a running server's, or the one opened
// with its lock held.
func (m *Main) writing(ctx context.Context) (api.Store, error) {
	c, err := m.own(ctx)
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	return m.openLocal(ctx, OpenOptions{Dir: m.places.Data.Text, Write: true})
}

// findServer returns a client of the server that serves the data directory, or
// nil.
func (m *Main) findServer(ctx context.Context) (*client.Client, error) {
	if m.places.Data.Text == "" {
		return nil, catalogue.New(catalogue.BadConfig, "there is no home directory (HOME); name one for the data with --data or STENO_DATA")
	}
	c, err := client.Find(ctx, m.places.Data.Text, m.settings.Token)
	if err != nil {
		return nil, err
	}
	if c != nil {
		m.onClose(c.Close)
	}
	return c, nil
}

// own makes this process the owner of the data directory, or returns a client
// of the server that is. It waits up to [config.LockWait] for a command that
// writes.
func (m *Main) own(ctx context.Context) (*client.Client, error) {
	dir := m.places.Data.Text
	for waited := time.Duration(0); ; waited += lockSlice {
		c, err := m.findServer(ctx)
		if err != nil || c != nil {
			return c, err
		}
		if err := config.EnsureDir(dir); err != nil {
			return nil, err
		}
		l, err := config.Acquire(ctx, dir, lockSlice)
		if err == nil {
			m.onClose(l.Close)
			return nil, nil
		}
		var e *catalogue.Error
		if !errors.As(err, &e) || e.Code != catalogue.Locked || waited+lockSlice >= config.LockWait {
			return nil, err
		}
	}
}

func (m *Main) openLocal(ctx context.Context, o OpenOptions) (Local, error) {
	if m.Open == nil {
		return nil, unavailable("a store")
	}
	if o.Log == nil {
		o.Log = m.logger()
	}
	o.Sync = m.settings.Sync
	l, err := m.Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", o.Dir, err)
	}
	m.onClose(l.Close)
	return l, nil
}
