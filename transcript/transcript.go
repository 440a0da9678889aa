package transcript

import (
	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
)

// Transcript folds source events into messages, in memory: a normaliser and an
// engine in one. The zero value is an empty conversation.
//
// A Transcript is used by one goroutine at a time.
type Transcript struct {
	norm   Normaliser
	report Reporter
	engine *projection.Engine[steno.Event]
	seq    int64
	in     steno.Event
	fold   func(*steno.Event)
}

// Append takes one source event. The event is borrowed. It costs what the
// change costs, however long the transcript is.
func (t *Transcript) Append(e steno.Event) {
	t.open()
	t.in = e
	t.norm.Normalise(&t.in, t.fold)
}

func (t *Transcript) open() {
	if t.engine == nil {
		t.engine = NewEngine(projection.Options[steno.Event]{})
		t.fold = t.take
	}
}

// take folds one journal event.
func (t *Transcript) take(e *steno.Event) {
	t.seq++
	e.Seq = t.seq
	t.report.Add(e)
	// Push fails only on a closed engine or from inside a fold.
	_ = t.engine.Push(e)
}

// Messages returns the messages so far, in order, as plain values that stay as
// they are. It costs O(parts).
func (t *Transcript) Messages() []steno.Message {
	t.open()
	return MessagesOf(t.engine.Snapshot())
}

// Report returns the messages as chunks, how the last turn ended and what was
// dropped.
func (t *Transcript) Report() FoldReport { return t.report.Report(t.Messages()) }

// NewEngine returns an engine with the kinds of a conversation before those in
// opts, which reads types and seqs from the events. It panics if a kind in opts
// is not well defined.
func NewEngine(opts projection.Options[steno.Event]) *projection.Engine[steno.Event] {
	opts.Kinds = append(Kinds(), opts.Kinds...)
	opts.Type, opts.Seq = EventType, EventSeq
	e, err := projection.New(opts)
	if err != nil {
		panic(err)
	}
	return e
}

// MessagesOf returns the messages in a snapshot, in order, as plain values. A
// part of a kind that is not ours is an opaque one. It costs O(parts).
func MessagesOf(s *projection.Snapshot) []steno.Message {
	failed := failedAttempts(s)
	out := make([]steno.Message, 0, s.Len(Messages))
	for node := range s.Nodes(Messages) {
		m := projection.MustState[MessageNode](node)
		id := node.Key.ID
		msg := steno.Message{ID: id, Role: m.Role, Turn: m.Turn}
		for part := range s.Nodes(Parts(id)) {
			from := len(msg.Parts)
			msg.Parts = append(msg.Parts, partsOf(part)...)
			for i := from; i < len(msg.Parts); i++ {
				p := &msg.Parts[i]
				p.Superseded = failed[attempt{m.Turn, p.Step, p.Attempt}]
			}
		}
		out = append(out, msg)
	}
	return out
}

// attempt names a try at a step.
type attempt struct{ turn, step, attempt uint32 }

func failedAttempts(s *projection.Snapshot) map[attempt]bool {
	failed := make(map[attempt]bool)
	for node := range s.Nodes(Steps) {
		step := projection.MustState[StepNode](node)
		for _, f := range step.Failed {
			failed[attempt{step.Turn, step.Step, f.Attempt}] = true
		}
	}
	return failed
}

// partsOf returns a part's node as plain values.
func partsOf(n *projection.Node) []steno.Part {
	switch s := n.Value().(type) {
	case *Prose:
		return s.parts(n.Key.ID)
	case *Tool:
		return []steno.Part{s.part(n.Key.ID)}
	case *Single:
		return []steno.Part{s.part(n.Key.ID)}
	}
	return []steno.Part{{Kind: steno.Kind(n.Key.Kind), Ordinal: n.Key.ID}}
}
