package config

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/catalogue"
)

// How long a sign-in code and a session live.
const (
	CodeLife    = 10 * time.Minute
	SessionLife = 30 * 24 * time.Hour
)

// maxCodes and maxSessions bound what is kept; the oldest give way.
const (
	maxCodes    = 100
	maxSessions = 1000
)

// Scope is what a token may do.
type Scope string

// The scopes. Write includes read and ingest; admin includes all.
const (
	Read   Scope = "read"
	Write  Scope = "write"
	Ingest Scope = "ingest" // may only record
	Admin  Scope = "admin"
)

// ParseScope returns the scope of that name.
func ParseScope(s string) (Scope, error) {
	switch sc := Scope(s); sc {
	case Read, Write, Ingest, Admin:
		return sc, nil
	}
	return "", catalogue.New(catalogue.Usage, fmt.Sprintf("scope %q must be read, write, ingest or admin", s))
}

// Allows reports whether a holder of s may do what needs need.
func (s Scope) Allows(need Scope) bool {
	return s == need || s == Admin || s == Write && need != Admin
}

// Principal is who sent a request.
type Principal struct {
	// ID is unique for the life of the token or session and no secret.
	ID    string
	Name  string
	Scope Scope
}

// Token describes a token, without its secret.
type Token struct {
	Name    string `json:"name"`
	Scope   Scope  `json:"scope"`
	Created int64  `json:"created"` // milliseconds since the Unix epoch
}

// Auth keeps tokens, codes and sessions in one small file. Only hashes are
// kept: the secrets are random and 256 bits long, so SHA-256 is enough.
//
// # Concurrency
//
// All methods may be called from any goroutine. One process at a time may have
// the file open; the lock of the data directory sees to that.
type Auth struct {
	path string
	now  func() time.Time

	mu struct {
		sync.Mutex
		kept    authFile
		own     []tokenEntry // tokens of this process, not written
		codes   []secretEntry
		revoked map[string]chan struct{}
	}
}

// authFile is the file's content.
type authFile struct {
	Version  int           `json:"v"`
	Tokens   []tokenEntry  `json:"tokens"`
	Sessions []secretEntry `json:"sessions"`
}

type tokenEntry struct {
	ID string `json:"id"`
	Token
	Hash []byte `json:"hash"`
}

// secretEntry is a sign-in code or a session.
type secretEntry struct {
	ID      string `json:"id"`
	Hash    []byte `json:"hash"`
	Expires int64  `json:"expires"` // milliseconds since the Unix epoch
}

const authVersion = 1

// OpenAuth opens the file in the data directory dir. now is the clock, nil for
// the real one. A file of a newer steno is refused with
// [steno.ErrUnsupported] and not touched.
func OpenAuth(dir string, now func() time.Time) (*Auth, error) {
	if now == nil {
		now = time.Now
	}
	a := &Auth{path: filepath.Join(dir, "auth.json"), now: now}
	a.mu.revoked = map[string]chan struct{}{}
	data, err := ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &a.mu.kept); err != nil {
		return nil, catalogue.Wrap(catalogue.BadOwnFile, a.path, errors.Join(steno.ErrCorrupt, err))
	}
	if v := a.mu.kept.Version; v > authVersion {
		return nil, fmt.Errorf("%s has version %d, this steno knows %d: %w", a.path, v, authVersion, steno.ErrUnsupported)
	}
	return a, nil
}

// AddToken makes a token and returns its secret, which is not kept and cannot
// be shown again. A name that is taken is [steno.ErrConflict].
func (a *Auth) AddToken(name string, scope Scope) (secret string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tokenNamed(name) >= 0 {
		return "", catalogue.New(catalogue.Conflict, fmt.Sprintf("there is a token %q already; revoke it first or choose another name", name))
	}
	e, secret := a.newToken(name, scope)
	kept := a.mu.kept
	kept.Tokens = append(kept.Tokens[:len(kept.Tokens):len(kept.Tokens)], e)
	return secret, a.write(kept)
}

// OwnToken makes a token that lives as long as this process and is in no list.
func (a *Auth) OwnToken(name string, scope Scope) (secret string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, secret := a.newToken(name, scope)
	a.mu.own = append(a.mu.own, e)
	return secret
}

// Tokens returns the tokens in the order they were made.
func (a *Auth) Tokens() []Token {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]Token, 0, len(a.mu.kept.Tokens))
	for _, t := range a.mu.kept.Tokens {
		list = append(list, t.Token)
	}
	return list
}

// RevokeToken ends a token and, through [Auth.Revoked], every stream it holds.
func (a *Auth) RevokeToken(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.tokenNamed(name)
	if i < 0 {
		return catalogue.New(catalogue.NotFound, fmt.Sprintf("token %q", name))
	}
	kept := a.mu.kept
	id := kept.Tokens[i].ID
	kept.Tokens = append(kept.Tokens[:i:i], kept.Tokens[i+1:]...)
	if err := a.write(kept); err != nil {
		return err
	}
	if c := a.mu.revoked[id]; c != nil {
		close(c)
		delete(a.mu.revoked, id)
	}
	return nil
}

// Token returns who holds a token's secret. It compares with every token in
// constant time.
func (a *Auth) Token(secret string) (Principal, bool) {
	h := hash(secret)
	a.mu.Lock()
	defer a.mu.Unlock()
	var p Principal
	ok := false
	for _, list := range [][]tokenEntry{a.mu.own, a.mu.kept.Tokens} {
		for _, t := range list {
			if subtle.ConstantTimeCompare(h, t.Hash) == 1 {
				p, ok = Principal{ID: t.ID, Name: t.Name, Scope: t.Scope}, true
			}
		}
	}
	return p, ok
}

// Revoked returns a channel that is closed when the token or session of that
// principal is revoked; at once if it already is.
func (a *Auth) Revoked(id string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.mu.revoked[id]; c != nil {
		return c
	}
	c := make(chan struct{})
	if !a.known(id) {
		close(c)
		return c
	}
	a.mu.revoked[id] = c
	return c
}

// known reports whether a token or session of that id exists. Requires mu.
func (a *Auth) known(id string) bool {
	for _, list := range [][]tokenEntry{a.mu.own, a.mu.kept.Tokens} {
		for _, t := range list {
			if t.ID == id {
				return true
			}
		}
	}
	for _, s := range a.mu.kept.Sessions {
		if s.ID == id {
			return true
		}
	}
	return false
}

// newToken makes an entry and its secret. Requires mu.
func (a *Auth) newToken(name string, scope Scope) (tokenEntry, string) {
	secret := "steno_" + random(32)
	return tokenEntry{
		ID:    random(9),
		Token: Token{Name: name, Scope: scope, Created: a.now().UnixMilli()},
		Hash:  hash(secret),
	}, secret
}

// tokenNamed returns the index of a kept token, or -1. Requires mu.
func (a *Auth) tokenNamed(name string) int {
	for i, t := range a.mu.kept.Tokens {
		if t.Name == name {
			return i
		}
	}
	return -1
}

// write makes kept the content of the file and then of a. Requires mu.
func (a *Auth) write(kept authFile) error {
	kept.Version = authVersion
	data, err := json.Marshal(kept, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := WriteFile(a.path, append(data, '\n')); err != nil {
		return err
	}
	a.mu.kept = kept
	return nil
}

func checkName(name string) error {
	ok := name != "" && len(name) <= 64
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}
	if !ok {
		return catalogue.New(catalogue.Usage, "a token's name is 1 to 64 letters, digits, dots, dashes or underscores")
	}
	return nil
}

func random(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
