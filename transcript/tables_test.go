package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/text"
)

// TestA1 holds each kind of chunk to its row of semantics.md A1: what opens one
// and what closes it.
func TestA1(t *testing.T) {
	// Between two events of a kind, each of these closes what the first opened.
	closers := map[string][2]string{
		"text": {delta("x"), "text(x)"}, "thinking": {think("x"), "thinking(x)"}, "call": {tool("x"), "batch(x)"},
		"error": {failure, "error(e)"}, "system": {notice, "notice(n)"},
	}
	prose := func(kind string, event func(string) string, typ, end string) func(*testing.T) {
		return func(t *testing.T) {
			run(t, []line{
				{"opens on the first delta", event("a") + event("b"), kind + "(ab)"},
				{"opens after its own end", event("a") + "{'type':'" + end + "'};" + event("b"), kind + "(a) " + kind + "(b)"},
				{"opens on a new provider block", inBlock("0", typ, "a") + inBlock("1", typ, "b"), kind + "(a) " + kind + "(b)"},
				{"opens in a new step", event("a") + stepEnd + event("b"), kind + "(a) " + kind + "(b)"},
				{"done closes", event("a") + done + event("b"), kind + "(b)"},
			})
			for name, c := range closers {
				if name != kind {
					run(t, []line{{name + " closes", event("a") + c[0] + event("b"), kind + "(a) " + c[1] + " " + kind + "(b)"}})
				}
			}
		}
	}
	t.Run("text", prose("text", delta, "text-delta", "text-end"))
	t.Run("thinking", func(t *testing.T) {
		prose("thinking", think, "reasoning-delta", "reasoning-end")(t)
		TestOpaqueNamesItsMaker(t)
	})
	t.Run("tool-batch", func(t *testing.T) {
		run(t, []line{
			{"opens on the first call", tool("a") + tool("b"), "batch(a b)"},
			{"a new step opens", tool("a") + stepEnd + tool("b"), "batch(a) batch(b)"},
			{"a new attempt opens", tool("a") + "{'type':'attempt-start','n':2};" + tool("b"), "batch(a=skipped!) error(the answer was given up) batch(b)"},
			{"done closes", start + tool("a") + done + start + tool("b"), "batch(b)"},
			{"results and output do not", tool("a") + result("a", "1") + "{'type':'shell-output','id':'a','text':'o'};" + tool("b"), "batch(a=1 b)"},
		})
		for name, c := range closers {
			if name != "call" {
				run(t, []line{{name + " closes", tool("a") + c[0] + tool("b"), "batch(a) " + c[1] + " batch(b)"}})
			}
		}
	})
	t.Run("error", func(t *testing.T) {
		run(t, []line{{"never joined", failure + failure, "error(e) error(e)"}})
		l := line{source: "{'type':'error','message':'e','statusCode':529}"}
		if c := l.run(t).Messages[0].Chunks[0]; c.StatusCode != 529 {
			t.Errorf("status code %d", c.StatusCode)
		}
	})
	t.Run("system", func(t *testing.T) {
		for _, kind := range []string{"notice", "model-changed", "config-reload", "cancelled"} {
			one := "{'type':'" + kind + "','text':'s'};"
			run(t, []line{
				{kind + " is never joined", start + one + one, kind + "(s) " + kind + "(s)"},
				{kind + " outside of a turn", one, "system: " + kind + "(s)"},
			})
		}
	})
	t.Run("place", placeOfChunks)
}

func run(t *testing.T, lines []line) {
	t.Helper()
	for _, l := range lines {
		t.Run(l.rule, l.check)
	}
}

