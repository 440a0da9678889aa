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

// batchSize is about how many bytes of runs a Read takes at a time.
const batchSize = 256 << 10

// Head implements [journal.Journal].
func (s *Store) Head(ctx context.Context, branch string) (int64, error) {
	var head int64
	err := s.readers.use(ctx, func(r *reader) error {
		id, packed, err := r.branch(branch)
		if err != nil {
			return err
		}
		head, _, err = r.head(id, packed)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("head of %s: %w", branch, err)
	}
	return head, nil
}

// Read implements [journal.Journal]. It yields the events that were there when
// the loop began. Where a run is damaged the error is a [*journal.DamageError];
// reading goes on after it if asked for. In a store that is open to read only,
// a torn tail ends the loop with [steno.ErrIncomplete].
func (s *Store) Read(ctx context.Context, branch string, after int64) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		c := runReader{readers: &s.readers, branch: branch, after: max(after, 0)}
		for {
			e, err := c.next(ctx)
			if err != nil {
				err = errors.Join(err, s.noteDamage(ctx, err))
				yield(nil, fmt.Errorf("read %s after %d: %w", branch, after, err))
				return
			}
			if e == nil || !yield(e, nil) {
				return
			}
		}
	}
}

// noteDamage marks a branch in which a Read met damage, so that it takes no
// more events.
func (s *Store) noteDamage(ctx context.Context, err error) error {
	var d *journal.DamageError
	if s.commits == nil || !errors.As(err, &d) {
		return nil
	}
	return s.mark(ctx, d.Branch, d.First)
}

// runReader walks the runs of a branch in batches.
type runReader struct {
	readers *readerPool
	branch  string
	after   int64 // the event last yielded

	id, head int64 // of the branch when the walk began; id is 0 before
	torn     Cut   // what ends the walk, if it is not zero
	batch    []storedRun
	buf      []byte // behind the batch's data
	decoder  journal.Decoder
	decoding bool
}

// next returns the next event, or nil at the end. After a [*journal.DamageError]
// it goes on once skip was called.
func (c *runReader) next(ctx context.Context) (*steno.Event, error) {
	for {
		if c.decoding {
			e, err := c.decoder.Next()
			switch {
			case err != nil:
				return nil, c.damage(c.batch[0].first, c.batch[0].last, err)
			case e == nil:
				c.decoding, c.batch = false, c.batch[1:]
			case e.Seq > c.after: // a run may begin before what was asked for
				c.after = e.Seq
				return e, nil
			}
			continue
		}
		if len(c.batch) == 0 {
			if c.id != 0 && c.after >= c.head {
				return nil, c.end(ctx)
			}
			if err := c.fetch(ctx); err != nil {
				return nil, err
			}
			if len(c.batch) == 0 && c.after < c.head {
				return nil, c.damage(c.after+1, c.head, errMissing)
			}
			continue
		}
		if err := c.open(c.batch[0]); err != nil {
			return nil, err
		}
	}
}

func (c *runReader) end(ctx context.Context) error {
	if c.torn.First != 0 {
		return fmt.Errorf("events %d to %d were not written whole: %w", c.torn.First, c.torn.Last, steno.ErrIncomplete)
	}
	return ctx.Err()
}

// open begins to decode a run, after checking that it is the one that follows.
func (c *runReader) open(r storedRun) error {
	if r.first > c.after+1 {
		return c.damage(c.after+1, r.first-1, errMissing)
	}
	if err := c.decoder.Reset(r.data); err != nil {
		return c.damage(r.first, r.last, err)
	}
	if h := c.decoder.Header(); h.First != r.first || h.Last() != r.last {
		return c.damage(r.first, r.last, errMismatch)
	}
	c.decoding = true
	return nil
}

// damage makes the error for events that cannot be read.
func (c *runReader) damage(first, last int64, reason error) error {
	if errors.Is(reason, steno.ErrUnsupported) {
		return reason // newer, not damaged
	}
	return &journal.DamageError{Branch: c.branch, First: max(first, c.after+1), Last: last, Reason: reason}
}

// skip goes on after event last.
func (c *runReader) skip(last int64) {
	c.after = max(c.after, last)
	c.decoding = false
	for len(c.batch) > 0 && c.batch[0].last <= c.after {
		c.batch = c.batch[1:]
	}
}

// fetch reads the next batch. It leaves the batch empty at the end of the branch.
func (c *runReader) fetch(ctx context.Context) error {
	return c.readers.use(ctx, func(r *reader) error {
		if err := c.start(r); err != nil {
			return err
		}
		s := r.runs
		defer s.Reset()
		if err := errors.Join(s.BindInt64(1, c.id), s.BindInt64(2, c.after+1)); err != nil {
			return fail("read", err)
		}
		c.batch, c.buf = c.batch[:0], c.buf[:0]
		for size := 0; size < batchSize && s.Step(); {
			run := storedRun{first: s.ColumnInt64(0), last: s.ColumnInt64(1), at: s.ColumnInt64(2)}
			if run.first > c.head {
				break // it came, or was torn, after the walk began
			}
			if run.last <= c.after {
				continue
			}
			// Growing moves buf, but what points into the old one stays valid.
			start := len(c.buf)
			c.buf = append(c.buf, s.ColumnRawBlob(3)...)
			run.data = c.buf[start:len(c.buf):len(c.buf)]
			size += len(run.data)
			c.batch = append(c.batch, run)
		}
		if err := s.Err(); errors.Is(err, sqlite3.CORRUPT) {
			// The pages that hold the rest of the branch cannot be walked. What
			// came before them is yielded first; the next fetch ends here again.
			if len(c.batch) > 0 {
				return nil
			}
			return c.damage(c.after+1, max(c.head, c.after+1), err)
		} else if err != nil {
			return fail("read", err)
		}
		return nil
	})
}

// start finds the branch, or makes sure that it is still there.
func (c *runReader) start(r *reader) error {
	id, packed, err := r.branch(c.branch)
	if err != nil {
		return err
	}
	if c.id == 0 {
		c.id = id
		c.head, c.torn, err = r.head(id, packed)
		return err
	}
	if id != c.id {
		return steno.ErrNotFound // another of the same name
	}
	return nil
}
