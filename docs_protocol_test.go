package steno_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/transcript"
)

// Every field that a view is sent is described where docs/protocol.md describes
// its node.
func TestProtocolNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	described(t, string(text), fields[transcript.MessageNode](t), "`messages`")
	described(t, string(text), fields[transcript.StepNode](t), "`steps`")
	described(t, string(text), fields[transcript.QueueNode](t), "`queue`")
	described(t, string(text), fields[transcript.PermissionNode](t), "`permissions`")
	described(t, string(text), fields[transcript.Row](t), "A row's node")
	described(t, string(text), fields[transcript.Prose](t), "A part's node", "`text`", "`thinking`")
	described(t, string(text), fields[transcript.Tool](t), "A part's node", "`tool`")
	described(t, string(text), fields[transcript.Single](t), "A part's node",
		"`error`", "`system`", "`file`", "`source`", "`opaque`")
}

// fields returns the names of the fields of S that a view is sent.
func fields[S any](t *testing.T) []string {
	t.Helper()
	layout, err := slot.CompileKeyless[S]()
	if err != nil {
		t.Fatal(err)
	}
	return layout.Names(layout.All() & layout.Shape().Visible())
}

// described wants every name in one of the lines that begin as given.
func described(t *testing.T, text string, names []string, lines ...string) {
	t.Helper()
	var about string
	for _, start := range lines {
		line := regexp.MustCompile(`(?m)^(\| )?` + regexp.QuoteMeta(start) + `.*$`).FindString(text)
		if line == "" {
			t.Errorf("no line begins with %s", start)
		}
		about += line + "\n"
	}
	for _, name := range names {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(about) {
			t.Errorf("%s: the field %s is not described", lines[0], name)
		}
	}
}
