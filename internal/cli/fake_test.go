package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
)

// fakeLocal is a store in one JSON file, enough to see that a command prints
// the same over it and over a server of it. Every line that is recorded is
// one event.
type fakeLocal struct {
	dir   string
	write bool

	mu    sync.Mutex
	state fakeState
}

type fakeState struct {
	List    []api.Conversation          `json:"list"`
	Events  map[string][]*steno.Event   `json:"events"`
	Damaged map[string]string           `json:"damaged"`
	Folded  map[string]*api.Folded      `json:"folded"`
	Plays   map[string]*api.PlayRequest `json:"plays"`
}

func openFake(_ context.Context, o OpenOptions) (Local, error) {
	f := &fakeLocal{dir: o.Dir, write: o.Write}
	data, err := os.ReadFile(f.path())
	if err == nil {
		err = json.Unmarshal(data, &f.state)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f.state.Events == nil {
		f.state.Events = map[string][]*steno.Event{}
	}
	return f, nil
}

func (f *fakeLocal) path() string { return filepath.Join(f.dir, "fake.json") }

func (f *fakeLocal) Close() error { return nil }

// save requires mu.
func (f *fakeLocal) save() error {
	if !f.write {
		return errors.New("a store that was opened to read was written")
	}
	data, err := json.Marshal(f.state)
	if err != nil {
		return err
	}
	return os.WriteFile(f.path(), data, 0o600)
}

func (f *fakeLocal) List(context.Context) ([]api.Conversation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]api.Conversation(nil), f.state.List...), nil
}

func (f *fakeLocal) Create(_ context.Context, n api.NewConversation) (*api.Conversation, error) {
	return f.create(api.Conversation{Title: n.Title})
}

func (f *fakeLocal) create(c api.Conversation) (*api.Conversation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.ID = fmt.Sprintf("c%d", len(f.state.List)+1)
	f.state.List = append(f.state.List, c)
	return &c, f.save()
}

func (f *fakeLocal) find(id string) (*api.Conversation, error) {
	for i := range f.state.List {
		if f.state.List[i].ID == id {
			return &f.state.List[i], nil
		}
	}
	return nil, fmt.Errorf("conversation %s: %w", id, steno.ErrNotFound)
}

func (f *fakeLocal) Get(_ context.Context, id string) (*api.Conversation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.find(id)
}

func (f *fakeLocal) Delete(context.Context, string) error { return nil }

func (f *fakeLocal) DeleteDemos(context.Context) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var kept []api.Conversation
	for _, c := range f.state.List {
		if !c.Demo {
			kept = append(kept, c)
		}
	}
	n := len(f.state.List) - len(kept)
	f.state.List = kept
	return n, f.save()
}

func (f *fakeLocal) Messages(_ context.Context, id string) (*api.Folded, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if m := f.state.Folded[id]; m != nil {
		return m, nil
	}
	m := &api.Folded{Messages: []api.Message{}, Dropped: map[string]int{}}
	for _, e := range f.state.Events[id] {
		m.Messages = append(m.Messages, api.Message{Role: "assistant", ID: fmt.Sprint(e.Seq), Chunks: []steno.Chunk{{Type: "text", Text: e.Text}}, Superseded: []int{}})
	}
	return m, nil
}

func (f *fakeLocal) Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		f.mu.Lock()
		_, err := f.find(id)
		events := f.state.Events[id]
		f.mu.Unlock()
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range events {
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
		if follow {
			<-ctx.Done()
		}
	}
}

func (f *fakeLocal) Changes(ctx context.Context) <-chan api.Change {
	ch := make(chan api.Change)
	context.AfterFunc(ctx, func() { close(ch) })
	return ch
}

func (f *fakeLocal) Record(_ context.Context, id, format string, r io.Reader) (*api.Recorded, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.find(id)
	if err != nil {
		return nil, err
	}
	rec := &api.Recorded{Conversation: id, Format: format, First: c.Head + 1, Bytes: int64(len(data)), Finish: "complete"}
	for line := range bytes.Lines(data) {
		c.Head++
		f.state.Events[id] = append(f.state.Events[id], &steno.Event{Seq: c.Head, Type: steno.TextDelta, Message: "1", Part: fmt.Sprint(c.Head), Text: string(bytes.TrimRight(line, "\n"))})
	}
	rec.Last = c.Head
	return rec, f.save()
}

func (f *fakeLocal) Recordings(context.Context) ([]api.Recording, error) {
	return []api.Recording{{Name: "tools", Format: "anthropic-messages", Title: "Parallel tools"}}, nil
}

func (f *fakeLocal) Play(_ context.Context, p api.PlayRequest) (*api.Conversation, error) {
	t := fmt.Sprintf("played %v at %g", p.Names, p.Speed)
	for _, file := range p.Files {
		t += fmt.Sprintf(" %s (%s, %d bytes, timing %d)", file.Name, file.Format, len(file.Data), len(file.Timing))
	}
	return f.create(api.Conversation{Title: t, Demo: true})
}

func (f *fakeLocal) Verify(context.Context) (*api.Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &api.Report{Branches: []api.BranchReport{}}
	for _, c := range f.state.List {
		b := api.BranchReport{Conversation: c.ID, Branch: c.ID, Events: c.Head, Damage: f.state.Damaged[c.ID]}
		if b.Damage != "" {
			b.At = 1
			r.Damaged++
		}
		r.Events += b.Events
		r.Branches = append(r.Branches, b)
	}
	return r, nil
}

func (f *fakeLocal) Blob(context.Context, string) (io.ReadCloser, error) {
	return nil, steno.ErrNotFound
}

func (f *fakeLocal) View(context.Context, string) (func(http.ResponseWriter, *http.Request) error, func(), error) {
	return nil, nil, steno.ErrNotFound
}
