package gemini

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// partial puts arguments together that come as values at JSON paths. Strings
// at one path are joined, other values replace what was there.
type partial struct {
	root   node
	nodes  int
	goesOn bool   // more is to come
	lost   bool   // a piece had no place
	pieces []byte // all pieces as they came, with commas
	whole  string // arguments that came whole after all
	path   []place
	progress
}

// Limits of what is put together: pieces are written by a model.
const (
	maxNodes = 1 << 16
	maxDepth = 100
)

// node is a value in the making: a leaf, an object or an array.
type node struct {
	kind  nodeKind
	text  []byte // leaf: the text of a string, or a literal as it was written
	carry scan.Carry
	names []string
	nodes map[string]*node
	list  []*node

	// How far it was written down.
	begun, closed bool
	written       int // members or elements
}

type nodeKind uint8

const (
	empty nodeKind = iota
	stringLeaf
	literalLeaf
	objectNode
	arrayNode
)

// add takes one piece.
func (p *partial) add(piece []byte) {
	if len(p.pieces) > 0 {
		p.pieces = append(p.pieces, ',')
	}
	p.pieces = append(p.pieces, raw.Value(piece)...)
	path, kind, value, strange := readPiece(piece)
	if kind == empty {
		p.lost = p.lost || strange
		return
	}
	n := p.at(path)
	if n == nil || n.kind == objectNode || n.kind == arrayNode || kind == literalLeaf && !jsontext.Value(value).IsValid() {
		p.lost = true
		return
	}
	if kind == stringLeaf && n.kind == stringLeaf {
		from := len(n.text)
		n.text = scan.AppendString(n.text, value, &n.carry)
		p.write(n, n.text[from:])
		return
	}
	n.kind, n.carry = kind, scan.Carry{}
	if kind == stringLeaf {
		n.text = scan.AppendString(nil, value, &n.carry)
	} else {
		n.text = bytes.Clone(value)
	}
	p.write(n, nil)
}

// readPiece reads the path and the value of a piece. One without a value only
// says that more is to come; strange means that it has one of a type we do not
// know.
func readPiece(piece []byte) (path string, kind nodeKind, value []byte, strange bool) {
	scan.Object(piece, func(name, v []byte) bool {
		switch string(name) {
		case "jsonPath":
			path = scan.String(v)
		case "stringValue":
			kind, value = stringLeaf, v
		case "numberValue", "boolValue":
			kind, value = literalLeaf, v
		case "nullValue":
			kind, value = literalLeaf, []byte("null")
		case "willContinue":
		default:
			strange = true
		}
		return true
	})
	return path, kind, value, strange
}

// write writes a leaf that is new, or what was added to one.
func (p *partial) write(n *node, added []byte) {
	switch {
	case p.failed:
	case p.leaf == n:
		p.more(added)
	case n.begun:
		p.failed = true // it belongs further back
	default:
		p.progress.add(p.path)
	}
}

// at returns the node at a path, making those on the way. It returns nil where
// the path is none, leads through a leaf, or too far.
func (p *partial) at(path string) *node {
	if len(path) == 0 || path[0] != '$' {
		return nil
	}
	n := &p.root
	path = path[1:]
	p.path = append(p.path[:0], place{node: n, index: -1})
	for depth := 0; path != ""; depth++ {
		name, index, rest, ok := step(path)
		if !ok || depth == maxDepth {
			return nil
		}
		if index < 0 {
			n = p.member(n, name)
		} else {
			n = p.element(n, index)
		}
		if n == nil {
			return nil
		}
		p.path = append(p.path, place{n, name, max(index, -1)})
		path = rest
	}
	if n == &p.root {
		return nil
	}
	return n
}

// step reads the first step of a path: .name, ['name'] or [index].
func step(path string) (name string, index int, rest string, ok bool) {
	switch {
	case path[0] == '.':
		end := 1
		for end < len(path) && path[end] != '.' && path[end] != '[' {
			end++
		}
		return path[1:end], -1, path[end:], end > 1
	case len(path) > 1 && path[0] == '[' && (path[1] == '\'' || path[1] == '"'):
		quote := path[1:2] + "]"
		end := bytes.Index([]byte(path[2:]), []byte(quote))
		if end < 0 {
			return "", 0, "", false
		}
		return path[2 : 2+end], -1, path[2+end+2:], true
	case path[0] == '[':
		end := bytes.IndexByte([]byte(path), ']')
		if end < 0 {
			return "", 0, "", false
		}
		i, err := strconv.Atoi(path[1:end])
		return "", i, path[end+1:], err == nil && i >= 0
	}
	return "", 0, "", false
}

func (p *partial) member(n *node, name string) *node {
	if n.kind == empty {
		n.kind, n.nodes = objectNode, make(map[string]*node)
	}
	if n.kind != objectNode {
		return nil
	}
	m := n.nodes[name]
	if m == nil {
		if p.nodes++; p.nodes > maxNodes {
			return nil
		}
		m = new(node)
		n.nodes[name] = m
		n.names = append(n.names, name)
	}
	return m
}

func (p *partial) element(n *node, index int) *node {
	if n.kind == empty {
		n.kind = arrayNode
	}
	if n.kind != arrayNode || index > maxNodes {
		return nil
	}
	for len(n.list) <= index {
		if p.nodes++; p.nodes > maxNodes {
			return nil
		}
		n.list = append(n.list, new(node))
	}
	return n.list[index]
}

// arguments returns what was put together, "" if nothing came.
func (p *partial) arguments() string {
	switch {
	case p.whole != "":
		return p.whole
	case p.root.kind == empty:
		return ""
	}
	return string(p.root.append(nil))
}

func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case stringLeaf:
		n.text = n.carry.Flush(n.text)
		dst, _ = jsontext.AppendQuote(dst, n.text)
		return dst
	case literalLeaf:
		return append(dst, n.text...)
	case objectNode:
		dst = append(dst, '{')
		for i, name := range n.names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, name)
			dst = append(dst, ':')
			dst = n.nodes[name].append(dst)
		}
		return append(dst, '}')
	case arrayNode:
		dst = append(dst, '[')
		for i, e := range n.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}
