-- A branch is a journal. packed is the seq up to which its runs are segments,
-- bytes what those take; damaged is the seq of the first event that is known to
-- be unreadable, or 0.
CREATE TABLE branches (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	name    TEXT    NOT NULL UNIQUE,
	at      INTEGER NOT NULL,
	packed  INTEGER NOT NULL DEFAULT 0,
	bytes   INTEGER NOT NULL DEFAULT 0,
	damaged INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A run or segment. first and last repeat what data says, for finding it; at is
-- when its last event was recorded.
CREATE TABLE runs (
	branch INTEGER NOT NULL,
	first  INTEGER NOT NULL,
	last   INTEGER NOT NULL,
	at     INTEGER NOT NULL,
	data   BLOB    NOT NULL,
	PRIMARY KEY (branch, first)
) STRICT, WITHOUT ROWID;
