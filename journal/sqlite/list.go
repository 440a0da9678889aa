package sqlite

import (
	"context"
	"fmt"
	"iter"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// infoColumns reads what describes a branch b. The bytes of its segments are
// kept in its row, so the cost is that of the runs since the last turn's end.
const infoColumns = `b.id, b.name, b.at, b.damaged, coalesce(t.last, 0), coalesce(t.at, b.at),
	b.bytes + coalesce((SELECT sum(length(data)) FROM runs WHERE branch = b.id AND first > b.packed), 0)
	FROM branches b LEFT JOIN runs t ON t.branch = b.id AND t.first = (SELECT max(first) FROM runs WHERE branch = b.id)`

// listPage is how many branches List reads at a time, so that a slow loop
// holds no connection.
const listPage = 256

// List implements [journal.Journal].
func (s *Store) List(ctx context.Context) iter.Seq2[journal.Info, error] {
	return func(yield func(journal.Info, error) bool) {
		var after int64
		for {
			var page []journal.Info
			err := s.readers.use(ctx, func(r *reader) (err error) {
				page, after, err = r.list(after)
				return err
			})
			if err != nil {
				yield(journal.Info{}, fmt.Errorf("list: %w", err))
				return
			}
			for _, info := range page {
				if !yield(info, nil) {
					return
				}
			}
			if len(page) < listPage {
				return
			}
		}
	}
}

// list returns the branches after the one with an id, and the id of the last.
func (r *reader) list(after int64) (page []journal.Info, last int64, err error) {
	stmt, _, err := r.conn.Prepare("SELECT " + infoColumns + " WHERE b.id > ? ORDER BY b.id LIMIT ?")
	if err != nil {
		return nil, after, fail("list", err)
	}
	defer stmt.Close()
	if err := stmt.BindInt64(1, after); err != nil {
		return nil, after, fail("list", err)
	}
	if err := stmt.BindInt64(2, listPage); err != nil {
		return nil, after, fail("list", err)
	}
	last = after
	for stmt.Step() {
		last = stmt.ColumnInt64(0)
		page = append(page, scanInfo(stmt))
	}
	return page, last, fail("list", stmt.Err())
}

// info describes one branch, or returns [steno.ErrNotFound].
func (r *reader) info(branch string) (journal.Info, error) {
	stmt, _, err := r.conn.Prepare("SELECT " + infoColumns + " WHERE b.name = ?")
	if err != nil {
		return journal.Info{}, fail("info", err)
	}
	defer stmt.Close()
	if err := stmt.BindText(1, branch); err != nil {
		return journal.Info{}, fail("info", err)
	}
	if stmt.Step() {
		return scanInfo(stmt), nil
	}
	if err := stmt.Err(); err != nil {
		return journal.Info{}, fail("info", err)
	}
	return journal.Info{}, steno.ErrNotFound
}

func scanInfo(stmt *sqlite3.Stmt) journal.Info {
	return journal.Info{
		Branch:  stmt.ColumnText(1),
		First:   stmt.ColumnInt64(2),
		Damaged: stmt.ColumnInt64(3) != 0,
		Head:    stmt.ColumnInt64(4),
		Last:    stmt.ColumnInt64(5),
		Bytes:   stmt.ColumnInt64(6),
	}
}
