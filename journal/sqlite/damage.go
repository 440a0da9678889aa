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

// resetChecked begins to decode a run that must be what its row says.
func resetChecked(d *journal.Decoder, r storedRun) error {
	if err := d.Reset(r.data); err != nil {
		return err
	}
	if h := d.Header(); h.First != r.first || h.Last() != r.last {
		return errMismatch
	}
	return nil
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
func (w *writer) cutTornTails() ([]Cut, error) {
	type tail struct {
		Cut
		id int64
	}
	var torn []tail
	stmt, _, err := w.conn.Prepare(`SELECT b.id, b.name, r.first, r.last, r.data FROM branches b JOIN runs r
		ON r.branch = b.id AND r.first = (SELECT max(first) FROM runs WHERE branch = b.id)
		WHERE r.first > b.packed AND b.damaged = 0`)
	if err != nil {
		return nil, fail("check tails", err)
	}
	defer stmt.Close()
	for stmt.Step() {
		if isTorn(stmt.ColumnRawBlob(4)) {
			torn = append(torn, tail{Cut{stmt.ColumnText(1), stmt.ColumnInt64(2), stmt.ColumnInt64(3)}, stmt.ColumnInt64(0)})
		}
	}
	if err := errors.Join(stmt.Err(), stmt.Reset()); err != nil {
		return nil, fail("check tails", err)
	}
	var cuts []Cut
	for _, t := range torn {
		if err := w.run("cut torn tail", "DELETE FROM runs WHERE branch = ? AND first = ?", t.id, t.First); err != nil {
			return cuts, err
		}
		cuts = append(cuts, t.Cut)
	}
	return cuts, nil
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
	return report, s.conclude(ctx, &report)
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
