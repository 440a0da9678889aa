package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
)

// readerCount bounds the connections that read at the same time. A connection
// is held for one batch of a Read, not for its whole loop.
const readerCount = 4

// readerPool holds the connections that read. They are opened when they are
// needed first.
type readerPool struct {
	src    source
	owned  bool         // by this process, which has cut all torn tails
	slots  chan *reader // nil for a connection that is not open
	closed chan struct{}
	once   sync.Once
}

func (p *readerPool) init(src source, owned bool) {
	p.src, p.owned = src, owned
	p.slots, p.closed = make(chan *reader, readerCount), make(chan struct{})
	for range readerCount {
		p.slots <- nil
	}
}

// use lends f a connection for as long as it runs.
func (p *readerPool) use(ctx context.Context, f func(*reader) error) (err error) {
	// Of several channels that are ready, select takes any.
	select {
	case <-p.closed:
		return fmt.Errorf("store: %w", steno.ErrClosed)
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	var r *reader
	select {
	case <-p.closed:
		return fmt.Errorf("store: %w", steno.ErrClosed)
	case <-ctx.Done():
		return ctx.Err()
	case r = <-p.slots:
	}
	defer func() { p.slots <- r }()
	if r == nil {
		opened, err := openReader(p.src)
		if err != nil {
			return err
		}
		r = opened
		r.owned = p.owned
	}
	return f(r)
}

// close waits for the connections in use and closes all.
func (p *readerPool) close() (err error) {
	p.once.Do(func() {
		close(p.closed)
		for range readerCount {
			if r := <-p.slots; r != nil {
				err = errors.Join(err, r.close())
			}
		}
	})
	return err
}

// reader is a connection that reads, with its statements.
type reader struct {
	conn  *sqlite3.Conn
	owned bool

	findBranch, findHead, runs, branches, extent *sqlite3.Stmt
}

func openReader(src source) (*reader, error) {
	conn, err := src.connect(sqlite3.OPEN_READONLY)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: conn}
	for _, s := range []struct {
		stmt **sqlite3.Stmt
		sql  string
	}{
		{&r.findBranch, "SELECT id, packed FROM branches WHERE name = ?"},
		{&r.findHead, "SELECT first, last, data FROM runs WHERE branch = ? ORDER BY first DESC LIMIT 1"},
		// From the run that holds event ?2 on.
		{&r.runs, `SELECT first, last, at, data FROM runs WHERE branch = ?1 AND first >=
			coalesce((SELECT max(first) FROM runs WHERE branch = ?1 AND first <= ?2), 0) ORDER BY first`},
		{&r.branches, "SELECT id, name, at, packed, bytes, damaged FROM branches WHERE id > ? ORDER BY id LIMIT ?"},
		// The head of a branch, its time, and the bytes of its runs behind event ?2.
		{&r.extent, `SELECT last, at, (SELECT coalesce(sum(length(data)), 0) FROM runs WHERE branch = ?1 AND first > ?2)
			FROM runs WHERE branch = ?1 ORDER BY first DESC LIMIT 1`},
	} {
		if *s.stmt, _, err = conn.PrepareFlags(s.sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return nil, errors.Join(fail("prepare", err), r.close())
		}
	}
	return r, nil
}

func (r *reader) close() error {
	for _, s := range []*sqlite3.Stmt{r.findBranch, r.findHead, r.runs, r.branches, r.extent} {
		// What a statement has to report was reported when it ran.
		_ = s.Close()
	}
	return fail("close", r.conn.Close())
}

// branch returns the id of a branch and the seq up to which it is packed, or
// [steno.ErrNotFound].
func (r *reader) branch(name string) (id, packed int64, err error) {
	s := r.findBranch
	defer s.Reset()
	if err := s.BindText(1, name); err != nil {
		return 0, 0, fail("find branch", err)
	}
	if s.Step() {
		return s.ColumnInt64(0), s.ColumnInt64(1), nil
	}
	if err := s.Err(); err != nil {
		return 0, 0, fail("find branch", err)
	}
	return 0, 0, steno.ErrNotFound
}

// head returns the seq of the last event of a branch, 0 if it has none. A torn
// tail does not count and is returned apart. The owner of a store has none:
// there a last run that fails its check is damage like any other.
func (r *reader) head(id, packed int64) (head int64, torn Cut, err error) {
	s := r.findHead
	defer s.Reset()
	if err := s.BindInt64(1, id); err != nil {
		return 0, torn, fail("find head", err)
	}
	if !s.Step() {
		return 0, torn, fail("find head", s.Err())
	}
	first, last := s.ColumnInt64(0), s.ColumnInt64(1)
	if !r.owned && first > packed && isTorn(s.ColumnRawBlob(2)) {
		return first - 1, Cut{First: first, Last: last}, nil
	}
	return last, torn, nil
}
