// Package sqlite keeps journals in an SQLite database: one file, one owner.
//
// # Concurrency
//
// A [Store] may be used from any goroutine. One goroutine commits for all of
// them: an append that comes while the store is idle is committed at once, and
// what gathers during a commit shares the next. Readers have connections of
// their own and never wait for a commit, nor a commit for them; a reader that
// is slow holds nothing open.
//
// One process at a time owns a store for writing, see [Open]. Any number may
// read it meanwhile, see [OpenReadOnly].
//
// # Delivery
//
// When Append has returned nil, its events survive a kill of the process and,
// unless [Options.Relaxed] is set, a power cut. When it has returned an error,
// they are not there and will not be, also after a crash; an error that wraps
// [steno.ErrIncomplete] is the one exception, given when the disk failed in a
// way that leaves it open which of the two holds.
//
// What is on disk is described in docs/format.md.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// FileName is the name of the database in the directory of a store.
const FileName = "journal.db"

// Options says how to open a store. The zero value is ready.
type Options struct {
	// Wait is how long Open waits for another process to give up the store.
	// Zero means not at all.
	Wait time.Duration
	// Relaxed trades safety for speed: a commit is not forced to the disk, so a
	// power cut may lose the last ones. A killed process still loses nothing.
	Relaxed bool

	// vfs names the file layer that tests make fail.
	vfs string
}

// Store is an open store. It implements [journal.Journal].
type Store struct {
	lock    *ownerLock // nil if read-only
	commits *committer // nil if read-only
	readers readerPool
	cut     []Cut
}

var _ journal.Journal = (*Store)(nil)

// Open opens the store in dir for reading and writing and makes it if it is not
// there, with permissions for its owner only.
//
// It takes the store's lock, waiting for up to options.Wait, and returns a
// [LockedError] if another process holds it, [steno.ErrUnsupported] if the
// store was written by a newer version, and [steno.ErrCorrupt] if the file is
// no database or its structure is damaged; in these cases nothing was touched.
// A last run that was torn is cut off; see [Store.Cuts].
func Open(ctx context.Context, dir string, options Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	lock, err := takeLock(ctx, dir, options.Wait)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	s, err := openOwned(source{path: filepath.Join(dir, FileName), vfs: options.vfs}, options.Relaxed)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, errors.Join(err, lock.release()))
	}
	s.lock = lock
	return s, nil
}

func openOwned(src source, relaxed bool) (*Store, error) {
	if err := src.check(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	w, err := openWriter(src, relaxed)
	if err != nil {
		return nil, err
	}
	cuts, err := w.cutTornTails()
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	s := &Store{cut: cuts, commits: newCommitter(w)}
	s.readers.init(src, true)
	return s, nil
}

// OpenReadOnly opens the store in dir for reading. It takes no lock, works
// while another process writes, and repairs nothing: a torn last run stays
// where it is and ends a Read with [steno.ErrIncomplete].
//
// It returns [steno.ErrNotFound] if there is no store, and [steno.ErrUnsupported]
// and [steno.ErrCorrupt] as Open does. Methods that write return an error that
// wraps [fs.ErrPermission].
func OpenReadOnly(dir string) (*Store, error) {
	return openReadOnly(dir, Options{})
}

func openReadOnly(dir string, options Options) (*Store, error) {
	src := source{path: filepath.Join(dir, FileName), vfs: options.vfs}
	err := src.check()
	if errors.Is(err, sqlite3.CANTOPEN) && src.logIsEmpty() {
		// Neither can the file be written nor one beside it, as on a medium
		// that is read-only; nobody else writes to it then.
		src.frozen = true
		err = src.check()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", steno.ErrNotFound, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s to read: %w", dir, err)
	}
	s := new(Store)
	s.readers.init(src, false)
	return s, nil
}

// Cuts returns the torn tails that Open cut off. A program shows them: the
// events in them had not been acknowledged unless the disk lost what it had
// been made to write.
func (s *Store) Cuts() []Cut { return s.cut }

// Close waits for the commits that were asked for and for the readers that are
// at work, and gives the store up. Calls that come later return
// [steno.ErrClosed]. Closing twice is harmless.
func (s *Store) Close() error {
	// The writer closes last: only then does it write the log back and end it.
	err := s.readers.close()
	if s.commits != nil {
		err = errors.Join(err, s.commits.close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.release())
	}
	return err
}

// commit runs jobs on the write connection.
func (s *Store) commit(ctx context.Context, j *job) error {
	if s.commits == nil {
		return errReadOnlyStore
	}
	return s.commits.do(ctx, j)
}
