package server

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
)

type principalKey struct{}

func withPrincipal(ctx context.Context, p config.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

func principal(ctx context.Context) config.Principal {
	p, _ := ctx.Value(principalKey{}).(config.Principal)
	return p
}

// cookieName holds the port, because browsers share cookies between the ports
// of a host and two servers would sign each other out.
func cookieName(addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		port = "0"
	}
	return "steno-" + port
}

// authenticate says who sent a request: a bearer token's holder or, without
// an Authorization header, a cookie's.
func (s *Server) authenticate(r *http.Request) (config.Principal, error) {
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, secret, _ := strings.Cut(h, " ")
		if strings.EqualFold(scheme, "Bearer") {
			if p, ok := s.opt.Auth.Token(strings.TrimSpace(secret)); ok {
				return p, nil
			}
		}
		return config.Principal{}, catalogue.New(catalogue.SignedOut, "the token is not valid")
	}
	for _, c := range r.CookiesNamed(s.cookie) {
		if p, ok := s.opt.Auth.Session(c.Value); ok {
			return p, nil
		}
	}
	return config.Principal{}, catalogue.New(catalogue.SignedOut, "")
}

// SignInLink makes a link that signs a browser in, once and within
// [config.CodeLife].
func (s *Server) SignInLink() string {
	code, _ := s.opt.Auth.NewCode()
	return s.link(code)
}

func (s *Server) link(code string) string {
	u := url.URL{Scheme: "http", Host: s.opt.Addr, Path: "/sign-in"}
	if host, port, err := net.SplitHostPort(s.opt.Addr); err == nil {
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			u.Host = net.JoinHostPort("127.0.0.1", port)
		}
	}
	if p := s.opt.PublicURL; p != nil {
		u.Scheme, u.Host = p.Scheme, p.Host
	}
	u.RawQuery = url.Values{"code": {code}}.Encode()
	return u.String()
}

// signIn exchanges a code for a cookie and redirects, so that the code stays
// in no history.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet {
		// Whoever looks at a link before it is followed must not use it up.
		return catalogue.New(catalogue.BadRequest, "a sign-in link has no HEAD; use GET")
	}
	session, expires, err := s.opt.Auth.Redeem(r.URL.Query().Get("code"))
	if err != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
		// A browser is sent to the page, which says how to sign in.
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie, Value: session, Path: "/", Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: s.opt.PublicURL != nil && s.opt.PublicURL.Scheme == "https",
	})
	w.Header().Set("Location", "/")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// signInLink answers POST /v1/sign-in-links.
func (s *Server) signInLink(w http.ResponseWriter, _ *http.Request) error {
	code, expires := s.opt.Auth.NewCode()
	return writeJSON(w, http.StatusCreated, api.SignInLink{URL: s.link(code), Expires: expires.UnixMilli()})
}

func (s *Server) tokens(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, s.opt.Auth.Tokens())
}

func (s *Server) addToken(w http.ResponseWriter, r *http.Request) error {
	var t api.NewToken
	if err := readJSON(w, r, s.opt.Limits.Body, &t); err != nil {
		return err
	}
	scope, err := config.ParseScope(string(t.Scope))
	if err != nil {
		return err
	}
	if t.Secret, err = s.opt.Auth.AddToken(t.Name, scope); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, t)
}

func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := s.opt.Auth.RevokeToken(r.PathValue("name")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
