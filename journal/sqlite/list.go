package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

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
				page, after, err = r.list(after, listPage)
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

// Info describes one branch, or returns [steno.ErrNotFound]. However many
// branches there are, it costs what List does for this one.
func (s *Store) Info(ctx context.Context, branch string) (journal.Info, error) {
	var info journal.Info
	err := s.readers.use(ctx, func(r *reader) (err error) {
		info, err = r.info(branch)
		return err
	})
	if err != nil {
		return journal.Info{}, fmt.Errorf("describe %s: %w", branch, err)
	}
	return info, nil
}

func (r *reader) info(branch string) (journal.Info, error) {
	id, _, err := r.branch(branch)
	if err != nil {
		return journal.Info{}, err
	}
	page, _, err := r.list(id-1, 1)
	if err != nil {
		return journal.Info{}, err
	}
	if len(page) == 0 || page[0].Branch != branch {
		return journal.Info{}, steno.ErrNotFound // deleted in between
	}
	return page[0], nil
}

// list returns up to n branches after the one with an id, and the id of the
// last.
func (r *reader) list(after int64, n int) (page []journal.Info, last int64, err error) {
	s := r.branches
	defer s.Reset()
	if err := errors.Join(s.BindInt64(1, after), s.BindInt64(2, int64(n))); err != nil {
		return nil, after, fail("list", err)
	}
	last = after
	for s.Step() {
		last = s.ColumnInt64(0)
		info, err := r.describe(s)
		if err != nil {
			return nil, after, err
		}
		page = append(page, info)
	}
	return page, last, fail("list", s.Err())
}

// describe makes the Info of the branch whose row is at hand. The bytes of its
// segments are kept in the row, so the cost is that of the runs since the end
// of its last turn. A branch whose pages are damaged has no head.
func (r *reader) describe(row *sqlite3.Stmt) (journal.Info, error) {
	id, packed := row.ColumnInt64(0), row.ColumnInt64(3)
	info := journal.Info{
		Branch:  row.ColumnText(1),
		First:   row.ColumnInt64(2),
		Last:    row.ColumnInt64(2),
		Bytes:   row.ColumnInt64(4),
		Damaged: row.ColumnInt64(5) != 0,
	}
	s := r.extent
	defer s.Reset()
	if err := errors.Join(s.BindInt64(1, id), s.BindInt64(2, packed)); err != nil {
		return info, fail("describe", err)
	}
	if s.Step() {
		info.Head, info.Last = s.ColumnInt64(0), s.ColumnInt64(1)
		info.Bytes += s.ColumnInt64(2)
	}
	err := s.Err()
	if errors.Is(err, sqlite3.CORRUPT) {
		info.Damaged, err = true, nil
	}
	return info, fail("describe", err)
}
