package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
)

// fakeStore is a store in memory. Its fields may be set to make it fail.
type fakeStore struct {
	fail  error         // returned by List and Verify
	panic any           // thrown by Get
	block chan struct{} // List waits for it
	tail  chan struct{} // a followed Events waits for it after each event

	mu      sync.Mutex
	list    []api.Conversation
	events  map[string][]*steno.Event
	bodies  map[string]string
	changes []chan api.Change
}

func newFake() *fakeStore {
	return &fakeStore{events: map[string][]*steno.Event{}, bodies: map[string]string{}}
}

func (f *fakeStore) List(ctx context.Context) ([]api.Conversation, error) {
	if f.block != nil {
		select {
		case <-f.block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]api.Conversation(nil), f.list...), f.fail
}

func (f *fakeStore) Create(_ context.Context, n api.NewConversation) (*api.Conversation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := api.Conversation{ID: fmt.Sprintf("c%d", len(f.list)+1), Title: n.Title}
	f.list = append(f.list, c)
	for _, ch := range f.changes {
		ch <- api.Change{ID: c.ID, Conversation: &c}
	}
	return &c, nil
}

func (f *fakeStore) Get(_ context.Context, id string) (*api.Conversation, error) {
	if f.panic != nil {
		panic(f.panic)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.list {
		if c.ID == id {
			return &c, nil
		}
	}
	return nil, fmt.Errorf("conversation %s: %w", id, steno.ErrNotFound)
}

func (f *fakeStore) Delete(ctx context.Context, id string) error {
	if _, err := f.Get(ctx, id); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, c := range f.list {
		if c.ID == id {
			f.list = append(f.list[:i:i], f.list[i+1:]...)
			break
		}
	}
	return nil
}

func (f *fakeStore) DeleteDemos(context.Context) (int, error) { return 2, nil }

func (f *fakeStore) Messages(_ context.Context, id string) (*api.Folded, error) {
	return &api.Folded{Messages: []api.Message{{Role: "user", ID: id}}, End: "complete"}, nil
}

func (f *fakeStore) Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		f.mu.Lock()
		events := f.events[id]
		f.mu.Unlock()
		for _, e := range events {
			if e.Seq <= after {
				continue
			}
			if !yield(e, nil) {
				return
			}
			if follow && f.tail != nil {
				<-f.tail
			}
		}
		if f.fail != nil {
			yield(nil, f.fail)
			return
		}
		if follow {
			<-ctx.Done()
		}
	}
}

func (f *fakeStore) Changes(ctx context.Context) <-chan api.Change {
	ch := make(chan api.Change, 10)
	f.mu.Lock()
	f.changes = append(f.changes, ch)
	f.mu.Unlock()
	return ch
}

func (f *fakeStore) Record(_ context.Context, id, format string, r io.Reader) (*api.Recorded, error) {
	b, err := io.ReadAll(r)
	f.mu.Lock()
	f.bodies[id] = string(b)
	f.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return &api.Recorded{Conversation: id, Format: format, Bytes: int64(len(b)), First: 1, Last: 9}, nil
}

func (f *fakeStore) Recordings(context.Context) ([]api.Recording, error) {
	return []api.Recording{{Name: "tools", Title: "Parallel tools"}}, nil
}

func (f *fakeStore) Play(ctx context.Context, p api.PlayRequest) (*api.Conversation, error) {
	if p.Wait {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.Create(ctx, api.NewConversation{Title: strings.Join(p.Names, "+")})
}

func (f *fakeStore) Verify(context.Context) (*api.Report, error) {
	return &api.Report{Events: 3}, f.fail
}

func (f *fakeStore) Blob(_ context.Context, hash string) (io.ReadCloser, error) {
	if hash != "abc" {
		return nil, steno.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader([]byte("<script>"))), nil
}

// fakeViews streams one event and then waits for the end of its request.
type fakeViews struct{ released chan struct{} }

func (v *fakeViews) View(_ context.Context, id string) (func(http.ResponseWriter, *http.Request) error, func(), error) {
	if id == "none" {
		return nil, nil, steno.ErrNotFound
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /view", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "id: "+id+":1\ndata: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("GET /snapshot", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "snapshot of "+id+" "+r.URL.RawQuery)
	})
	mux.HandleFunc("GET /pages/{turn}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "page "+r.PathValue("turn")+" of "+id)
	})
	show := func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Path == "/pages/9" {
			return catalogue.New(catalogue.Changing, "turn 9")
		}
		mux.ServeHTTP(w, r)
		return nil
	}
	return show, func() {
		if v.released != nil {
			v.released <- struct{}{}
		}
	}, nil
}