// placeOfChunks checks that every chunk carries its step, attempt and block, and
// that a system message holds only system chunks.
func placeOfChunks(t *testing.T) {
	l := line{source: notice + "{'type':'user-message','text':'u'};" + start + inBlock("b", "text-delta", "a") + stepEnd + tool("x") + failure +
		"{'type':'attempt-failed'};" + inBlock("c", "reasoning-delta", "r")}
	var got []string
	for _, m := range l.run(t).Messages {
		for _, c := range m.Chunks {
			got = append(got, fmt.Sprintf("%s %s %d.%d%s", m.Role, c.Type, c.Step, c.Attempt, c.Block))
		}
	}
	want := []string{"system system 0.0", "user text 0.0", "assistant text 1.1b", "assistant tool-batch 2.1", "assistant error 2.1", "assistant thinking 2.2c"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestB holds the transcript to the rows of semantics.md B that the engine alone
// cannot keep; the others stand with the engine.
func TestB(t *testing.T) {
	t.Run("keys", func(t *testing.T) {
		t.Run("ordinals a kind", ordinals)
		t.Run("C80", TestC80CallNamedLikeAPart)
	})
	t.Run("sync", func(t *testing.T) { t.Run("C78", TestC78Sync) })
	t.Run("windows", func(t *testing.T) {
		t.Run("opened at any border", windowsAndPages)
		t.Run("C43", trimmed)
	})
}

// ordinals checks that a part is named by its kind and its ordinal among those
// of its kind in the message, and a call by a key of its own.
func ordinals(t *testing.T) {
	var tr Transcript
	l := delta("a") + think("b") + tool("x") + delta("c") + failure + tool("x") + notice + think("d") + done + start + delta("e")
	for _, e := range src(t, splitLines(l)...) {
		tr.Append(*e)
	}
	want := map[string]string{
		"1.1": "text:0 thinking:0 tool:0 text:1 error:0 tool:1 system:0 thinking:1",
		"2.1": "text:0",
	}
	for message, keys := range want {
		if got := strings.Join(keysOf(tr.engine, Parts(message)), " "); got != keys {
			t.Errorf("message %s holds %s, want %s", message, got, keys)
		}
	}
}

func keysOf(engine *projection.Engine[steno.Event], c projection.Collection) []string {
	var keys []string
	for n := range engine.Snapshot().Nodes(c) {
		keys = append(keys, n.Key.String())
	}
	return keys
}

// fetched is a part as somebody keeps it who fetches messages by value.
type fetched struct {
	Key    string     `slot:"key"`
	Kind   steno.Kind `slot:"tag"`
	Text   text.Text  `slot:"append"`
	Sealed bool
}

func fetch(engine *projection.Engine[steno.Event], message int) []fetched {
	var parts []fetched
	for _, p := range MessagesOf(engine.Snapshot())[message].Parts {
		parts = append(parts, fetched{string(p.Kind) + ":" + p.Ordinal, p.Kind, p.Text, p.Sealed})
	}
	return parts
}

// TestC78Sync seeds a collection with the parts of a fetched message. The
// journal is the truth: what is fetched is its fold, and the ordinals a kind
// that the fold gives are the keys, so that a message fetched twice is the same
// slots and a delta that comes later reaches the one that is there.
func TestC78Sync(t *testing.T) {
	source := src(t, splitLines(delta("a")+think("b")+tool("x")+delta("c"))...)
	events := normalise(source...)
	layout, err := slot.Compile[fetched]()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := slot.NewCollection[string](layout)
	if err != nil {
		t.Fatal(err)
	}
	set := func(from []fetched) {
		t.Helper()
		if err := parts.Set(from); err != nil {
			t.Fatal(err)
		}
	}
	set(fetch(engineOf(events, 1), 0))
	var keys []string
	for _, p := range parts.Values() { // a plain slice, for cold readers
		keys = append(keys, p.Key)
	}
	if got := strings.Join(keys, " "); got != "text:0 thinking:0 tool:0 text:1" {
		t.Errorf("seeded %s", got)
	}
	items, told := slices.Clone(parts.Items()), 0
	last := items[len(items)-1]
	parts.Subscribe(func([]slot.Update[string, fetched]) { told++ })
	parts.SubscribeStructure(func() { told++ })
	before := parts.Metrics()
	set(fetch(engineOf(events, len(events)), 0))
	if m := parts.Metrics(); told != 0 || m.Writes != before.Writes || !slices.Equal(parts.Items(), items) {
		t.Errorf("an identical snapshot was told %d times, wrote %d", told, m.Writes-before.Writes)
	}
	if _, err := parts.Modify(last.Key(), func(p *fetched) { p.Text = p.Text.Append("d") }); err != nil {
		t.Fatal(err)
	}
	if got := last.Value().Text.String(); got != "cd" || told != 1 {
		t.Errorf("the old slot holds %q, told %d times", got, told)
	}
	// A revert drops what it cut away; fetched again, it is a fresh slot.
	set(fetch(engineOf(events, 1), 0)[:3])
	set(fetch(engineOf(events, 1), 0))
	again := parts.Item(last.Key())
	if again == last || last.Position() != -1 || !slices.Equal(parts.Items()[:3], items[:3]) {
		t.Error("a revert did not drop what it cut away, or dropped more")
	}
}
