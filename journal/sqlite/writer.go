package sqlite

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
)

// writer is the write connection with its statements. It belongs to one
// goroutine, the committer's.
type writer struct {
	conn *sqlite3.Conn

	findBranch, addBranch, findHead, findTail, addRun *sqlite3.Stmt

	// unsure says that a failed commit may stand on disk all the same and come
	// to light after a crash. The next transaction that succeeds buries it.
	unsure bool
}

func openWriter(src source, relaxed bool) (*writer, error) {
	// SQLite would make these readable for everybody.
	for _, path := range []string{src.path, src.path + "-shm"} {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	conn, err := src.connect(sqlite3.OPEN_READWRITE)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn}
	err = setUp(conn, relaxed)
	if err == nil {
		err = w.prepare()
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) prepare() error {
	for _, s := range []struct {
		stmt **sqlite3.Stmt
		sql  string
	}{
		{&w.findBranch, "SELECT id, damaged FROM branches WHERE name = ?"},
		{&w.addBranch, "INSERT INTO branches (name, at) VALUES (?, ?)"},
		{&w.findHead, "SELECT last FROM runs WHERE branch = ? ORDER BY first DESC LIMIT 1"},
		{&w.findTail, "SELECT first, last, data FROM runs WHERE branch = ? AND first > ? ORDER BY first DESC LIMIT 1"},
		{&w.addRun, "INSERT INTO runs (branch, first, last, at, data) VALUES (?, ?, ?, ?, ?)"},
	} {
		var err error
		if *s.stmt, _, err = w.conn.PrepareFlags(s.sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return fail("prepare", err)
		}
	}
	return nil
}

func (w *writer) close() error {
	for _, s := range []*sqlite3.Stmt{w.findBranch, w.addBranch, w.findHead, w.findTail, w.addRun} {
		// What a statement has to report was reported when it ran.
		_ = s.Close()
	}
	return fail("close", w.conn.Close())
}

// group does the jobs in one transaction, and after it those that stand apart.
func (w *writer) group(jobs []*job) {
	var together []*job
	for _, j := range jobs {
		if !j.apart {
			together = append(together, j)
		}
	}
	w.together(together)
	for _, j := range jobs {
		if j.apart {
			j.err = j.do(w)
		}
	}
}

// together does the jobs in one transaction. If it fails none of them has had
// an effect, and all are told; but a job that met a damaged page is left out
// and the others done without it.
func (w *writer) together(jobs []*job) {
	for len(jobs) > 0 {
		met, err := w.transaction(jobs)
		if err == nil {
			return
		}
		if met == nil || !errors.Is(err, steno.ErrCorrupt) {
			for _, j := range jobs {
				j.err = err
			}
			return
		}
		met.err = err
		jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j == met })
	}
}

// transaction does the jobs in one transaction. If it returns an error none of
// them has had an effect; met is the job that met it.
func (w *writer) transaction(jobs []*job) (met *job, err error) {
	if err := w.rollback(); err != nil { // of one that could not be undone before
		return nil, err
	}
	if w.unsure {
		if err := w.bury(); err != nil {
			return nil, err
		}
	}
	if err := w.exec("begin", "BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		j.err = j.do(w)
		var f *failure
		if errors.As(j.err, &f) {
			return j, errors.Join(j.err, w.rollback())
		}
	}
	if err := w.conn.Exec("COMMIT"); err != nil {
		return nil, w.failedCommit(err)
	}
	return nil, nil
}

// failedCommit undoes a commit that failed. A write that failed never leaves a
// whole commit behind; a sync that failed may.
func (w *writer) failedCommit(err error) error {
	w.unsure = errors.Is(err, sqlite3.IOERR) && !errors.Is(err, sqlite3.IOERR_WRITE)
	err = errors.Join(fail("commit", err), w.rollback())
	if w.unsure {
		if buried := w.bury(); buried != nil {
			return fmt.Errorf("%w: %w", steno.ErrIncomplete, errors.Join(err, buried))
		}
	}
	return err
}

// bury commits something that says nothing over what a failed commit may have
// left in the write-ahead log.
func (w *writer) bury() error {
	err := w.exec("commit after a failure", fmt.Sprintf("PRAGMA user_version = %d", len(migrations)))
	w.unsure = err != nil
	return err
}

// rollback ends the transaction, if SQLite has not done so by itself.
func (w *writer) rollback() error {
	if w.conn.GetAutocommit() {
		return nil
	}
	return w.exec("roll back", "ROLLBACK")
}

func (w *writer) exec(op, sql string) error { return fail(op, w.conn.Exec(sql)) }

// run does a statement with integers for its parameters.
func (w *writer) run(op, sql string, args ...int64) error {
	stmt, _, err := w.conn.Prepare(sql)
	if err != nil {
		return fail(op, err)
	}
	defer stmt.Close()
	for i, a := range args {
		if err := stmt.BindInt64(i+1, a); err != nil {
			return fail(op, err)
		}
	}
	return fail(op, stmt.Exec())
}

// branch returns the id of a branch, or 0 if there is none, and the seq of the
// first event of it that is known to be damaged.
func (w *writer) branch(name string) (id, damaged int64, err error) {
	s := w.findBranch
	defer s.Reset()
	if err := s.BindText(1, name); err != nil {
		return 0, 0, fail("find branch", err)
	}
	if s.Step() {
		id, damaged = s.ColumnInt64(0), s.ColumnInt64(1)
	}
	return id, damaged, fail("find branch", s.Err())
}

// head returns the seq of the last event of a branch, or 0.
func (w *writer) head(id int64) (int64, error) {
	s := w.findHead
	defer s.Reset()
	if err := s.BindInt64(1, id); err != nil {
		return 0, fail("find head", err)
	}
	var head int64
	if s.Step() {
		head = s.ColumnInt64(0)
	}
	return head, fail("find head", s.Err())
}

func (w *writer) newBranch(name string, at int64) (int64, error) {
	s := w.addBranch
	err := errors.Join(s.BindText(1, name), s.BindInt64(2, at), s.Exec())
	return w.conn.LastInsertRowID(), fail("add branch", err)
}

func (w *writer) insert(branch int64, r storedRun) error {
	s := w.addRun
	err := errors.Join(s.BindInt64(1, branch), s.BindInt64(2, r.first), s.BindInt64(3, r.last),
		s.BindInt64(4, r.at), s.BindBlob(5, r.data), s.Exec())
	return fail("add run", err)
}
