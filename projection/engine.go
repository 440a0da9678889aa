package projection

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stenolog/steno/slot"
)

// The errors of an engine.
var (
	// ErrClosed is returned by every call on a closed engine.
	ErrClosed = errors.New("projection: engine is closed")
	// ErrReentrant is returned when a definition pushes while it folds, or a
	// listener resets or truncates.
	ErrReentrant = errors.New("projection: called from inside a fold or a notification")
)

// Options configure an [Engine]. Only Kinds is needed.
type Options[E any] struct {
	// Kinds are the definitions, in the order in which they see each event.
	Kinds []Kind[E]
	// Type returns the small integer that Definition.On refers to. Without it
	// every definition sees every event.
	Type func(*E) uint8
	// Seq returns an event's position in its log. Without it accepted events
	// are numbered from 1.
	Seq func(*E) int64
	// Scheduler delays publications of cadence Frame. Without it they are made
	// at the end of the outermost push.
	Scheduler Scheduler
	// Report is told of definitions and listeners that panicked.
	Report func(error)
}

// Metrics count what an engine did. They only grow.
type Metrics struct {
	slot.Metrics
	// Accepted counts events that were claimed and committed, Unmatched claims
	// for nodes that are not there, Failed claims whose definition panicked.
	Accepted, Unmatched, Failed int64
	// Publications counts notifications of subscribers.
	Publications int64
}

// Engine folds events into nodes and tells subscribers what changed.
type Engine[E any] struct {
	opts  Options[E]
	kinds []*registered[E]
	table [256][]*registered[E]

	board  slot.Board[Key]
	groups map[Collection]*group
	listed []*group

	claims   []*registered[E]
	seq      int64
	order    uint64
	revision int64
	metrics  Metrics

	publisher[E]
}

// registered is a definition as the engine sees it.
type registered[E any] struct {
	binding[E]
	recent recent

	// What it claimed of the event that is being folded, and the state it
	// staged. That waits until every claim of the event is staged; then it is
	// exchanged for the node's.
	claim   claimed
	scratch any
}

// recent remembers where the nodes of the last claims are: deltas come in runs,
// those of parallel calls in turns. Nodes are told apart by how their ids end.
type recent [4]found

// found is a node and where it stands.
type found struct {
	group *group
	slot  *slot.Slot[Key]
	head  *header
}

func (r *recent) of(id string) *found {
	if id == "" {
		return &r[0]
	}
	return &r[int(id[len(id)-1])%len(r)]
}

func (f *found) is(c *Claim) bool {
	if f.slot == nil {
		return false
	}
	return f.slot.Key().ID == c.ID && f.group.name == c.Collection && f.slot.Position() >= 0
}

// claimed is a claim that was staged.
type claimed struct {
	Claim // borrowed

	cadence Cadence
	differs bool
	// at is where the node is, or nil: then it starts in the group.
	at    *found
	group *group
}

// group is a collection of nodes.
type group struct {
	name Collection
	set  *slot.Set[Key]
	// last is the newest node of each kind.
	last  map[string]*header
	index int
	stale bool
}

// New returns an engine. It fails if two definitions share a kind or one lacks
// a name, a Match or a Start.
func New[E any](opts Options[E]) (*Engine[E], error) {
	e := &Engine[E]{opts: opts, groups: make(map[Collection]*group)}
	seen := make(map[string]bool)
	for _, k := range opts.Kinds {
		name := k.name()
		if err := k.check(); err != nil {
			return nil, fmt.Errorf("projection: kind %q: %w", name, err)
		}
		if seen[name] {
			return nil, fmt.Errorf("projection: kind %q is defined twice", name)
		}
		seen[name] = true
		r := &registered[E]{binding: k.bind()}
		r.scratch = r.empty()
		e.kinds = append(e.kinds, r)
		types := k.types()
		if len(types) == 0 || opts.Type == nil {
			for t := range e.table {
				e.table[t] = append(e.table[t], r)
			}
			continue
		}
		for _, t := range types {
			// A type listed twice is still asked about once.
			if !slices.Contains(e.table[t], r) {
				e.table[t] = append(e.table[t], r)
			}
		}
	}
	return e, nil
}

