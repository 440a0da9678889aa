// Package web is the page: a small program in the browser that draws
// conversations live over the view protocol. The built files are embedded, so
// a binary carries the page and building one needs no Node.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// dist is what `npm run build` writes; it is committed.
//
//go:embed all:dist
var dist embed.FS

// policy lets the page run its own files and talk to its own server, and
// nothing else: no inline script or style, no frame, no foreign address.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const (
	// forever is for files whose name holds a hash of their content.
	forever = "public, max-age=31536000, immutable"
	// always asks again each time, cheaply: the answer is mostly 304.
	always = "no-cache"
)

// types are the media types by extension. They are listed because the
// system's own table differs between machines.
var types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".ts":   "text/plain; charset=utf-8",
}

// file is one embedded file, ready to be served.
type file struct {
	plain, packed []byte // packed is gzip, nil where it would not help
	media         string
	cache         string
	tag           string
}

// Handler serves the page at /, its files beside it, and the page again for
// /c/{id}, whose address the page reads itself. Everything else is 404; there
// are no directory listings. Only GET and HEAD are answered, others get 405.
// Responses carry a strict content security policy. The handler holds no state
// and may serve many requests at once.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		found, ok := files[name(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		found.serve(w, r)
	})
}

// name is the embedded file an address stands for.
func name(address string) string {
	if address == "/" {
		return "index.html"
	}
	if id, ok := strings.CutPrefix(address, "/c/"); ok && id != "" && !strings.Contains(strings.TrimSuffix(id, "/"), "/") {
		return "index.html"
	}
	return strings.TrimPrefix(address, "/")
}

// load reads the embedded files once. It panics if there is no page: then the
// binary was built from a broken tree, which the package's test forbids.
func load() map[string]file {
	files := make(map[string]file)
	err := fs.WalkDir(dist, "dist", func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(at) == ".gz" {
			return err
		}
		plain, err := dist.ReadFile(at)
		if err != nil {
			return err
		}
		packed, _ := dist.ReadFile(at + ".gz") // absent for small files
		sum := sha256.Sum256(plain)
		f := file{plain: plain, packed: packed, media: types[path.Ext(at)], cache: always, tag: hex.EncodeToString(sum[:8])}
		if f.media == "" {
			f.media = "application/octet-stream"
		}
		short := strings.TrimPrefix(at, "dist/")
		if strings.HasPrefix(short, "assets/") {
			f.cache = forever
		}
		files[short] = f
		return nil
	})
	if err == nil && files["index.html"].plain == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		panic("web: the embedded page cannot be read: " + err.Error())
	}
	return files
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", f.cache)
	h.Set("Content-Type", f.media)
	body, tag := f.plain, `"`+f.tag+`"`
	if f.packed != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body, tag = f.packed, `"`+f.tag+`-gz"`
		}
	}
	h.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = bytes.NewReader(body).WriteTo(w) // the reader went away; there is no one to tell
}

// acceptsGzip says whether an Accept-Encoding header allows gzip.
func acceptsGzip(header string) bool {
	for _, coding := range strings.Split(header, ",") {
		word, weight, _ := strings.Cut(coding, ";")
		word = strings.TrimSpace(word)
		if word != "gzip" && word != "*" {
			continue
		}
		value, _ := strings.CutPrefix(strings.TrimSpace(weight), "q=")
		q, err := strconv.ParseFloat(value, 64)
		return err != nil || q > 0
	}
	return false
}
