// Package server is the HTTP face of a store: the JSON API, the view stream
// and the page, with who may use them and within which limits.
//
// It holds no state of a conversation. Everything is asked of the interfaces
// in [Options], so it serves a local store, a fake in a test, or a remote one.
package server

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
)

// Views opens the live views of conversations.
type Views interface {
	// View returns what answers for one conversation's view. It is asked for
	// GET /view, /snapshot and /pages/{turn}, the conversation's path taken
	// off. It returns when its request's context ends, between two events; with
	// an error, which is answered like every other, it has written nothing. release is
	// called once, when the request is over.
	View(ctx context.Context, conversation string) (h func(http.ResponseWriter, *http.Request) error, release func(), err error)
}

// Options are what a server is made of. Store, Views and Auth are needed.
type Options struct {
	Store api.Store
	Views Views
	Auth  *config.Auth

	// Page is the static page, which sets its own Content-Security-Policy; nil
	// answers "/" with 404.
	Page http.Handler
	// Addr is the address the server is reached at, HOST:PORT. The cookie's
	// name holds the port: browsers share cookies between the ports of a host.
	Addr string
	// AllowHosts are names it answers to besides loopback and Addr's own.
	AllowHosts []string
	// PublicURL is its address behind a proxy, or nil.
	PublicURL *url.URL
	// Grace is how long Serve waits for requests when it stops; 0 is 5 s.
	Grace time.Duration
	// Heartbeat is the pause between comments on a silent stream; 0 is 15 s.
	Heartbeat time.Duration

	Limits   Limits
	Log      *slog.Logger         // nil discards
	Registry *prometheus.Registry // nil makes one
	Now      func() time.Time     // nil is the real clock
}

// Server is an http.Handler.
//
// # Concurrency
//
// Requests run on the goroutines net/http gives them. Each open stream has one
// more, which ends with it.
type Server struct {
	opt     Options
	log     *slog.Logger
	metrics *metrics
	mux     *http.ServeMux
	limiter *limiter
	hosts   hosts
	cookie  string

	draining chan struct{} // closed by Drain
	drain    sync.Once
	requests atomic.Int64 // in flight, streams apart
	active   sync.WaitGroup
}

// New makes a server. It starts nothing.
func New(o Options) *Server {
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	o.Limits = o.Limits.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	s := &Server{
		opt:      o,
		log:      o.Log,
		metrics:  newMetrics(o.Registry),
		mux:      http.NewServeMux(),
		limiter:  newLimiter(o.Limits, o.Now),
		hosts:    newHosts(o.Addr, o.AllowHosts, o.PublicURL),
		cookie:   cookieName(o.Addr),
		draining: make(chan struct{}),
	}
	s.routes()
	return s
}

// kind says how a request is counted and ended.
type kind int

const (
	plain  kind = iota // short; a JSON body at most
	upload             // a long body; may finish during shutdown
	stream             // a long answer; ends when the server drains
)

// open marks a route that needs no principal.
const open config.Scope = ""

// handler answers a request or returns an error of the catalogue.
type handler func(w http.ResponseWriter, r *http.Request) error

func (s *Server) routes() {
	s.handle("GET /healthz", open, plain, s.health)
	s.handle("GET /readyz", open, plain, s.ready)
	s.handle("GET /metrics", config.Read, plain, s.serveMetrics)
	s.handle("GET /sign-in", open, plain, s.signIn)

	s.handle("GET /v1/conversations", config.Read, plain, s.list)
	s.handle("POST /v1/conversations", config.Ingest, plain, s.create)
	s.handle("GET /v1/conversations/{id}", config.Read, plain, s.get)
	s.handle("DELETE /v1/conversations/{id}", config.Write, plain, s.remove)
	s.handle("GET /v1/conversations/{id}/messages", config.Read, plain, s.messages)
	s.handle("GET /v1/conversations/{id}/events", config.Read, stream, s.events)
	s.handle("GET /v1/conversations/{id}/view", config.Read, stream, s.view)
	s.handle("GET /v1/conversations/{id}/snapshot", config.Read, plain, s.view)
	s.handle("GET /v1/conversations/{id}/pages/{turn}", config.Read, plain, s.view)
	s.handle("POST /v1/conversations/{id}/record", config.Ingest, upload, s.record)

	s.handle("GET /v1/events", config.Read, stream, s.changes)
	s.handle("GET /v1/play", config.Read, plain, s.recordings)
	s.handle("POST /v1/play", config.Write, upload, s.play)
	s.handle("DELETE /v1/demos", config.Write, plain, s.deleteDemos)
	s.handle("GET /v1/blobs/{hash}", config.Read, upload, s.blob)
	s.handle("GET /v1/verify", config.Read, upload, s.verify)

	s.handle("GET /v1/tokens", config.Admin, plain, s.tokens)
	s.handle("POST /v1/tokens", config.Admin, plain, s.addToken)
	s.handle("DELETE /v1/tokens/{name}", config.Admin, plain, s.revokeToken)
	s.handle("POST /v1/sign-in-links", config.Admin, plain, s.signInLink)

	s.handle("/v1/", open, plain, s.nothingHere)
	s.handle("/", open, plain, s.page)
}

