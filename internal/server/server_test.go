package server

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/config"
)

// bench is a server over fakes with one token of each scope.
type bench struct {
	*Server
	store  *fakeStore
	auth   *config.Auth
	tokens map[config.Scope]string
	log    bytes.Buffer
}

func newBench(t *testing.T, change ...func(*Options)) *bench {
	t.Helper()
	auth, err := config.OpenAuth(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{store: newFake(), auth: auth, tokens: map[config.Scope]string{}}
	for _, s := range []config.Scope{config.Read, config.Write, config.Ingest, config.Admin} {
		if b.tokens[s], err = auth.AddToken(string(s), s); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{
		Store: b.store, Views: &fakeViews{}, Auth: auth, Addr: "127.0.0.1:7836",
		Page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Security-Policy", "script-src 'self'; x")
			io.WriteString(w, "page")
		}),
		Log: slog.New(slog.NewJSONHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	b.Server = New(o)
	return b
}

// request makes one to a loopback name with a token, or none for "".
func request(method, target, token, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:7836"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func (b *bench) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func TestRoutesAndScopes(t *testing.T) {
	const every = "read write ingest admin"
	const readers = "read write admin"
	for _, c := range []struct {
		method, target, body, scopes string
		status                       int
		want                         string
	}{
		{"GET", "/healthz", "", "none " + every, 200, `"ok"`},
		{"GET", "/readyz", "", "none " + every, 200, `"ready"`},
		{"GET", "/", "", "none " + every, 200, "page"},
		{"GET", "/c/c1", "", "none " + every, 200, "page"},
		{"GET", "/metrics", "", readers, 200, "steno_http_streams"},
		{"GET", "/v1/conversations", "", readers, 200, `"id":"c1"`},
		{"POST", "/v1/conversations", `{"title":"T"}`, "write ingest admin", 201, `"title":"T"`},
		{"GET", "/v1/conversations/c1", "", readers, 200, `"id":"c1"`},
		{"DELETE", "/v1/conversations/c1", "", "write admin", 204, ""},
		{"GET", "/v1/conversations/c1/messages", "", readers, 200, `"end":"complete"`},
		{"GET", "/v1/conversations/c1/events", "", readers, 200, `"type":"text-delta"`},
		{"GET", "/v1/conversations/c1/events?after=1", "", readers, 200, "\n"},
		{"GET", "/v1/conversations/c1/snapshot?window=3", "", readers, 200, "snapshot of c1 window=3"},
		{"GET", "/v1/conversations/c1/pages/7", "", readers, 200, "page 7 of c1"},
		{"GET", "/v1/conversations/c1/pages/9", "", readers, 409, `"code":"changing"`},
		{"POST", "/v1/conversations/c1/record?from=gemini", "bytes", "write ingest admin", 200, `"bytes":5`},
		{"GET", "/v1/play", "", readers, 200, "Parallel tools"},
		{"POST", "/v1/play", `{"names":["a","b"]}`, "write admin", 201, "a+b"},
		{"DELETE", "/v1/demos", "", "write admin", 200, `"deleted":2`},
		{"GET", "/v1/blobs/abc", "", readers, 200, "<script>"},
		{"GET", "/v1/verify", "", readers, 200, `"events":3`},
		{"GET", "/v1/tokens", "", "admin", 200, `"name":"ingest"`},
		{"POST", "/v1/tokens", `{"name":"x","scope":"read"}`, "admin", 201, `"secret":"steno_`},
		{"DELETE", "/v1/tokens/ingest", "", "admin", 204, ""},
		{"POST", "/v1/sign-in-links", "", "admin", 201, "http://127.0.0.1:7836/sign-in?code="},
	} {
		for _, scope := range []config.Scope{"none", config.Read, config.Write, config.Ingest, config.Admin} {
			b := newBench(t)
			b.store.list = []api.Conversation{{ID: "c1"}}
			b.store.events["c1"] = []*steno.Event{{Seq: 1, Type: steno.TextDelta, Text: "hi"}}
			w := b.do(request(c.method, c.target, b.tokens[scope], c.body))
			want := c.status
			if !strings.Contains(" "+c.scopes+" ", " "+string(scope)+" ") {
				want = http.StatusForbidden
				if scope == "none" {
					want = http.StatusUnauthorized
				}
			}
			if w.Code != want {
				t.Errorf("%s %s as %s: %d, want %d: %s", c.method, c.target, scope, w.Code, want, w.Body)
			} else if want == c.status && !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%s %s as %s: %s", c.method, c.target, scope, w.Body)
			}
		}
	}
}

func TestErrorsComeFromTheCatalogue(t *testing.T) {
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/v1/conversations/none", "", 404, `"code":"not-found"`},
		{"DELETE", "/v1/conversations/none", "", 404, `"code":"not-found"`},
		{"GET", "/v1/conversations/none/view", "", 404, `"code":"not-found"`},
		{"GET", "/v1/conversations/none/events", "", 404, `"code":"not-found"`},
		{"GET", "/v1/conversations/c1/events?after=x", "", 400, `"code":"bad-request"`},
		{"POST", "/v1/conversations/c1/record", "", 400, "from=FORMAT"},
		{"POST", "/v1/conversations", "{", 400, `"code":"bad-request"`},
		{"POST", "/v1/play", `{"speed":-1}`, 400, `"code":"bad-request"`},
		{"POST", "/v1/tokens", `{"name":"read","scope":"read"}`, 409, "revoke it first"},
		{"POST", "/v1/tokens", `{"name":"x","scope":"root"}`, 400, "admin"},
		{"POST", "/v1/tokens", `{"name":"","scope":"read"}`, 400, "letters"},
		{"DELETE", "/v1/tokens/none", "", 404, `"code":"not-found"`},
		{"GET", "/v1/blobs/..%2Fauth.json", "", 404, `"code":"not-found"`},
		{"GET", "/v1/blobs/def", "", 404, `"code":"not-found"`},
		{"GET", "/v1/nothing", "", 404, `"code":"not-found"`},
		{"PUT", "/", "", 404, `"code":"not-found"`},
		{"GET", "/sign-in?code=x", "", 403, `steno open`},
	} {
		b := newBench(t)
		w := b.do(request(c.method, c.target, b.tokens[config.Admin], c.body))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %v", c.method, c.target, w.Header())
		}
	}
}

