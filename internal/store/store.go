// Package store is an open store of conversations in this process: journals,
// blobs, the library over them, and a recorder with its view for each
// conversation that is in use. It is what the server serves and what commands
// use where no server runs.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/blob"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/library"
	"github.com/stenolog/steno/journal/sqlite"
)

// Options say how a store is opened.
type Options struct {
	// Dir is the data directory.
	Dir string
	// Write opens it for writing: the caller owns the directory. Else nothing
	// is made, recovered or changed, and a store that is not there is empty.
	Write bool
	// Relaxed trades safety at a power cut for speed.
	Relaxed bool
	Log     *slog.Logger
}

// Store implements [api.Store]. Its methods may be called from any goroutine.
type Store struct {
	journal *sqlite.Store // nil: there is none to read
	blobs   *blob.Store
	library *library.Library // nil if read-only
	log     *slog.Logger

	ctx   context.Context // ends when the store closes
	stop  context.CancelFunc
	plays sync.WaitGroup

	mu struct {
		sync.Mutex
		open        map[string]*conversation
		subscribers map[*subscriber]bool
		closed      bool
	}
}

var _ api.Store = (*Store)(nil)

// errReadOnly is why a store that is open to read only changes nothing.
var errReadOnly = fmt.Errorf("the store is open to read only: %w", fs.ErrPermission)

// blobDir is the directory of the blobs in that of the store.
const blobDir = "blobs"

// Open opens a store. Opened for writing, it brings the library up to date and
// reports, in the log, what a crash has torn.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Store{log: o.Log, blobs: blob.New(filepath.Join(o.Dir, blobDir))}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.mu.open = make(map[string]*conversation)
	s.mu.subscribers = make(map[*subscriber]bool)
	var err error
	if o.Write {
		err = s.openToWrite(ctx, o)
	} else if s.journal, err = sqlite.OpenReadOnly(o.Dir); errors.Is(err, steno.ErrNotFound) {
		s.journal, err = nil, nil
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *Store) openToWrite(ctx context.Context, o Options) (err error) {
	s.journal, err = sqlite.Open(ctx, o.Dir, sqlite.Options{Relaxed: o.Relaxed})
	if err != nil {
		return err
	}
	for _, cut := range s.journal.Cuts() {
		s.log.Warn("a torn tail was cut off", "branch", cut.Branch, "first", cut.First, "last", cut.Last)
	}
	if s.library, err = library.Open(ctx, o.Dir, s.journal, s.report); err == nil {
		err = s.endInterrupted(ctx)
	}
	if err != nil {
		err = errors.Join(err, s.journal.Close())
		if s.library != nil {
			err = errors.Join(err, s.library.Close())
		}
	}
	return err
}

// endInterrupted ends the turns that were running when the last owner died, so
// that no conversation looks as if it were still going on.
func (s *Store) endInterrupted(ctx context.Context) error {
	entries, err := s.library.List(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		cp, err := s.library.Latest(ctx, e.ID)
		if err == nil && cp.Turn >= e.Turns || e.Turns == 0 {
			continue
		}
		c, err := s.acquire(ctx, e.ID)
		if err != nil {
			// A damaged conversation says so when it is opened; the others work.
			s.report(err)
			continue
		}
		c.release()
	}
	return nil
}

func (s *Store) report(err error) { s.log.Error("store", "err", err) }

// Close stops what plays, ends running turns as interrupted, closes what is
// open and gives the store up. Closing twice is harmless.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.mu.closed
	s.mu.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	s.stop()
	s.plays.Wait()
	var errs []error
	for _, c := range s.opened() {
		errs = append(errs, c.end(false))
	}
	if s.library != nil {
		errs = append(errs, s.library.Close())
	}
	if s.journal != nil {
		errs = append(errs, s.journal.Close())
	}
	return errors.Join(errs...)
}

func (s *Store) opened() []*conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*conversation
	for _, c := range s.mu.open {
		all = append(all, c)
	}
	return all
}

// Blob implements [api.Store].
func (s *Store) Blob(ctx context.Context, hash string) (io.ReadCloser, error) {
	return s.blobs.Get(ctx, hash)
}

// Verify implements [api.Store].
func (s *Store) Verify(ctx context.Context) (*api.Report, error) {
	out := &api.Report{Branches: []api.BranchReport{}}
	if s.journal == nil {
		return out, nil
	}
	for info, err := range s.journal.List(ctx) {
		if err != nil {
			return nil, fmt.Errorf("verify: %w", err)
		}
		r, err := s.journal.Verify(ctx, info.Branch)
		if err != nil {
			return nil, fmt.Errorf("verify %s: %w", info.Branch, err)
		}
		b := api.BranchReport{Conversation: info.Branch, Branch: info.Branch, Events: r.Events, Bytes: info.Bytes}
		if len(r.Damage) > 0 {
			out.Damaged++
			b.Damage, b.At = r.Damage[0].Error(), r.Damage[0].First
		}
		out.Events += b.Events
		out.Bytes += b.Bytes
		out.Branches = append(out.Branches, b)
	}
	return out, nil
}