// Push folds one event. The event is borrowed, unless a listener pushes it:
// then a copy of the struct waits until all listeners were served, and what it
// refers to must stay valid until then.
func (e *Engine[E]) Push(ev *E) error {
	switch {
	case e.closed:
		return ErrClosed
	case e.folding:
		return ErrReentrant
	case e.notifying:
		e.waiting = append(e.waiting, *ev)
		return nil
	}
	e.fold(ev)
	if e.depth == 0 {
		e.settle()
	}
	return nil
}

// Batch runs f and settles once, at its end, what it pushed. Batches nest; the
// outermost settles. What was done before an error is kept and published, and
// the error returned: there is no rollback.
func (e *Engine[E]) Batch(f func() error) error {
	if e.closed {
		return ErrClosed
	}
	if e.folding {
		return ErrReentrant
	}
	e.depth++
	defer func() {
		if e.depth--; e.depth == 0 && !e.notifying && !e.closed {
			e.settle()
		}
	}()
	return f()
}

// fold stages every claim on ev and commits them.
func (e *Engine[E]) fold(ev *E) {
	t := uint8(0)
	if e.opts.Type != nil {
		t = e.opts.Type(ev)
	}
	e.folding = true
	claims := e.claims[:0]
	for _, k := range e.table[t] {
		if e.consider(k, ev) {
			claims = append(claims, k)
		}
	}
	e.folding = false
	if len(claims) == 0 {
		return
	}
	e.claims = claims
	if e.opts.Seq != nil {
		e.seq = e.opts.Seq(ev)
	} else {
		e.seq++
	}
	e.metrics.Accepted++
	e.revision++
	for _, k := range claims {
		e.commit(k)
	}
}

// consider asks one definition about ev, stages its claim and reports whether
// there is one. A panic in it costs only that claim.
func (e *Engine[E]) consider(k *registered[E], ev *E) bool {
	done := false
	defer func() {
		if !done {
			e.failed(k, recover())
		}
	}()
	claimed := e.stage(k, ev)
	done = true
	return claimed
}

func (e *Engine[E]) failed(k *registered[E], panicked any) {
	if panicked != nil {
		e.metrics.Failed++
		e.report(fmt.Errorf("projection: kind %q failed: %v", k.kind, panicked))
	}
}

// stage notes what k claims of ev, and computes what the node becomes. It
// reports whether there is such a node, or one starts.
func (e *Engine[E]) stage(k *registered[E], ev *E) bool {
	c, h := &k.claim, (*header)(nil)
	c.Claim = Claim{}
	if !k.match(ev, &c.Claim) {
		return false
	}
	c.at = k.recent.of(c.ID)
	if !c.at.is(&c.Claim) && !c.at.find(e.groups[c.Collection], Key{k.kind, c.ID}) {
		c.at = nil
	}
	switch {
	case c.at != nil:
		c.group, h = c.at.group, c.at.head
	case c.Role != Start:
		e.metrics.Unmatched++
		return false
	default:
		if c.group = e.groups[c.Collection]; c.group == nil {
			c.group = e.newGroup(c.Collection)
		}
	}
	switch c.differs = true; c.Role {
	case Start:
		k.start(k.scratch, ev, Reader{c.group, h})
	case Remove:
	default:
		c.differs = k.update(k.scratch, h.node.state, ev)
	}
	c.cadence = k.cadence(ev)
	return true
}

// find looks for a node in a group that may be nil.
func (f *found) find(g *group, key Key) bool {
	if g == nil {
		return false
	}
	s := g.set.Get(key)
	if s == nil {
		return false
	}
	*f = found{g, s, headerOf(s)}
	return true
}

func (e *Engine[E]) newGroup(c Collection) *group {
	g := &group{
		name:  Collection{Name: cloned(c.Name), Of: cloned(c.Of)},
		set:   e.board.NewSet(),
		last:  make(map[string]*header),
		index: len(e.listed),
	}
	g.set.Owner = g
	e.groups[g.name] = g
	e.listed = append(e.listed, g)
	return g
}