func TestHostAndOrigin(t *testing.T) {
	public, _ := url.Parse("https://steno.example")
	for _, c := range []struct {
		name   string
		method string
		change func(*Options)
		header map[string]string // "Host" too
		status int
		says   string
	}{
		{name: "loopback name", header: map[string]string{"Host": "localhost:7836"}, status: 200},
		{name: "loopback six", header: map[string]string{"Host": "[::1]:7836"}, status: 200},
		{name: "a rebound name", header: map[string]string{"Host": "evil.example:7836"}, status: 403, says: "--allow-host"},
		{name: "and the other flag", header: map[string]string{"Host": "evil.example"}, status: 403, says: "--public-url"},
		{name: "another address", header: map[string]string{"Host": "10.0.0.1:7836"}, status: 403},
		{name: "any address when bound to all", change: func(o *Options) { o.Addr = "0.0.0.0:7836" }, header: map[string]string{"Host": "10.0.0.1:7836"}, status: 200},
		{name: "no name when bound to all", change: func(o *Options) { o.Addr = "0.0.0.0:7836" }, header: map[string]string{"Host": "evil.example"}, status: 403},
		{name: "an allowed name", change: func(o *Options) { o.AllowHosts = []string{"Box.local"} }, header: map[string]string{"Host": "box.LOCAL:7836"}, status: 200},
		{name: "the public name", change: func(o *Options) { o.PublicURL = public }, header: map[string]string{"Host": "steno.example"}, status: 200},
		{name: "own page", header: map[string]string{"Origin": "http://127.0.0.1:7836", "Sec-Fetch-Site": "same-origin"}, status: 200},
		{name: "another port", header: map[string]string{"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-site"}, status: 403, says: "--allow-host"},
		{name: "another port without origin", header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, status: 403},
		{name: "a link from elsewhere", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, status: 200},
		{name: "a form from elsewhere", method: "POST", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, status: 403},
		{name: "null origin", header: map[string]string{"Origin": "null"}, status: 403},
		{name: "public page behind a proxy that renames", change: func(o *Options) { o.PublicURL = public }, header: map[string]string{"Origin": "https://steno.example", "Sec-Fetch-Site": "same-origin"}, status: 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			var change []func(*Options)
			if c.change != nil {
				change = append(change, c.change)
			}
			b := newBench(t, change...)
			method := c.method
			if method == "" {
				method = "GET"
			}
			r := request(method, "/v1/conversations", b.tokens[config.Read], "{}")
			for k, v := range c.header {
				if k == "Host" {
					r.Host = v
				}
				r.Header.Set(k, v)
			}
			w := b.do(r)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

func FuzzHosts(f *testing.F) {
	for _, s := range []string{"localhost", "127.0.0.1:7836", "[::1]:1", "[::1", "a:b:c", "evil.example", "localhost.:1", "localhost.evil.example", ""} {
		f.Add(s)
	}
	h := newHosts("127.0.0.1:7836", nil, nil)
	f.Fuzz(func(t *testing.T, host string) {
		if !h.allowed(host) {
			return
		}
		low := strings.ToLower(host)
		if !strings.Contains(low, "localhost") && !strings.Contains(low, "127.0.0.1") && !strings.Contains(low, "::1") {
			t.Errorf("%q is allowed", host)
		}
	})
}

func TestSignIn(t *testing.T) {
	b := newBench(t)
	u, err := url.Parse(b.SignInLink())
	if err != nil {
		t.Fatal(err)
	}
	w := b.do(request("GET", u.RequestURI(), "", ""))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	cookie := w.Result().Cookies()[0]
	if cookie.Name != "steno-7836" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Secure {
		t.Errorf("%+v", cookie)
	}
	if w := b.do(request("GET", u.RequestURI(), "", "")); w.Code != http.StatusForbidden {
		t.Errorf("the link works twice: %d", w.Code)
	}
	r := request("GET", "/v1/conversations", "", "")
	r.AddCookie(cookie)
	if w := b.do(r); w.Code != http.StatusOK {
		t.Errorf("the cookie does not work: %d %s", w.Code, w.Body)
	}
	r = request("GET", "/v1/conversations", "", "")
	r.AddCookie(&http.Cookie{Name: "steno-7837", Value: cookie.Value})
	if w := b.do(r); w.Code != http.StatusUnauthorized {
		t.Errorf("another port's cookie works: %d", w.Code)
	}
	r = request("DELETE", "/v1/demos", "", "")
	r.AddCookie(cookie)
	if w := b.do(r); w.Code != http.StatusForbidden {
		t.Errorf("a cookie alone changes something: %d", w.Code)
	}
	r.Header.Set("Origin", "http://127.0.0.1:7836")
	if w := b.do(r); w.Code != http.StatusOK {
		t.Errorf("the page may not change something: %d %s", w.Code, w.Body)
	}
	if strings.Contains(b.log.String(), u.Query().Get("code")) || strings.Contains(b.log.String(), cookie.Value) {
		t.Error("the log holds a secret")
	}
}

func TestSignInLinkAndCookieBehindAProxy(t *testing.T) {
	public, _ := url.Parse("https://steno.example")
	b := newBench(t, func(o *Options) { o.PublicURL = public })
	link := b.SignInLink()
	if !strings.HasPrefix(link, "https://steno.example/sign-in?code=") {
		t.Error(link)
	}
	u, _ := url.Parse(link)
	if c := b.do(request("GET", u.RequestURI(), "", "")).Result().Cookies(); len(c) != 1 || !c[0].Secure {
		t.Errorf("%v", c)
	}
	b = newBench(t, func(o *Options) { o.Addr = "0.0.0.0:80" })
	if link := b.SignInLink(); !strings.HasPrefix(link, "http://127.0.0.1:80/") {
		t.Error(link)
	}
}

func TestAPanicTellsNothing(t *testing.T) {
	const canary = "canary-content"
	b := newBench(t)
	b.store.panic = errors.New(canary)
	w := b.do(request("GET", "/v1/conversations/c1", b.tokens[config.Read], ""))
	if w.Code != 500 || strings.Contains(w.Body.String(), canary) || !strings.Contains(w.Body.String(), w.Header().Get("X-Request-Id")) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(b.log.String(), "fakeStore") {
		t.Errorf("the log does not say where: %s", &b.log)
	}
}

func TestTheLogHoldsNoContentAndNoSecret(t *testing.T) {
	const canary = "canary"
	b := newBench(t)
	token := b.tokens[config.Admin]
	b.do(request("POST", "/v1/conversations", token, `{"title":"`+canary+`"}`))
	b.do(request("POST", "/v1/conversations", token, `{"`+canary+`"`))
	b.do(request("POST", "/v1/conversations/c1/record?from=x&secret="+canary, token, canary))
	b.do(request("POST", "/v1/play", token, `{"names":["`+canary+`"],"speed":"`+canary+`"}`))
	b.do(request("GET", "/v1/conversations", canary, ""))
	b.do(request("GET", "/sign-in?code="+canary, "", ""))
	r := request("GET", "/v1/conversations/c1?q="+canary, token, "")
	r.Header.Set("Cookie", "steno-7836="+canary)
	r.Header.Set("User-Agent", canary)
	b.do(r)
	b.store.panic = canary
	b.do(request("GET", "/v1/conversations/c1", token, ""))
	if log := b.log.String(); strings.Contains(log, canary) || strings.Contains(log, token) {
		t.Errorf("found in %s", log)
	}
	if n := strings.Count(b.log.String(), `"msg":"request"`); n != 8 {
		t.Errorf("%d requests in the log", n)
	}
}

func TestSecurityHeaders(t *testing.T) {
	b := newBench(t)
	api := b.do(request("GET", "/v1/conversations", "", "")).Header()
	page := b.do(request("GET", "/", "", "")).Header()
	for _, h := range []http.Header{api, page} {
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%v", h)
		}
	}
	if !strings.Contains(page.Get("Content-Security-Policy"), "script-src 'self';") {
		t.Errorf("%v", page)
	}
	if api.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" {
		t.Errorf("%v", api)
	}
	blob := b.do(request("GET", "/v1/blobs/abc", b.tokens[config.Read], "")).Header()
	if blob.Get("Content-Disposition") != "attachment" || !strings.Contains(blob.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v", blob)
	}
}

func TestNotReadyWhenTheStoreIsNot(t *testing.T) {
	b := newBench(t)
	b.store.fail = steno.ErrClosed
	if w := b.do(request("GET", "/readyz", "", "")); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d", w.Code)
	}
	if w := b.do(request("GET", "/healthz", "", "")); w.Code != http.StatusOK {
		t.Errorf("%d", w.Code)
	}
}

func TestClockDecidesHowLong(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	b := newBench(t, func(o *Options) {
		o.Now = func() time.Time { now = now.Add(time.Second); return now }
	})
	b.do(request("GET", "/healthz", "", ""))
	if !strings.Contains(b.log.String(), `"took":`) {
		t.Errorf("%s", &b.log)
	}
}