// handle mounts a handler: first who asks, then whether they may, then
// whether there is room.
func (s *Server) handle(pattern string, need config.Scope, k kind, h handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := s.admit(w, r, need, k, h); err != nil {
			s.fail(w, r, err)
		}
	})
}

func (s *Server) admit(w http.ResponseWriter, r *http.Request, need config.Scope, k kind, h handler) error {
	key := remoteIP(r)
	if need != open {
		p, err := s.authenticate(r)
		if err != nil {
			if wait, ok := s.limiter.allow(key); !ok {
				return retryLater(w, wait, catalogue.RateLimit, s.opt.Limits.rateText())
			}
			return err
		}
		if !p.Scope.Allows(need) {
			return catalogue.New(catalogue.Scope, "this needs a token with scope "+string(need))
		}
		key = p.ID
		r = r.WithContext(withPrincipal(r.Context(), p))
		noteName(r, p.Name)
	}
	if wait, ok := s.limiter.allow(key); !ok {
		return retryLater(w, wait, catalogue.RateLimit, s.opt.Limits.rateText())
	}
	if k == stream {
		return s.serveStream(w, r, key, h)
	}
	defer s.requests.Add(-1)
	if s.requests.Add(1) > int64(s.opt.Limits.Requests) {
		return retryLater(w, time.Second, catalogue.Overload, s.opt.Limits.requestsText())
	}
	if k == upload {
		return s.serveUpload(w, r, h)
	}
	return h(w, r)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.active.Add(1)
	defer s.active.Done()
	rec := &response{ResponseWriter: w}
	r, note := begin(r)
	securityHeaders(rec.Header())
	rec.Header().Set("X-Request-Id", note.id)
	start := s.opt.Now()
	defer func() { s.finish(rec, r, note, start, recover()) }()
	if err := s.gate(rec, r); err != nil {
		s.fail(rec, r, err)
		return
	}
	s.mux.ServeHTTP(rec, r)
}

// gate refuses what no route should see.
func (s *Server) gate(w http.ResponseWriter, r *http.Request) error {
	if s.isDraining() && r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
		w.Header().Set("Connection", "close")
		return retryLater(w, time.Second, catalogue.Draining, "")
	}
	if !s.hosts.allowed(r.Host) {
		return catalogue.New(catalogue.HostRefused, "")
	}
	return s.hosts.checkOrigin(r)
}

// Drain says that the server is about to stop: open streams are told when to
// come back and end, new requests are answered 503.
func (s *Server) Drain() { s.drain.Do(func() { close(s.draining) }) }

func (s *Server) isDraining() bool {
	select {
	case <-s.draining:
		return true
	default:
		return false
	}
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.isDraining() {
		return catalogue.New(catalogue.Draining, "")
	}
	if _, err := s.opt.Store.List(r.Context()); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

// page hands everything that is no address of the API to the static page.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Page == nil || !isRead(r.Method) {
		return s.nothingHere(w, r)
	}
	s.opt.Page.ServeHTTP(w, r)
	return nil
}

func (s *Server) nothingHere(http.ResponseWriter, *http.Request) error {
	return catalogue.New(catalogue.NotFound, "no such address")
}
