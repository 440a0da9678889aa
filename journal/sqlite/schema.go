package sqlite

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno"
)

// applicationID marks the file as ours: "sTno".
const applicationID = 0x73546e6f

// busyTimeout is how long a connection waits for a lock of another program.
const busyTimeout = 10 * time.Second

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations holds the statements that lead from version i to i+1 of the
// schema, by i. Those of a released version are never changed.
var migrations = func() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		panic("sqlite: no migrations") // they are part of the binary
	}
	var all []string
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		all = append(all, string(text))
	}
	return all
}()

// source says which database to connect to, and how.
type source struct {
	path string
	vfs  string // the file layer, ours if it is empty
	// frozen says that the file cannot change, so that it is read without the
	// files beside it that readers and writers agree by.
	frozen bool
}

// uri returns the name by which SQLite opens the database.
func (s source) uri() (string, error) {
	path, err := filepath.Abs(s.path)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	// New files beside the database get its permissions.
	query := url.Values{"modeof": {path}, "vfs": {cmp.Or(s.vfs, diskLayer)}}
	if s.frozen {
		query.Set("immutable", "1")
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String(), nil
}

func (s source) connect(flags sqlite3.OpenFlag) (*sqlite3.Conn, error) {
	uri, err := s.uri()
	if err != nil {
		return nil, err
	}
	c, err := sqlite3.OpenFlags(uri, flags|sqlite3.OPEN_URI)
	if err != nil {
		return nil, fail("connect", err)
	}
	if err := c.BusyTimeout(busyTimeout); err != nil {
		return nil, errors.Join(fail("connect", err), c.Close())
	}
	return c, nil
}

// check returns [fs.ErrNotExist] if there is no store, and an error if it is
// not one this version can open. It changes nothing.
func (s source) check() error {
	if info, err := os.Stat(s.path); err != nil {
		return err
	} else if info.Size() == 0 {
		return &fs.PathError{Op: "open", Path: s.path, Err: fs.ErrNotExist}
	}
	c, err := s.connect(sqlite3.OPEN_READONLY)
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := pragma(c, "application_id")
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	version, err := pragma(c, "user_version")
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	switch {
	case id == 0 && version == 0:
		// Made, but not yet filled, when its process was killed.
		tables, err := queryInt(c, "SELECT count(*) FROM sqlite_schema")
		if err != nil || tables == 0 {
			return err
		}
		fallthrough
	case id != applicationID:
		return fmt.Errorf("%s is a database of another program: %w", s.path, steno.ErrUnsupported)
	case version > int64(len(migrations)):
		return &VersionError{Store: int(version), Known: len(migrations)}
	}
	return nil
}

// logIsEmpty reports whether all that was committed stands in the file itself.
func (s source) logIsEmpty() bool {
	info, err := os.Stat(s.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// VersionError is returned for a store that a newer version wrote. It wraps
// [steno.ErrUnsupported].
type VersionError struct {
	// Store is the version of the store, Known the newest this build can open.
	Store, Known int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the store has version %d, this build knows up to %d", e.Store, e.Known)
}

// Unwrap returns [steno.ErrUnsupported].
func (e *VersionError) Unwrap() error { return steno.ErrUnsupported }

// setUp brings a writable connection and its database to where they must be.
func setUp(c *sqlite3.Conn, relaxed bool) error {
	synchronous := "FULL"
	if relaxed {
		synchronous = "NORMAL"
	}
	// The first takes effect only in a new database, the second for ever.
	for _, statement := range []string{
		"PRAGMA auto_vacuum = INCREMENTAL",
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = " + synchronous,
		"PRAGMA journal_size_limit = 8388608",
	} {
		if err := c.Exec(statement); err != nil {
			return fail("set up", err)
		}
	}
	return migrate(c, migrations)
}

// migrate brings the schema to the newest version, each step in a transaction
// of its own, so that a kill leaves a version and not something in between.
func migrate(c *sqlite3.Conn, steps []string) error {
	version, err := pragma(c, "user_version")
	if err != nil {
		return err
	}
	for ; version < int64(len(steps)); version++ {
		err := c.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
			steps[version], applicationID, version+1))
		if err != nil {
			if !c.GetAutocommit() {
				err = errors.Join(err, c.Exec("ROLLBACK"))
			}
			return fail(fmt.Sprintf("bring the store to version %d", version+1), err)
		}
	}
	return nil
}

func pragma(c *sqlite3.Conn, name string) (int64, error) { return queryInt(c, "PRAGMA "+name) }

// queryInt returns the first column of the first row.
func queryInt(c *sqlite3.Conn, sql string) (int64, error) {
	stmt, _, err := c.Prepare(sql)
	if err != nil {
		return 0, fail("query", err)
	}
	defer stmt.Close()
	var n int64
	if stmt.Step() {
		n = stmt.ColumnInt64(0)
	}
	return n, fail("query", stmt.Err())
}
