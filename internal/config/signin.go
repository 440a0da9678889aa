package config

import (
	"crypto/subtle"
	"time"

	"github.com/stenolog/steno/internal/catalogue"
)

// NewCode makes a sign-in code. It works once and for [CodeLife]; it is kept
// in memory only, so a restart ends it too.
func (a *Auth) NewCode() (code string, expires time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	code = random(32)
	expires = a.now().Add(CodeLife)
	a.mu.codes = append(unexpired(a.mu.codes, a.now(), maxCodes-1),
		secretEntry{Hash: hash(code), Expires: expires.UnixMilli()})
	return code, expires
}

// Redeem exchanges a code for a session and returns its secret. A code that is
// wrong, used or too old is [catalogue.BadCode].
func (a *Auth) Redeem(code string) (session string, expires time.Time, err error) {
	h := hash(code)
	a.mu.Lock()
	defer a.mu.Unlock()
	found := -1
	for i, c := range a.mu.codes {
		if subtle.ConstantTimeCompare(h, c.Hash) == 1 && a.now().UnixMilli() < c.Expires {
			found = i
		}
	}
	if found < 0 {
		return "", time.Time{}, catalogue.New(catalogue.BadCode, "")
	}
	session = random(32)
	expires = a.now().Add(SessionLife)
	kept := a.mu.kept
	kept.Sessions = append(unexpired(kept.Sessions, a.now(), maxSessions-1),
		secretEntry{ID: random(9), Hash: hash(session), Expires: expires.UnixMilli()})
	// The code goes before the write: one that fails must not leave a code
	// that works twice.
	a.mu.codes = append(a.mu.codes[:found], a.mu.codes[found+1:]...)
	return session, expires, a.write(kept)
}

// Session returns who holds a session's secret: its scope is admin, because
// only who could read the data directory could get a sign-in link.
func (a *Auth) Session(secret string) (Principal, bool) {
	h := hash(secret)
	a.mu.Lock()
	defer a.mu.Unlock()
	var p Principal
	ok := false
	for _, s := range a.mu.kept.Sessions {
		if subtle.ConstantTimeCompare(h, s.Hash) == 1 && a.now().UnixMilli() < s.Expires {
			p, ok = Principal{ID: s.ID, Name: "browser", Scope: Admin}, true
		}
	}
	return p, ok
}

// unexpired returns a copy of list without what has expired, and at most the
// newest limit of it.
func unexpired(list []secretEntry, now time.Time, limit int) []secretEntry {
	kept := make([]secretEntry, 0, len(list)+1)
	for _, e := range list {
		if now.UnixMilli() < e.Expires {
			kept = append(kept, e)
		}
	}
	if len(kept) > limit {
		kept = kept[len(kept)-limit:]
	}
	return kept
}
