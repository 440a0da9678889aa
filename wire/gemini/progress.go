package gemini

import (
	"github.com/go-json-experiment/json/jsontext"
)

// progress writes arguments down while their pieces come, so that a call can
// be watched. It writes forward only: a piece that belongs further back ends
// it, and the arguments are then given whole at the end.
type progress struct {
	out    []byte
	sent   int     // how much of out was passed on
	open   []*node // containers that are open, outermost first
	leaf   *node   // the string that is open, or nil
	failed bool
}

// place is a node and how it hangs on the one before it.
type place struct {
	node  *node
	name  string
	index int // -1 for a member
}

// next returns what was written since the last call. It is valid until more is
// written.
func (g *progress) next() []byte {
	text := g.out[g.sent:]
	g.sent = len(g.out)
	return text
}

// more goes on with the string that is open.
func (g *progress) more(text []byte) {
	quoted, _ := jsontext.AppendQuote(nil, text)
	g.out = append(g.out, quoted[1:len(quoted)-1]...)
}

// add writes a new leaf at a path, which begins with the root.
func (g *progress) add(path []place) {
	g.closeLeaf()
	common := 0
	for common < len(g.open) && common < len(path) && g.open[common] == path[common].node {
		common++
	}
	for len(g.open) > common {
		g.closeLast()
	}
	for i := common; i < len(path); i++ {
		if i > 0 && !g.step(path[i-1].node, &path[i]) {
			g.failed = true
			return
		}
		g.begin(path[i].node)
	}
}

// step writes what stands between a container and the next thing in it. It
// reports false where that thing belongs further back.
func (g *progress) step(in *node, at *place) bool {
	if at.node.begun || in.closed || at.index >= 0 && at.index < in.written {
		return false
	}
	if in.written > 0 {
		g.out = append(g.out, ',')
	}
	in.written++
	if at.index < 0 {
		g.out, _ = jsontext.AppendQuote(g.out, at.name)
		g.out = append(g.out, ':')
		return true
	}
	for in.written <= at.index {
		g.out = append(g.out, "null,"...)
		in.written++
	}
	return true
}

func (g *progress) begin(n *node) {
	n.begun = true
	switch n.kind {
	case objectNode:
		g.out = append(g.out, '{')
		g.open = append(g.open, n)
	case arrayNode:
		g.out = append(g.out, '[')
		g.open = append(g.open, n)
	case stringLeaf:
		g.out = append(g.out, '"')
		g.leaf = n
		g.more(n.text)
	default:
		g.out = append(g.out, n.text...)
	}
}

func (g *progress) closeLeaf() {
	if g.leaf == nil {
		return
	}
	if g.leaf.carry.Pending() {
		g.more([]byte("\uFFFD"))
	}
	g.out = append(g.out, '"')
	g.leaf = nil
}

func (g *progress) closeLast() {
	last := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	last.closed = true
	if last.kind == arrayNode {
		g.out = append(g.out, ']')
		return
	}
	g.out = append(g.out, '}')
}

// end closes what is open.
func (g *progress) end() {
	if g.failed {
		return
	}
	g.closeLeaf()
	for len(g.open) > 0 {
		g.closeLast()
	}
}
