package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
)

var (
	errTorn        = errors.New("the last write was torn; opening the store to write cuts it off")
	errMissing     = errors.New("they are missing")
	errMismatch    = errors.New("the run is not the one its place says")
	errKnownDamage = errors.New("it was found before; the branch takes no more events")
)

// Cut says that the last run of a branch was torn and cut off.
type Cut struct {
	Branch string
	// First and Last are the seqs of the events it was to hold.
	First, Last int64
}

func (c Cut) String() string {
	return fmt.Sprintf("the last write to branch %s was torn: events %d to %d were cut off",
		c.Branch, c.First, c.Last)
}

// isTorn reports whether data, a run and the last of its branch, was not
// written whole. It is not asked of segments: they are made of runs that had
// been durable, so a segment that fails its check is damage.
func isTorn(data []byte) bool {
	_, err := journal.ReadHeader(data)
	return errors.Is(err, steno.ErrCorrupt)
}

// mark notes that a branch is damaged at seq, or with 0 that it is not.
func (s *Store) mark(ctx context.Context, branch string, seq int64) error {
	return s.commit(ctx, &job{do: func(w *writer) error {
		id, damaged, err := w.branch(branch)
		if err != nil || id == 0 || damaged == seq {
			return err
		}
		return w.run("mark damage", "UPDATE branches SET damaged = ?2 WHERE id = ?1", id, seq)
	}})
}

// cutTornTails removes the last run of each branch where it fails its check.
// Branches whose pages are damaged it leaves alone: they are found when they
// are used.
func (w *writer) cutTornTails() ([]Cut, error) {
	type branch struct {
		id, packed int64
		name       string
	}
	var branches []branch
	list, _, err := w.conn.Prepare("SELECT id, packed, name FROM branches WHERE damaged = 0")
	if err != nil {
		return nil, fail("check tails", err)
	}
	for list.Step() {
		branches = append(branches, branch{list.ColumnInt64(0), list.ColumnInt64(1), list.ColumnText(2)})
	}
	if err := errors.Join(list.Err(), list.Close()); err != nil {
		return nil, fail("check tails", err)
	}
	var cuts []Cut
	for _, b := range branches {
		first, last, err := w.tornTail(b.id, b.packed)
		if errors.Is(err, steno.ErrCorrupt) || err == nil && first == 0 {
			continue
		}
		if err == nil {
			err = w.run("cut torn tail", "DELETE FROM runs WHERE branch = ? AND first = ?", b.id, first)
		}
		if err != nil {
			return cuts, err
		}
		cuts = append(cuts, Cut{Branch: b.name, First: first, Last: last})
	}
	return cuts, nil
}

// tornTail returns the seqs of the last run of a branch if it is torn, else 0.
func (w *writer) tornTail(id, packed int64) (first, last int64, err error) {
	s := w.findTail
	defer s.Reset()
	if err := errors.Join(s.BindInt64(1, id), s.BindInt64(2, packed)); err != nil {
		return 0, 0, fail("check tail", err)
	}
	if s.Step() && isTorn(s.ColumnRawBlob(2)) {
		first, last = s.ColumnInt64(0), s.ColumnInt64(1)
	}
	return first, last, fail("check tail", s.Err())
}

// Report is what [Store.Verify] found in a branch.
type Report struct {
	Branch string
	// Events counts those that can be read, Bytes what all take in the store.
	Events, Bytes int64
	// Damage lists what cannot be read, in order; it is empty in a sound branch.
	Damage []*journal.DamageError
}

// Verify reads a whole branch and reports all damage in it. Damage is not an
// error. If the store can be written, the branch is marked as what it was found
// to be, so that it refuses or takes events accordingly.
func (s *Store) Verify(ctx context.Context, branch string) (Report, error) {
	report := Report{Branch: branch}
	c := runReader{readers: &s.readers, branch: branch}
	for {
		e, err := c.next(ctx)
		var d *journal.DamageError
		switch {
		case errors.As(err, &d):
			report.Damage = append(report.Damage, d)
			c.skip(d.Last)
			continue
		case errors.Is(err, steno.ErrIncomplete):
			report.Damage = append(report.Damage, &journal.DamageError{
				Branch: branch, First: c.torn.First, Last: c.torn.Last, Reason: errTorn,
			})
		case err != nil:
			return report, fmt.Errorf("verify %s: %w", branch, err)
		case e != nil:
			report.Events++
			continue
		}
		break
	}
	err := s.conclude(ctx, &report)
	return report, err
}

// conclude adds the size of the branch to a report and marks it.
func (s *Store) conclude(ctx context.Context, report *Report) error {
	err := s.readers.use(ctx, func(r *reader) error {
		info, err := r.info(report.Branch)
		report.Bytes = info.Bytes
		return err
	})
	if err == nil && s.commits != nil {
		first := int64(0)
		if len(report.Damage) > 0 {
			first = report.Damage[0].First
		}
		err = s.mark(ctx, report.Branch, first)
	}
	if err != nil {
		return fmt.Errorf("verify %s: %w", report.Branch, err)
	}
	return nil
}
