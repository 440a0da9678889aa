// Package library is the read model of a store: what a list of conversations
// shows, and the borders between turns that let a conversation be opened
// without reading all of it. It holds no fact of its own: it is folded from the
// journals, may be deleted at any time and is then made again.
//
// A Library may be used from any goroutine.
package library

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	_ "github.com/ncruces/go-sqlite3/driver" // the database driver "sqlite3"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal"
	"github.com/stenolog/steno/recorder"
)

// FileName is the name of the library in the directory of a store.
const FileName = "library.db"

// version is that of the tables below. A library of another version is thrown
// away and made again.
const version = 1

const schema = `
CREATE TABLE conversations (
	id        TEXT PRIMARY KEY,
	seq       INTEGER NOT NULL,
	title     TEXT NOT NULL DEFAULT '',
	model     TEXT NOT NULL DEFAULT '',
	directory TEXT NOT NULL DEFAULT '',
	owner     TEXT NOT NULL DEFAULT '',
	demo      INTEGER NOT NULL DEFAULT 0,
	pin       INTEGER NOT NULL DEFAULT 0,
	archive   INTEGER NOT NULL DEFAULT 0,
	created   INTEGER NOT NULL DEFAULT 0,
	updated   INTEGER NOT NULL DEFAULT 0,
	turns     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE checkpoints (
	branch TEXT NOT NULL,
	turn   INTEGER NOT NULL,
	seq    INTEGER NOT NULL,
	at     INTEGER NOT NULL,
	state  TEXT NOT NULL,
	PRIMARY KEY (branch, turn)
) STRICT, WITHOUT ROWID;
`

// Entry is one conversation of the list.
type Entry struct {
	ID string
	// Seq is the position of its root journal the entry is complete to.
	Seq                     int64
	Title, Model, Directory string
	Owner                   string
	Demo, Pin, Archive      bool
	// Created and Updated are in milliseconds since the Unix epoch.
	Created, Updated int64
	// Turns is how many turns have ended or are running.
	Turns uint32
}

// Library is an open read model. Make one with [Open].
type Library struct {
	db *sql.DB
}

// Open opens the library in dir and brings it up to the journals; a branch that
// cannot be read is reported. A library that is not there or cannot be used is
// made again. The caller owns the store.
func Open(ctx context.Context, dir string, j journal.Journal, report func(error)) (*Library, error) {
	path := filepath.Join(dir, FileName)
	l, err := openIndexed(ctx, path, j, report)
	if err == nil || ctx.Err() != nil {
		return l, err
	}
	// Whatever is wrong with it: it can be made again.
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if rerr := os.Remove(path + suffix); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			return nil, fmt.Errorf("open library: %w", errors.Join(err, rerr))
		}
	}
	return openIndexed(ctx, path, j, report)
}

