package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve answers requests on ln until ctx ends. Then it drains: streams are
// told when to come back and end, other requests may finish within the grace
// time, and what is left is cut off. It closes ln, and returns nil after a
// clean or a cut shutdown; an error means that it could not serve.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if s.exposed(ln.Addr()) {
		s.log.Warn("plain HTTP beyond this machine: anyone on the network can read it; put a proxy with TLS before it and set --public-url",
			"address", ln.Addr().String())
	}
	hs := &http.Server{
		Handler:           s,
		MaxHeaderBytes:    s.opt.Limits.Header,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- hs.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.Grace)
	defer cancel()
	if err := hs.Shutdown(stop); err != nil {
		s.log.Warn("some requests were cut off", "grace", s.opt.Grace)
		hs.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	s.active.Wait() // the store is closed next; nothing may use it then
	return nil
}

// exposed reports whether ln can be reached from other machines without TLS
// before it.
func (s *Server) exposed(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return false
	}
	return s.opt.PublicURL == nil || s.opt.PublicURL.Scheme != "https"
}
