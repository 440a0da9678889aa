package view

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/sse"
	"github.com/stenolog/steno/text"
	"github.com/stenolog/steno/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// item is a node with a field of every sort.
type item struct {
	Name string    `json:"name"`
	Body text.Text `json:"body" slot:"append"`
	Note string    `json:"note" slot:"append"`
	N    int       `json:"n"`
	Raw  []string  `json:"raw"`
	Dark int       `json:"-"`
}

var itemShape = func() slot.Shape {
	l, err := slot.CompileKeyless[item]()
	if err != nil {
		panic(err)
	}
	return l.Shape()
}()

func change(collection, key string, op slot.Op, before string, v *item) transcript.Change {
	return transcript.Change{
		Collection: collection, Key: key, Op: op, Before: before,
		Turn: transcript.Always, Value: v, Shape: itemShape,
	}
}

// writer publishes to a Live and keeps what it published.
type writer struct {
	live  *Live
	seq   int64
	sets  map[string][]string
	nodes map[string]*item
	turns map[string]uint32
	run   bool
}

const testBranch = "b:1" // ids are parsed from the right

func newWriter() *writer {
	w := &writer{
		live: NewLive(testBranch), sets: make(map[string][]string),
		nodes: make(map[string]*item), turns: make(map[string]uint32),
	}
	w.publish()
	return w
}

// publish moves on by an event and publishes changes.
func (w *writer) publish(changes ...transcript.Change) {
	w.live.Publish(transcript.Update{Seq: w.seq, Running: w.run, Changes: changes})
	w.seq++
}

func (w *writer) insert(collection, key, before string, v item) transcript.Change {
	at := len(w.sets[collection])
	if before != "" {
		at = slices.Index(w.sets[collection], before)
	}
	w.sets[collection] = slices.Insert(w.sets[collection], at, key)
	w.nodes[collection+"/"+key] = &v
	return change(collection, key, slot.Inserted, before, &v)
}

func (w *writer) write(collection, key string, f func(*item)) transcript.Change {
	v := *w.nodes[collection+"/"+key]
	f(&v)
	w.nodes[collection+"/"+key] = &v
	return change(collection, key, slot.Written, "", &v)
}

func (w *writer) remove(collection, key string) transcript.Change {
	v := w.nodes[collection+"/"+key]
	delete(w.nodes, collection+"/"+key)
	w.sets[collection] = slices.DeleteFunc(w.sets[collection], func(k string) bool { return k == key })
	return change(collection, key, slot.Removed, "", v)
}

// move puts key before another, or at the end, and writes to it.
func (w *writer) move(collection, key, before string, f func(*item)) transcript.Change {
	c := w.write(collection, key, f)
	set := slices.DeleteFunc(w.sets[collection], func(k string) bool { return k == key })
	at := len(set)
	if before != "" {
		at = slices.Index(set, before)
	}
	w.sets[collection] = slices.Insert(set, at, key)
	c.Op, c.Before = slot.Moved|slot.Written, before
	return c
}

// String shows the state in the form of show.
func (w *writer) String() string {
	var b strings.Builder
	for _, name := range []string{"a", "rows"} {
		for _, key := range w.sets[name] {
			v := w.nodes[name+"/"+key]
			fmt.Fprintf(&b, "%s/%s %q %q %q %d %q\n", name, key, v.Name, v.Body.String(), v.Note, v.N, v.Raw)
		}
	}
	return b.String()
}

// show is what a replica has.
func show(r *Replica) string {
	var b strings.Builder
	for _, name := range []string{"a", "rows"} {
		for _, n := range r.Nodes(name) {
			var number int
			var raw []string
			if v := n.fields["n"]; v != nil {
				_ = json.Unmarshal(v, &number)
			}
			if v := n.fields["raw"]; v != nil {
				_ = json.Unmarshal(v, &raw)
			}
			fmt.Fprintf(&b, "%s/%s %q %q %q %d %q\n", name, n.Key, n.Text("name"), n.Text("body"), n.Text("note"), number, raw)
		}
	}
	return b.String()
}

// client is a viewer's end: it reads a stream and keeps a replica by it.
type client struct {
	replica   Replica
	reader    sse.Reader
	cursor    string
	stale     bool
	statuses  []string
	snapshots int
	resyncs   int
	events    int
	bytes     int
}

func (c *client) feed(t interface{ Fatalf(string, ...any) }, p []byte) {
	c.bytes += len(p)
	err := c.reader.Feed(p, func(e sse.Event) {
		switch {
		case len(e.Stray) > 0:
			t.Fatalf("a stray line %q", e.Stray)
		case string(e.Name) == "status":
			c.statuses = append(c.statuses, string(e.Data))
		default:
			c.take(t, &e)
		}
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func (c *client) take(t interface{ Fatalf(string, ...any) }, e *sse.Event) {
	if strings.Contains(string(e.Data), `{"op":"resync"}`) {
		c.resyncs++
		c.stale = true
		return
	}
	snapshot := strings.HasPrefix(string(e.Data), `{"snapshot":true`)
	if snapshot {
		c.snapshots++
		c.stale = false
	}
	if c.stale {
		t.Fatalf("a resync was not followed by a snapshot")
	}
	if err := c.replica.Apply(e.Data); err != nil {
		t.Fatalf("apply %s: %v", e.Data, err)
	}
	c.events++
	if len(e.ID) == 0 {
		t.Fatalf("an event without id: %s", e.Data)
	}
	c.cursor = string(e.ID)
}

// stream is the server's end of a client without a connection between: pump
// sends what there is.
type stream struct {
	viewer viewer
	out    *httptest.ResponseRecorder
	client *client
}

func connect(t interface{ Fatalf(string, ...any) }, l *Live, c *client) *stream {
	out := httptest.NewRecorder()
	s := &stream{out: out, client: c}
	c.reader = sse.Reader{}
	l.viewers.Add(1) // as ServeHTTP does
	s.viewer = viewer{live: l, w: out, out: http.NewResponseController(out), turns: DefaultWindow}
	if err := s.viewer.enter(c.cursor); err != nil {
		t.Fatalf("enter: %v", err)
	}
	s.deliver(t)
	return s
}

// pump sends the stream's client all there is.
func (s *stream) pump(t interface{ Fatalf(string, ...any) }) {
	if err := s.viewer.catchUp(context.Background()); err != nil {
		t.Fatalf("catch up: %v", err)
	}
	s.deliver(t)
}

func (s *stream) deliver(t interface{ Fatalf(string, ...any) }) {
	s.client.feed(t, s.out.Body.Bytes())
	s.out.Body.Reset()
}

func get(t *testing.T, l *Live, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	out := httptest.NewRecorder()
	if strings.HasPrefix(target, "/snapshot") {
		l.ServeSnapshot(out, r)
	} else {
		l.ServeHTTP(out, r)
	}
	return out
}
