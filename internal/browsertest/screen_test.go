package browsertest

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	gocmp "github.com/google/go-cmp/cmp"
)

// screen is what a reader finds who reads the transcript from the first row to
// the last and unfolds everything.
type screen struct {
	Rows  []screenRow           `json:"rows"`
	Parts map[string]screenPart `json:"parts"`
}

type screenRow struct {
	Key        string `json:"key"`
	Type       string `json:"type"`
	Superseded bool   `json:"superseded"`
	Text       string `json:"text"`
	Reason     string `json:"reason"`
}

type screenPart struct {
	Kind   string            `json:"kind"`
	State  string            `json:"state"`
	Status string            `json:"status"`
	Fields map[string]string `json:"fields"`
}

// state is what a viewer holds: collections of nodes in order.
type state map[string][]node

type node struct {
	Key    string
	Fields map[string]any
}

func (s state) node(collection, key string) node {
	for _, n := range s[collection] {
		if n.Key == key {
			return n
		}
	}
	return node{}
}

func (n node) text(field string) string {
	text, _ := n.Fields[field].(string)
	return text
}

func (n node) list(field string) []string {
	var out []string
	list, _ := n.Fields[field].([]any)
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// put adds a node without the fields that say nothing: an empty field and one
// that is absent are the same to a viewer.
func (s state) put(collection, key string, fields map[string]any) {
	maps.DeleteFunc(fields, func(_ string, v any) bool {
		switch v := v.(type) {
		case nil:
			return true
		case string:
			return v == ""
		case float64:
			return v == 0
		case bool:
			return !v
		case []any:
			return len(v) == 0
		case map[string]any:
			return len(v) == 0
		}
		return false
	})
	s[collection] = append(s[collection], node{key, fields})
}

// expected is the screen that shows a state.
func expected(s state) screen {
	out := screen{Parts: make(map[string]screenPart)}
	for _, n := range s["rows"] {
		row := screenRow{Key: n.Key, Type: n.text("type"), Superseded: n.Fields["superseded"] == true}
		switch row.Type {
		case "end":
			row.Reason = n.text("reason")
		case "queue":
			row.Text = s.node("queue", n.text("item")).text("text")
		}
		out.Rows = append(out.Rows, row)
		message := n.text("message")
		for _, key := range n.list("parts") {
			out.Parts[message+" "+key] = expectedPart(s.node("parts/"+message, key))
		}
	}
	return out
}

func expectedPart(n node) screenPart {
	// A field that is absent has its first value.
	p := screenPart{Kind: n.text("kind"), State: cmp.Or(n.text("state"), "open"), Fields: make(map[string]string)}
	fields := map[string][]string{
		"text": {"text"}, "thinking": {"text"}, "system": {"text"}, "error": {"message"},
		"tool": {"name", "arguments", "output", "result"},
	}[p.Kind]
	for _, f := range fields {
		if text := n.text(f); text != "" {
			p.Fields[f] = text
		}
	}
	switch p.Kind {
	case "tool":
		p.Status = cmp.Or(n.text("status"), "writing")
		if p.Fields["name"] == "" {
			p.Fields["name"] = "tool"
		}
	case "error":
		if code := n.Fields["statusCode"]; code != nil {
			p.Fields["statusCode"] = fmt.Sprint(code)
		}
	case "text", "thinking":
		p.Fields["text"] = n.text("text")
	}
	return p
}

// bare removes what layout may change: white space.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func (s screen) bare() screen {
	for i := range s.Rows {
		s.Rows[i].Text = bare(s.Rows[i].Text)
	}
	for _, p := range s.Parts {
		for name, text := range p.Fields {
			p.Fields[name] = bare(text)
		}
	}
	return s
}

// snapshot reads the server's snapshot of a conversation, and its id.
func (p *page) snapshot(id string) (s state, at string) {
	p.t.Helper()
	text := eval[string](p, `fetch('/v1/conversations/' + $0 + '/snapshot?window=200').then((r) => r.text())`, id)
	var snapshot struct {
		ID  string `json:"id"`
		Ops []struct {
			Op         string         `json:"op"`
			Collection string         `json:"collection"`
			Key        string         `json:"key"`
			Before     string         `json:"before"`
			Node       map[string]any `json:"node"`
		} `json:"ops"`
	}
	if err := json.Unmarshal([]byte(text), &snapshot); err != nil {
		p.t.Fatalf("snapshot: %v in %.200s", err, text)
	}
	s = make(state)
	for _, o := range snapshot.Ops {
		if o.Op != "insert" || o.Before != "" {
			p.t.Fatalf("a snapshot has the op %+v", o)
		}
		s.put(o.Collection, o.Key, o.Node)
	}
	return s, snapshot.ID
}

// held returns the state the page holds.
func (p *page) held() state {
	p.t.Helper()
	s := make(state)
	for collection, slots := range eval[map[string][][2]any](p, `__steno.state()`) {
		for _, slot := range slots {
			fields, _ := slot[1].(map[string]any)
			s.put(collection, fmt.Sprint(slot[0]), fields)
		}
	}
	return s
}

// shows checks that what the page holds, and what stands on the screen, is
// what the server's snapshot says.
func (p *page) shows(id string) {
	p.t.Helper()
	want, at := p.snapshot(id)
	p.wait("the page is complete to "+at, `__steno.cursor() === $0`, at)
	p.frames(3)
	if diff := gocmp.Diff(want, p.held()); diff != "" {
		p.t.Errorf("the page holds another state (-server +page):\n%s", diff)
	}
	got := eval[screen](p, `probe.read()`)
	if diff := gocmp.Diff(expected(want).bare(), got.bare()); diff != "" {
		p.t.Errorf("the screen shows something else (-server +screen):\n%s", diff)
	}
}
