package transcript

import (
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
)

// QueueNode is the node of a user message that waits.
type QueueNode struct {
	Text    string          `json:"text" slot:"immutable"`
	By      string          `json:"by" slot:"immutable"`
	Client  string          `json:"client" slot:"immutable"`
	At      int64           `json:"at" slot:"immutable"`
	Content []steno.Content `json:"content" slot:"ref"`
}

var queueLayout = layout[QueueNode]()

func queueKind() projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, QueueNode]{
		Kind: "queue",
		On:   on(steno.QueueAdded, steno.QueueTaken, steno.QueueWithdrawn),
		Match: func(e *steno.Event) (projection.Claim, bool) {
			body, ok := e.Body.(*steno.UserInput)
			if !ok {
				return projection.Claim{}, false
			}
			return projection.Claim{Collection: Queue, ID: body.Item, Role: comesOrGoes(e, steno.QueueAdded)}, true
		},
		Start: func(e *steno.Event, _ projection.Reader) QueueNode {
			body := e.Body.(*steno.UserInput)
			return QueueNode{Text: strings.Clone(e.Text), By: body.By, Client: body.Client, At: e.At, Content: body.Parts}
		},
		Layout: queueLayout,
	})
}

// PermissionNode is the node of an open question.
type PermissionNode struct {
	Message string `json:"message" slot:"immutable"`
	// Part is the key of the call's part, "" if the question is about no call.
	Part string `json:"part" slot:"immutable"`
	What string `json:"what" slot:"immutable"`
	Name string `json:"name" slot:"immutable"`
}

var permissionLayout = layout[PermissionNode]()

func permissionKind() projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, PermissionNode]{
		Kind: "permission",
		On:   on(steno.PermissionAsked, steno.PermissionAnswered),
		Match: func(e *steno.Event) (projection.Claim, bool) {
			body, ok := e.Body.(*steno.Permission)
			if !ok {
				return projection.Claim{}, false
			}
			return projection.Claim{Collection: Permissions, ID: body.ID, Role: comesOrGoes(e, steno.PermissionAsked)}, true
		},
		Start: func(e *steno.Event, _ projection.Reader) PermissionNode {
			body := e.Body.(*steno.Permission)
			p := PermissionNode{Message: strings.Clone(e.Message), What: body.What, Name: strings.Clone(e.Name)}
			if e.Part != "" {
				p.Part = projection.Key{Kind: string(steno.KindTool), ID: e.Part}.String()
			}
			return p
		},
		Layout: permissionLayout,
	})
}

// comesOrGoes is the role of an event in a collection whose nodes are there
// from one event until another.
func comesOrGoes(e *steno.Event, comes steno.Type) projection.Role {
	if e.Type == comes {
		return projection.Start
	}
	return projection.Remove
}
