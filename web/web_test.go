package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, address string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The page and every file it names are in the binary.
func TestPageIsWhole(t *testing.T) {
	page := string(body(t, get(t, "/")))
	names := regexp.MustCompile(`(?:src|href)="(/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 3 {
		t.Fatalf("the page names %d files, want its script, style and icon:\n%s", len(names), page)
	}
	for _, name := range names {
		if r := get(t, name[1]); r.StatusCode != http.StatusOK || len(body(t, r)) == 0 {
			t.Errorf("%s: status %d", name[1], r.StatusCode)
		}
	}
	if regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style|\sstyle=|\son\w+=`).MatchString(page) {
		t.Error("the page holds inline script or style, which its own policy forbids")
	}
}

// The stream client is there for other programs, types included.
func TestStreamClient(t *testing.T) {
	for _, name := range []string{"/client/steno-stream.js", "/client/steno-stream.d.ts"} {
		b := body(t, get(t, name))
		if !bytes.Contains(b, []byte("View")) {
			t.Errorf("%s does not hold the client", name)
		}
		if regexp.MustCompile(`(?m)^import |from ["'][^"']+["'];$`).Match(b) {
			t.Errorf("%s needs another file", name)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct {
		address string
		status  int
		page    bool
	}{
		{"/", http.StatusOK, true},
		{"/c/01JABC", http.StatusOK, true},
		{"/c/01JABC/", http.StatusOK, true},
		{"/c/01JABC?debug=1", http.StatusOK, true},
		{"/favicon.svg", http.StatusOK, false},
		{"/c/", http.StatusNotFound, false},
		{"/c/a/b", http.StatusNotFound, false},
		{"/assets", http.StatusNotFound, false},
		{"/assets/", http.StatusNotFound, false},
		{"/dist/index.html", http.StatusNotFound, false},
		{"/../web.go", http.StatusNotFound, false},
		{"/v1/nothing", http.StatusNotFound, false},
	} {
		t.Run(tt.address, func(t *testing.T) {
			r := get(t, tt.address)
			if r.StatusCode != tt.status {
				t.Fatalf("status %d, want %d", r.StatusCode, tt.status)
			}
			if page := bytes.Contains(body(t, r), []byte(`id="app"`)); page != tt.page {
				t.Errorf("is the page: %v, want %v", page, tt.page)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	page := get(t, "/c/x")
	for name, want := range map[string]string{
		"Content-Security-Policy": policy,
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Cache-Control":           "no-cache",
	} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	script := regexp.MustCompile(`src="(/assets/[^"]+)"`).FindStringSubmatch(string(body(t, page)))[1]
	if got := get(t, script).Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("a hashed file has Cache-Control %q", got)
	}
	again := get(t, "/", "If-None-Match", get(t, "/").Header.Get("ETag"))
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same page again: status %d, want 304", again.StatusCode)
	}
}

// A packed file unpacks to the plain one, and is sent only where it is wanted.
func TestPacked(t *testing.T) {
	for name, f := range load() {
		if f.packed == nil {
			continue
		}
		r := get(t, "/"+name, "Accept-Encoding", "br, gzip")
		if r.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: headers %v", name, r.Header)
		}
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(plain, f.plain) {
			t.Errorf("%s: packed and plain differ (%v)", name, err)
		}
		for _, header := range []string{"", "br", "gzip;q=0"} {
			if r := get(t, "/"+name, "Accept-Encoding", header); r.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is packed for Accept-Encoding %q", name, header)
			}
		}
	}
}

func TestMethods(t *testing.T) {
	for method, want := range map[string]int{http.MethodHead: http.StatusOK, http.MethodPost: http.StatusMethodNotAllowed, http.MethodDelete: http.StatusMethodNotAllowed} {
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		if w.Code != want || method == http.MethodHead && w.Body.Len() > 0 {
			t.Errorf("%s: status %d with %d bytes, want %d", method, w.Code, w.Body.Len(), want)
		}
	}
}
