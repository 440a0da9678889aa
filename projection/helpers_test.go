package projection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/text"
)

// note is the event of these tests: a kind, an id and what to do.
type note struct {
	kind, id, do, text string
	cadence            projection.Cadence
}

func start(kind, id string) note { return note{kind: kind, id: id, do: "start"} }

func delta(kind, id, s string) note {
	return note{kind: kind, id: id, do: "delta", text: s, cadence: projection.Frame}
}

func silent(kind, id, s string) note { return note{kind: kind, id: id, do: "delta", text: s} }

func (n note) at(c projection.Cadence) note { n.cadence = c; return n }

// doc is the state of these tests.
type doc struct {
	Text  text.Text
	After string // the key of the node before, of the same kind
}

func claims(kind string, n *note) (projection.Claim, bool) {
	c := projection.Claim{ID: n.id}
	switch {
	case n.kind != kind:
		return c, false
	case n.do == "start":
		c.Role = projection.Start
	case n.do == "remove":
		c.Role = projection.Remove
	default:
		c.Role = projection.Update
	}
	return c, true
}

func definition(kind string) projection.Definition[note, doc] {
	return projection.Definition[note, doc]{
		Kind:  kind,
		Match: func(n *note) (projection.Claim, bool) { return claims(kind, n) },
		Start: func(_ *note, r projection.Reader) doc {
			var d doc
			if p := r.Previous(kind); p != nil {
				d.After = p.Key.ID
			}
			return d
		},
		Update: func(d doc, n *note) doc {
			d.Text = d.Text.Append(n.text)
			return d
		},
		Cadence: func(n *note) projection.Cadence {
			if n.do != "delta" {
				return projection.Immediate
			}
			return n.cadence
		},
	}
}

// rig is an engine with what it told.
type rig struct {
	*projection.Engine[note]
	t      *testing.T
	frames *manual
	told   []string // one entry a publication: the keys that changed
	errs   []error
}

// manual is a scheduler that the test fires.
type manual struct {
	pending   []func()
	cancelled int
}

func (m *manual) Schedule(fire func()) func() {
	m.pending = append(m.pending, fire)
	i := len(m.pending) - 1
	return func() {
		m.cancelled++
		if i < len(m.pending) {
			m.pending[i] = nil
		}
	}
}

func (m *manual) waiting() int {
	n := 0
	for _, f := range m.pending {
		if f != nil {
			n++
		}
	}
	return n
}

func (m *manual) fire() {
	pending := m.pending
	m.pending = nil
	for _, f := range pending {
		if f != nil {
			f()
		}
	}
}

func newRig(t *testing.T, s projection.Scheduler, kinds ...projection.Kind[note]) *rig {
	t.Helper()
	if len(kinds) == 0 {
		kinds = []projection.Kind[note]{projection.Of(definition("m")), projection.Of(definition("t"))}
	}
	r := &rig{t: t}
	e, err := projection.New(projection.Options[note]{
		Kinds: kinds, Scheduler: s, Report: func(err error) { r.errs = append(r.errs, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Engine = e
	if m, ok := s.(*manual); ok {
		r.frames = m
	}
	e.Subscribe(func(p *projection.Publication) { r.told = append(r.told, describe(p)) })
	return r
}

func describe(p *projection.Publication) string {
	var b strings.Builder
	if p.All {
		b.WriteString("all ")
	}
	for c := range p.Changes() {
		mark := map[slot.Op]string{slot.Inserted: "+", slot.Written: "~", slot.Removed: "-"}[c.Op]
		fmt.Fprintf(&b, "%s%s ", mark, c.Key())
	}
	return strings.TrimSpace(b.String())
}

func (r *rig) push(notes ...note) {
	r.t.Helper()
	for i := range notes {
		if err := r.Push(&notes[i]); err != nil {
			r.t.Fatalf("push %v: %v", notes[i], err)
		}
	}
}

// nodes writes the current nodes as "kind:id=text" in order.
func (r *rig) nodes() string { return nodesOf(r.Snapshot()) }

func nodesOf(s *projection.Snapshot) string {
	var out []string
	for n := range s.Nodes(projection.Collection{}) {
		out = append(out, n.Key.String()+"="+projection.MustState[doc](n).Text.String())
	}
	return strings.Join(out, " ")
}

func (r *rig) want(nodes string) {
	r.t.Helper()
	if got := r.nodes(); got != nodes {
		r.t.Errorf("nodes are %q, want %q", got, nodes)
	}
}

func (r *rig) wantTold(told ...string) {
	r.t.Helper()
	if !slices.Equal(r.told, told) {
		r.t.Errorf("told %q, want %q", r.told, told)
	}
	r.told = nil
}
