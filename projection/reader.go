package projection

import "strings"

// Reader lets a definition look back while it starts a node. It is valid only
// during that call.
type Reader struct {
	group *group
	self  *header // the node that is opened anew, or nil
}

// Previous returns the newest node of a kind, in the same collection, that
// started before the one being started, or nil. While a node is opened anew,
// that is never the node itself or a later one. The node is live: read it, do
// not keep it.
func (r Reader) Previous(kind string) *Node {
	if r.group == nil {
		return nil
	}
	for h := r.group.last[kind]; h != nil; h = h.before {
		if !h.gone && (r.self == nil || h.order < r.self.order) {
			return &h.node
		}
	}
	return nil
}

func cloned(s string) string { return strings.Clone(s) }
