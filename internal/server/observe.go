package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stenolog/steno/internal/catalogue"
)

// metrics are what the server counts. Labels hold routes and codes, never ids.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	streams  prometheus.Gauge
	recorded prometheus.Counter
}

func newMetrics(reg *prometheus.Registry) *metrics {
	m := &metrics{
		registry: reg,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "steno_http_requests_total", Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "steno_http_request_seconds", Help: "How long requests took; streams last as long as they are open.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
		}, []string{"route"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "steno_http_errors_total", Help: "Requests answered with an error, by its code.",
		}, []string{"code"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "steno_http_streams", Help: "Streams that are open.",
		}),
		recorded: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "steno_record_bytes_total", Help: "Bytes of recorded answers received over HTTP.",
		}),
	}
	reg.MustRegister(m.requests, m.seconds, m.refused, m.streams, m.recorded,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

// note is what is learnt of a request on its way, for the log.
type note struct {
	id   string
	name string // of the principal
	err  error
}

type noteKey struct{}

func begin(r *http.Request) (*http.Request, *note) {
	n := &note{id: rand.Text()[:16]}
	return r.WithContext(context.WithValue(r.Context(), noteKey{}, n)), n
}

func noteOf(r *http.Request) *note {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return new(note)
}

func noteName(r *http.Request, name string) { noteOf(r).name = name }

// finish logs and counts a request and turns a panic into a 500. The log holds
// the route, not the address: ids are fine to log, queries and bodies are not.
func (s *Server) finish(w *response, r *http.Request, n *note, start time.Time, panicked any) {
	aborted := panicked != nil && isAbort(panicked)
	if panicked != nil && !aborted {
		// What a panic says may quote content; its type and place do not.
		s.log.Error("panic", "request", n.id, "route", r.Pattern, "type", fmt.Sprintf("%T", panicked), "stack", string(debug.Stack()))
		if w.status == 0 {
			s.fail(w, r, catalogue.New(catalogue.Internal, ""))
		} else {
			aborted = true
		}
	}
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	took := s.opt.Now().Sub(start)
	s.metrics.requests.WithLabelValues(route, method(r.Method), strconv.Itoa(status)).Inc()
	s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
	attrs := []slog.Attr{
		slog.String("request", n.id), slog.String("route", route), slog.Int("status", status),
		slog.Int64("bytes", w.bytes), slog.Duration("took", took),
	}
	if n.name != "" {
		attrs = append(attrs, slog.String("by", n.name))
	}
	level := slog.LevelDebug
	if n.err != nil {
		e := catalogue.Of(n.err)
		attrs = append(attrs, slog.String("code", string(e.Code)))
		if e.Status >= 500 {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", n.err.Error()))
		}
	}
	s.log.LogAttrs(r.Context(), level, "request", attrs...)
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

func isAbort(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// method bounds the values of a label: a client may send any word.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch:
		return m
	}
	return "other"
}

// response notes the status and size of an answer.
type response struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Flush implements http.Flusher for handlers that ask for it by type.
func (w *response) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController reach the writer below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
