package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stenolog/steno/internal/catalogue"
)

// hosts decides which names a request may have been sent to and which pages
// may send one. Without it a web page could reach a server on loopback under
// a name of its own (DNS rebinding), or from another port of the same host.
type hosts struct {
	names  map[string]bool
	anyIP  bool   // listening on every address: a rebound name is no IP literal
	public string // host, and port if it has one, of the public URL
}

func newHosts(addr string, allow []string, public *url.URL) hosts {
	h := hosts{names: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}}
	if host, _, err := net.SplitHostPort(addr); err == nil {
		ip, err := netip.ParseAddr(host)
		switch {
		case host == "" || err == nil && ip.IsUnspecified():
			h.anyIP = true
		default:
			h.names[strings.ToLower(host)] = true
		}
	}
	for _, a := range allow {
		h.names[strings.ToLower(a)] = true
	}
	if public != nil {
		h.public = strings.ToLower(public.Host)
		h.names[strings.ToLower(public.Hostname())] = true
	}
	return h
}

// allowed reports whether a request with this Host header is for us.
func (h hosts) allowed(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if h.names[host] {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil && h.anyIP
}

// checkOrigin refuses requests that another page sent, and those that change
// something on the strength of a cookie without saying where they come from.
func (h hosts) checkOrigin(r *http.Request) error {
	refused := catalogue.New(catalogue.OriginRefused, "")
	site := r.Header.Get("Sec-Fetch-Site")
	navigation := r.Header.Get("Sec-Fetch-Mode") == "navigate" && isRead(r.Method)
	if (site == "cross-site" || site == "same-site") && !navigation && !h.isPublic(r) {
		return refused
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return refused // "null" is one
		}
		host := strings.ToLower(u.Host)
		if host != strings.ToLower(r.Host) && (h.public == "" || host != h.public) {
			return refused
		}
		return nil
	}
	cookieOnly := r.Header.Get("Cookie") != "" && r.Header.Get("Authorization") == ""
	if !isRead(r.Method) && cookieOnly && site != "same-origin" {
		return refused
	}
	return nil
}

// isPublic reports whether the request comes from the public page itself,
// whose origin a proxy that renames the host makes look foreign.
func (h hosts) isPublic(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && h.public != "" && strings.ToLower(u.Host) == h.public
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// securityHeaders are on every answer. The page, which knows what it loads, sets
// its own policy over them; one that sets none loads nothing.
func securityHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}
