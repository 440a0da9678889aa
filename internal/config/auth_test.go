package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/catalogue"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func openAuth(t *testing.T, dir string) (*Auth, *clock) {
	t.Helper()
	c := &clock{time.Unix(1_800_000_000, 0)}
	a, err := OpenAuth(dir, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

func TestTokens(t *testing.T) {
	dir := t.TempDir()
	a, _ := openAuth(t, dir)
	secret, err := a.AddToken("ci", Ingest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.AddToken("ci", Read); !errors.Is(err, steno.ErrConflict) {
		t.Errorf("a name was given twice: %v", err)
	}
	for _, name := range []string{"", "a b", "../x", "\x1b[31m", strings.Repeat("x", 65)} {
		if _, err := a.AddToken(name, Read); catalogue.Of(err) == nil {
			t.Errorf("%q is a name", name)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "auth.json"))
	if err != nil || strings.Contains(string(data), strings.TrimPrefix(secret, "steno_")) {
		t.Fatalf("the secret stands in the file (%v)", err)
	}

	b, _ := openAuth(t, dir) // as after a restart
	p, ok := b.Token(secret)
	if !ok || p.Name != "ci" || p.Scope != Ingest {
		t.Fatalf("got %+v %v", p, ok)
	}
	if _, ok := b.Token(secret + "x"); ok {
		t.Error("another secret is taken")
	}
	if _, ok := b.Token(""); ok {
		t.Error("no secret is taken")
	}
	gone := b.Revoked(p.ID)
	select {
	case <-gone:
		t.Fatal("it is revoked before it was")
	default:
	}
	if err := b.RevokeToken("ci"); err != nil {
		t.Fatal(err)
	}
	<-gone
	<-b.Revoked(p.ID)
	if _, ok := b.Token(secret); ok || len(b.Tokens()) != 0 {
		t.Error("it is still there")
	}
	if err := b.RevokeToken("ci"); !errors.Is(err, steno.ErrNotFound) {
		t.Errorf("revoked twice: %v", err)
	}
}

func TestOwnTokenIsNotKept(t *testing.T) {
	dir := t.TempDir()
	a, _ := openAuth(t, dir)
	secret := a.OwnToken("server", Admin)
	if p, ok := a.Token(secret); !ok || p.Scope != Admin || len(a.Tokens()) != 0 {
		t.Fatalf("got %+v %v %v", p, ok, a.Tokens())
	}
	if _, err := os.Stat(filepath.Join(dir, "auth.json")); err == nil {
		t.Error("it was written")
	}
}

func TestACodeWorksOnceAndForTenMinutes(t *testing.T) {
	dir := t.TempDir()
	a, c := openAuth(t, dir)
	code, _ := a.NewCode()
	session, _, err := a.Redeem(code)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Redeem(code); catalogue.Of(err).Code != catalogue.BadCode {
		t.Errorf("it works twice: %v", err)
	}
	late, _ := a.NewCode()
	c.t = c.t.Add(CodeLife)
	if _, _, err := a.Redeem(late); err == nil {
		t.Error("it works after ten minutes")
	}
	b, c2 := openAuth(t, dir)
	if p, ok := b.Session(session); !ok || p.Scope != Admin {
		t.Error("a session does not outlive a restart")
	}
	if _, ok := b.Session(code); ok {
		t.Error("a code is a session")
	}
	c2.t = c2.t.Add(SessionLife)
	if _, ok := b.Session(session); ok {
		t.Error("a session does not end")
	}
}

func TestCodesAndSessionsAreBounded(t *testing.T) {
	a, _ := openAuth(t, t.TempDir())
	for range 3 * maxCodes {
		a.NewCode()
	}
	if len(a.mu.codes) != maxCodes {
		t.Errorf("%d codes are kept", len(a.mu.codes))
	}
	list := make([]secretEntry, maxSessions+5)
	for i := range list {
		list[i].Expires = a.now().Add(time.Hour).UnixMilli()
	}
	if got := unexpired(list, a.now(), maxSessions); len(got) != maxSessions {
		t.Errorf("%d sessions are kept", len(got))
	}
}

func TestAuthFileOfANewerSteno(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "auth.json")
	os.WriteFile(path, []byte(`{"v":99}`), 0o600)
	if _, err := OpenAuth(dir, nil); !errors.Is(err, steno.ErrUnsupported) || !strings.Contains(err.Error(), "99") {
		t.Errorf("%v", err)
	}
	os.WriteFile(path, []byte(`{`), 0o600)
	if _, err := OpenAuth(dir, nil); !errors.Is(err, steno.ErrCorrupt) || catalogue.Of(err).Code != catalogue.BadOwnFile {
		t.Errorf("%v", err)
	}
}

func TestScopes(t *testing.T) {
	all := []Scope{Read, Write, Ingest, Admin}
	want := map[Scope]string{Read: "read", Write: "read write ingest", Ingest: "ingest", Admin: "read write ingest admin"}
	for _, have := range all {
		var may []string
		for _, need := range all {
			if have.Allows(need) {
				may = append(may, string(need))
			}
		}
		if got := strings.Join(may, " "); got != want[have] {
			t.Errorf("%s may %s", have, got)
		}
	}
	if _, err := ParseScope("root"); err == nil {
		t.Error("root is a scope")
	}
}
