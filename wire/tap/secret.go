package tap

import (
	"net/http"
	"net/url"
	"strings"
)

// What is handed on is listed, not what is held back: a provider, a gateway or
// a proxy may call a secret what it likes.
var (
	harmlessHeaders = map[string]bool{
		"Accept":               true,
		"Anthropic-Beta":       true,
		"Anthropic-Version":    true,
		"Content-Encoding":     true,
		"Content-Type":         true,
		"Openai-Beta":          true,
		"Openai-Model":         true,
		"Openai-Processing-Ms": true,
		"Openai-Version":       true,
		"Request-Id":           true,
		"Retry-After":          true,
		"Retry-After-Ms":       true,
		"User-Agent":           true,
		"X-Amzn-Errortype":     true,
		"X-Amzn-Requestid":     true,
		"X-Request-Id":         true,
		"X-Should-Retry":       true,
	}
	harmlessPrefixes = []string{"Anthropic-Ratelimit-", "X-Ratelimit-"}
	harmlessQuery    = map[string]bool{"alt": true, "api-version": true, "beta": true}
)

// headers returns the harmless ones of h.
func headers(h http.Header) http.Header {
	kept := make(http.Header)
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		keep := harmlessHeaders[name]
		for _, p := range harmlessPrefixes {
			keep = keep || strings.HasPrefix(name, p)
		}
		if keep {
			kept[name] = append(kept[name], values...)
		}
	}
	return kept
}

// address returns u without its user, its fragment and all but the harmless
// parameters.
func address(u *url.URL) string {
	kept := url.Values{}
	for name, values := range u.Query() {
		if harmlessQuery[name] {
			kept[name] = values
		}
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, RawQuery: kept.Encode()}
	return clean.String()
}