func openIndexed(ctx context.Context, path string, j journal.Journal, report func(error)) (*Library, error) {
	l, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	if err := l.Index(ctx, j, report); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func open(ctx context.Context, path string) (*Library, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	// It can be made again, so it need not be synced at every commit.
	dsn := "file:" + filepath.ToSlash(path) +
		// Files beside it get its permissions.
		"?modeof=" + url.QueryEscape(filepath.ToSlash(path)) +
		"&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_txlock=immediate"
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	l := &Library{db: db}
	if err := l.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

func (l *Library) migrate(ctx context.Context) error {
	var have int
	if err := l.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have == version {
		return nil
	}
	if have != 0 {
		return fmt.Errorf("library is of version %d, this is %d: %w", have, version, steno.ErrUnsupported)
	}
	if _, err := l.db.ExecContext(ctx, schema); err != nil {
		return err
	}
	_, err := l.db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// Close closes the library.
func (l *Library) Close() error { return l.db.Close() }

const columns = `id, seq, title, model, directory, owner, demo, pin, archive, created, updated, turns`

// Put writes an entry.
func (l *Library) Put(ctx context.Context, e Entry) error {
	_, err := l.db.ExecContext(ctx,
		`INSERT OR REPLACE INTO conversations (`+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.ID, e.Seq, e.Title, e.Model, e.Directory, e.Owner, e.Demo, e.Pin, e.Archive, e.Created, e.Updated, e.Turns)
	if err != nil {
		return fmt.Errorf("library: put %s: %w", e.ID, err)
	}
	return nil
}

type scanner interface{ Scan(...any) error }

func scan(row scanner) (Entry, error) {
	var e Entry
	err := row.Scan(&e.ID, &e.Seq, &e.Title, &e.Model, &e.Directory, &e.Owner,
		&e.Demo, &e.Pin, &e.Archive, &e.Created, &e.Updated, &e.Turns)
	return e, err
}

// Get returns the entry of a conversation, or [steno.ErrNotFound].
func (l *Library) Get(ctx context.Context, id string) (Entry, error) {
	e, err := scan(l.db.QueryRowContext(ctx, `SELECT `+columns+` FROM conversations WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = steno.ErrNotFound
	}
	if err != nil {
		return Entry{}, fmt.Errorf("library: conversation %s: %w", id, err)
	}
	return e, nil
}

// List returns all entries, the one changed last first.
func (l *Library) List(ctx context.Context) ([]Entry, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT `+columns+` FROM conversations ORDER BY pin DESC, updated DESC, id`)
	if err != nil {
		return nil, fmt.Errorf("library: list: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err says what there is to say
	var all []Entry
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("library: list: %w", err)
		}
		all = append(all, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("library: list: %w", err)
	}
	return all, nil
}

// Delete forgets a conversation and its borders.
func (l *Library) Delete(ctx context.Context, id string) error {
	for _, q := range []string{`DELETE FROM conversations WHERE id = ?`, `DELETE FROM checkpoints WHERE branch = ?`} {
		if _, err := l.db.ExecContext(ctx, q, id); err != nil {
			return fmt.Errorf("library: delete %s: %w", id, err)
		}
	}
	return nil
}

// PutCheckpoint writes the border behind a turn.
func (l *Library) PutCheckpoint(ctx context.Context, cp recorder.Checkpoint) error {
	state, err := json.Marshal(cp.State)
	if err != nil {
		return fmt.Errorf("library: checkpoint: %w", err)
	}
	_, err = l.db.ExecContext(ctx,
		`INSERT OR REPLACE INTO checkpoints (branch, turn, seq, at, state) VALUES (?, ?, ?, ?, ?)`,
		cp.Branch, cp.Turn, cp.Seq, cp.At, string(state))
	if err != nil {
		return fmt.Errorf("library: checkpoint %s/%d: %w", cp.Branch, cp.Turn, err)
	}
	return nil
}

// Checkpoint returns the border behind a turn, or [steno.ErrNotFound] if that
// turn has not ended.
func (l *Library) Checkpoint(ctx context.Context, branch string, turn uint32) (*recorder.Checkpoint, error) {
	return l.checkpoint(ctx, branch, `turn = ?`, turn)
}

// Latest returns the border behind the newest turn that ended, or
// [steno.ErrNotFound].
func (l *Library) Latest(ctx context.Context, branch string) (*recorder.Checkpoint, error) {
	return l.checkpoint(ctx, branch, `turn >= ? ORDER BY turn DESC LIMIT 1`, 0)
}

func (l *Library) checkpoint(ctx context.Context, branch, where string, turn uint32) (*recorder.Checkpoint, error) {
	cp := &recorder.Checkpoint{Branch: branch}
	var state string
	err := l.db.QueryRowContext(ctx, `SELECT turn, seq, at, state FROM checkpoints WHERE branch = ? AND `+where, branch, turn).
		Scan(&cp.Turn, &cp.Seq, &cp.At, &state)
	if errors.Is(err, sql.ErrNoRows) {
		err = steno.ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal([]byte(state), &cp.State)
	}
	if err != nil {
		return nil, fmt.Errorf("library: checkpoint %s/%d: %w", branch, turn, err)
	}
	return cp, nil
}

// Sort puts entries in the order of [Library.List].
func Sort(all []Entry) {
	slices.SortFunc(all, func(a, b Entry) int {
		if a.Pin != b.Pin {
			if a.Pin {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Updated, a.Updated), cmp.Compare(a.ID, b.ID))
	})
}
