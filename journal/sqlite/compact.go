package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

// Compact implements [journal.Journal]. It packs the runs that end at or before
// upto and are not packed yet; more than [journal.SegmentSize] of events become
// several segments. The work of packing delays no append. A kill at any point
// leaves the runs or their segment, never both and never neither. Doing it again
// does nothing.
func (s *Store) Compact(ctx context.Context, branch string, upto int64) error {
	if err := s.compact(ctx, branch, upto); err != nil {
		return fmt.Errorf("compact %s up to %d: %w", branch, upto, err)
	}
	return nil
}

func (s *Store) compact(ctx context.Context, branch string, upto int64) error {
	packed := false
	for {
		p, err := s.pack(ctx, branch, upto)
		if err != nil {
			return errors.Join(err, s.noteDamage(ctx, err))
		}
		if p.segment.data == nil {
			break
		}
		if err := s.commit(ctx, &job{do: p.replace}); err != nil {
			return err
		}
		packed = true
	}
	if !packed {
		return nil
	}
	return s.giveBack(ctx)
}

// packing is one segment and the runs it stands for.
type packing struct {
	branch  int64
	packed  int64 // what the branch was packed up to before
	runs    int64 // how many the segment replaces
	segment storedRun
}

// pack makes the next segment of a branch. Its data is nil if there is nothing
// to pack.
func (s *Store) pack(ctx context.Context, branch string, upto int64) (packing, error) {
	if s.commits == nil {
		return packing{}, errReadOnlyStore
	}
	var p packing
	err := s.readers.use(ctx, func(r *reader) (err error) {
		if p.branch, p.packed, err = r.branch(branch); err != nil {
			return err
		}
		return p.fill(r, branch, upto)
	})
	return p, err
}

func (p *packing) fill(r *reader, branch string, upto int64) error {
	s := r.runs
	defer s.Reset()
	if err := errors.Join(s.BindInt64(1, p.branch), s.BindInt64(2, p.packed+1)); err != nil {
		return fail("read", err)
	}
	var packer journal.Packer
	for packer.Len() < journal.SegmentSize && s.Step() {
		run := storedRun{first: s.ColumnInt64(0), last: s.ColumnInt64(1), at: s.ColumnInt64(2)}
		if run.first <= p.packed {
			continue
		}
		if run.last > upto {
			break
		}
		if err := packer.Add(s.ColumnBlob(3, nil)); err != nil {
			return &journal.DamageError{Branch: branch, First: run.first, Last: run.last, Reason: err}
		}
		if p.runs == 0 {
			p.segment.first = run.first
		}
		p.segment.last, p.segment.at = run.last, run.at
		p.runs++
	}
	if err := s.Err(); err != nil {
		return fail("read", err)
	}
	if p.runs > 0 {
		p.segment.data = packer.AppendSegment(nil)
	}
	return nil
}

// replace puts the segment in the place of its runs, unless somebody else has
// changed them meanwhile.
func (p *packing) replace(w *writer) error {
	stmt, _, err := w.conn.Prepare("SELECT packed FROM branches WHERE id = ?")
	if err != nil {
		return fail("compact", err)
	}
	defer stmt.Close()
	if err := stmt.BindInt64(1, p.branch); err != nil {
		return fail("compact", err)
	}
	there := stmt.Step()
	if err := stmt.Err(); err != nil {
		return fail("compact", err)
	}
	if !there {
		return steno.ErrNotFound
	}
	if stmt.ColumnInt64(0) != p.packed {
		return nil // the next round sees what is left to do
	}
	if err := stmt.Reset(); err != nil {
		return fail("compact", err)
	}
	err = w.run("compact", "DELETE FROM runs WHERE branch = ? AND first BETWEEN ? AND ?",
		p.branch, p.segment.first, p.segment.last)
	if err != nil {
		return err
	}
	if err := w.insert(p.branch, p.segment); err != nil {
		return err
	}
	return w.run("compact", "UPDATE branches SET packed = ?2, bytes = bytes + ?3 WHERE id = ?1",
		p.branch, p.segment.last, int64(len(p.segment.data)))
}

// Delete implements [journal.Journal].
func (s *Store) Delete(ctx context.Context, branch string) error {
	err := s.commit(ctx, &job{do: func(w *writer) error {
		id, _, err := w.branch(branch)
		if err != nil {
			return err
		}
		if id == 0 {
			return steno.ErrNotFound
		}
		if err := w.run("delete", "DELETE FROM runs WHERE branch = ?", id); err != nil {
			return err
		}
		return w.run("delete", "DELETE FROM branches WHERE id = ?", id)
	}})
	if err == nil {
		err = s.giveBack(ctx)
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", branch, err)
	}
	return nil
}

// vacuumPages is how many free pages are given back in one transaction, so that
// appends wait for it only shortly.
const vacuumPages = 1024

// giveBack returns the free pages of the file to the file system, a few at a
// time. A kill in between leaves pages that are used again.
func (s *Store) giveBack(ctx context.Context) error {
	for {
		before, after := int64(0), int64(0)
		err := s.commit(ctx, &job{apart: true, do: func(w *writer) (err error) {
			before, after, err = w.vacuum()
			return err
		}})
		if err != nil {
			return err
		}
		if after == 0 || after >= before {
			break
		}
	}
	return s.commit(ctx, &job{apart: true, do: (*writer).shrink})
}

// vacuum gives some free pages back and returns how many there were and are.
func (w *writer) vacuum() (before, after int64, err error) {
	if before, err = pragma(w.conn, "freelist_count"); err != nil || before == 0 {
		return before, 0, err
	}
	if err := w.exec("vacuum", fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages)); err != nil {
		return before, before, err
	}
	after, err = pragma(w.conn, "freelist_count")
	return before, after, err
}

// shrink writes the log back to the file, which then gets as small as it can
// be. If a reader is at work this happens at some later commit.
func (w *writer) shrink() error {
	if err := w.conn.BusyTimeout(0); err != nil {
		return fail("checkpoint", err)
	}
	_, err := pragma(w.conn, "wal_checkpoint(TRUNCATE)")
	return errors.Join(err, fail("checkpoint", w.conn.BusyTimeout(busyTimeout)))
}