// commit puts in place what k staged.
func (e *Engine[E]) commit(k *registered[E]) {
	c := &k.claim
	switch {
	case c.at == nil:
		e.create(k)
	case c.Role == Remove:
		c.group.remove(c.at.slot)
	case !c.differs:
		e.board.Metrics.Suppressed++
		return
	default:
		node := &c.at.head.node
		if c.Role == Start {
			node.Generation++
		}
		node.state, k.scratch = k.scratch, node.state
		c.group.set.Wrote(c.at.slot)
	}
	e.touch(c.group)
	e.want = max(e.want, c.cadence)
	e.asked = max(e.asked, c.cadence)
}

// create gives the node that k starts its place.
func (e *Engine[E]) create(k *registered[E]) {
	g := k.claim.group
	key := Key{k.kind, cloned(k.claim.ID)}
	e.order++
	h := &header{node: Node{Key: key, Seq: e.seq, Generation: 1, state: k.scratch, shape: k.shape}, freeze: k.freeze}
	k.scratch = k.empty()
	last := g.last[key.Kind]
	for last != nil && last.before != nil && last.before.gone {
		last.before = last.before.before // what is gone is not held on to
	}
	h.order, h.group, h.before = e.order, g, last
	g.last[key.Kind] = h
	g.set.Insert(key, h, nil)
}

func (g *group) remove(s *slot.Slot[Key]) {
	h := headerOf(s)
	h.gone = true
	kind := h.node.Key.Kind
	for last := g.last[kind]; last != nil && last.gone; last = last.before {
		g.last[kind] = last.before
	}
	g.set.Remove(s)
}

// Truncate removes the node and every node that started after it, in all
// collections, and publishes at once. It returns how many were removed, 0 if
// there is no such node.
func (e *Engine[E]) Truncate(c Collection, key Key) (int, error) {
	if e.closed {
		return 0, ErrClosed
	}
	if e.folding || e.notifying {
		return 0, ErrReentrant
	}
	g := e.groups[c]
	if g == nil {
		return 0, nil
	}
	s := g.set.Get(key)
	if s == nil {
		return 0, nil
	}
	from, removed := headerOf(s).order, 0
	for _, g := range e.listed {
		for last := g.set.Last(); last != nil && headerOf(last).order >= from; last = g.set.Last() {
			g.remove(last)
			e.touch(g)
			removed++
		}
	}
	e.changedAtOnce()
	return removed, nil
}

// Reset forgets all nodes and publishes, at once, that everything changed.
func (e *Engine[E]) Reset() error {
	if e.closed {
		return ErrClosed
	}
	if e.folding || e.notifying {
		return ErrReentrant
	}
	for _, g := range e.listed {
		for i := range g.set.Len() {
			n := g.set.At(i)
			h := headerOf(n)
			h.gone = true
			if len(h.listeners) > 0 {
				e.orphans = append(e.orphans, n)
			}
		}
	}
	e.board.Discard()
	clear(e.groups)
	clear(e.listed)
	e.listed = e.listed[:0]
	e.snapshots = snapshots{}
	for _, k := range e.kinds {
		k.recent = recent{}
	}
	e.seq = 0
	e.all = true
	e.changedAtOnce()
	return nil
}

func (e *Engine[E]) changedAtOnce() {
	e.revision++
	e.want, e.asked = Immediate, Immediate
	if e.depth == 0 {
		e.settle()
	}
}

// Close cancels what is pending. Nothing is delivered after it and every later
// call returns [ErrClosed].
func (e *Engine[E]) Close() {
	e.closed = true
	e.cancelFrame()
	for _, l := range e.listeners {
		l.off = true
	}
	for _, ls := range e.structures {
		for _, l := range ls {
			l.off = true
		}
	}
}

// Metrics returns the counters so far.
func (e *Engine[E]) Metrics() Metrics {
	m := e.metrics
	m.Metrics = e.board.Metrics
	return m
}

func (e *Engine[E]) report(err error) {
	if e.opts.Report != nil {
		e.opts.Report(err)
	}
}
