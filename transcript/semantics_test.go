package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno"
)

// line is a rule of semantics.md A2 and A3 as an example: what a turn becomes.
type line struct {
	rule   string
	source string // events by semicolons, single quotes
	want   string // all messages, by bars, or only the last assistant's
}

const start = "{'type':'turn-start'};"

func delta(text string) string { return "{'type':'text-delta','text':'" + text + "'};" }
func think(text string) string { return "{'type':'reasoning-delta','text':'" + text + "'};" }
func tool(id string) string {
	return "{'type':'tool-call','id':'" + id + "','name':'f','arguments':'{}'};"
}

func result(id, text string) string {
	return "{'type':'tool-result','id':'" + id + "','result':'" + text + "'};"
}

func inFragment(block, id, text string) string {
	return "{'type':'tool-delta','block':'" + block + "','call':'" + id + "','name':'f','text':'" + text + "'};"
}

func inBlock(name, typ, text string) string {
	return "{'type':'" + typ + "','block':'" + name + "','text':'" + text + "'};"
}

const (
	done      = "{'type':'done'};"
	stepStart = "{'type':'step-start'};"
	stepEnd   = "{'type':'step-end'};"
	notice    = "{'type':'notice','text':'n'};"
	failure   = "{'type':'error','message':'e'};"
)

func (l *line) run(t *testing.T) FoldReport {
	t.Helper()
	return fold(t, src(t, splitLines(l.source)...))
}

var lines = []line{
	{"A1 a delta is a chunk", delta("a"), "text(a)"},
	{"A1 two deltas are one", delta("a") + delta("b"), "text(ab)"},
	{"C75 a start twice is one part", "{'type':'text-start','block':'0'};{'type':'text-start','block':'0'};" + inBlock("0", "text-delta", "a"), "text(a)"},
	{"A2 text, reasoning", delta("a") + think("b"), "text(a) thinking(b)"},
	{"A2 text, call", delta("a") + tool("x"), "text(a) batch(x)"},
	{"A2 call, call", tool("x") + tool("y"), "batch(x y)"},
	{"A2 call, call, text", tool("x") + tool("y") + delta("a"), "batch(x y) text(a)"},
	{"A2 six", think("a") + delta("b") + think("c") + tool("x") + think("d") + delta("e"), "thinking(a) text(b) thinking(c) batch(x) thinking(d) text(e)"},
	{"A3 text, error, text", delta("a") + failure + delta("b"), "text(a) error(e) text(b)"},
	{"A3 text, notice, text", delta("a") + notice + delta("b"), "text(a) notice(n) text(b)"},
	{"A3 notice, notice", start + notice + notice, "notice(n) notice(n)"},
	{"A5 an empty delta opens nothing", start + delta("") + think("") + "{'type':'tool-delta','text':''}", ""},
	{"A5 an empty delta splits nothing", delta("a") + think("") + delta("b"), "text(ab)"},
	{"A5 an empty output starts a tool", tool("x") + "{'type':'tool-output','call':'x','text':''};" + done, "batch(x=interrupted!)"},
	{"A5 a tool without output never started", tool("x") + done, "batch(x=skipped!)"},
	{"A5 signed and empty is kept in place", delta("a") + "{'type':'reasoning-end','block':'1','opaque':{'signature':'s'}};" + delta("b"), "text(a) thinking() text(b)"},
	{"A5 a block with nothing is no chunk", tool("x") + "{'type':'text-start','block':'0'};{'type':'text-end','block':'0'};" + tool("y"), "batch(x y)"},
	{"A6, C94 named blocks stay apart", inBlock("0", "text-delta", "a") + inBlock("1", "text-delta", "b") + inBlock("0", "text-delta", "c"), "text(ac) text(b)"},
	{"A6 a system event cuts a named block", inBlock("0", "text-delta", "a") + notice + inBlock("0", "text-delta", "b"), "text(a) notice(n) text(b)"},
	{"A6 an error cuts a named block", inBlock("0", "text-delta", "a") + failure + inBlock("0", "text-delta", "b"), "text(a) error(e) text(b)"},
	{"A6 a call is never cut", "{'type':'tool-start','block':'0','call':'x','name':'f'};" + inBlock("0", "tool-delta", "{") + notice + inBlock("0", "tool-delta", "}") + inBlock("0", "tool-call", "") + delta("a"), "batch(x) notice(n) text(a)"},
	{"A6 without names any other kind closes", delta("a") + think("b") + delta("c"), "text(a) thinking(b) text(c)"},
	{"A6 a block is named within its step", stepStart + inBlock("0", "text-delta", "a") + stepEnd + stepStart + inBlock("0", "text-delta", "b"), "text(a) text(b)"},
	{"A6 a block is named within its attempt", stepStart + inBlock("0", "text-delta", "a") + failure + "{'type':'attempt-failed'};" + stepStart + inBlock("0", "text-delta", "b"), "text(a) error(e) text(b)"},
	{"A6 a part opens where its block's first delta came", inBlock("1", "text-delta", "a") + inBlock("0", "reasoning-delta", "b") + inBlock("1", "text-delta", "c"), "text(ac) thinking(b)"},
	{"A6 neighbouring blocks of a kind stay two", inBlock("0", "text-delta", "a") + inBlock("1", "text-delta", "b"), "text(a) text(b)"},
	{"A7 the whole adds a suffix", inBlock("0", "text-delta", "a") + inBlock("0", "text-end", "ab"), "text(ab)"},
	{"A7 the whole that is the same changes nothing", inBlock("0", "text-delta", "a") + inBlock("0", "text-end", "a"), "text(a)"},
	{"A7 an empty whole holds", inBlock("0", "text-delta", "a") + "{'type':'text-end','block':'0','whole':true};" + delta("b"), "text(b)"},
	{"A7, C94 the whole replaces", inBlock("0", "text-delta", "a") + inBlock("0", "text-end", "xy"), "text(xy)"},
	{"A7 the whole of a cut block adds to the last part", inBlock("0", "text-delta", "a") + notice + inBlock("0", "text-delta", "b") + inBlock("0", "text-end", "abc"), "text(a) notice(n) text(bc)"},
	{"A7 the whole of a cut block empties the earlier", inBlock("0", "text-delta", "a") + notice + inBlock("0", "text-delta", "b") + inBlock("0", "text-end", "x"), "notice(n) text(x)"},
	{"A8 calls of two steps", tool("x") + stepEnd + tool("y"), "batch(x) batch(y)"},
	{"A8 a notice splits the chunk", tool("x") + notice + tool("y"), "batch(x) notice(n) batch(y)"},
	{"A9 newest call without a result", tool("x") + tool("x") + result("x", "1") + result("x", "2"), "batch(x=2 x=1)"},
	{"A9 it opens and closes nothing", tool("x") + delta("a") + result("x", "1") + delta("b"), "batch(x=1) text(ab)"},
	{"A9 never an earlier turn's", start + tool("x") + done + start + result("x", "1"), ""},
	{"A9 held until its call comes", start + result("x", "1") + delta("a") + tool("x"), "text(a) batch(x=1)"},
	{"A9 held past its turn is not drawn", start + result("x", "1") + done + start + tool("x"), "batch(x)"},
	{"A9 a held result finds the newest call", start + tool("x") + result("x", "1") + stepEnd + tool("x") + result("x", "2"), "batch(x=1) batch(x=2)"},
	{"A9 turn end gives the missing", tool("x") + tool("y") + result("x", "1") + done, "batch(x=1 y=skipped!)"},
	{"A10 output goes to the call it names", tool("x") + tool("y") + "{'type':'shell-output','id':'x','text':'o'}", "batch(x|o y)"},
	{"A10 else to the newest without a result", tool("x") + tool("y") + result("y", "1") + "{'type':'shell-output','text':'o'}", "batch(x|o y=1)"},
	{"A11 ids repeat in an answer", tool("x") + tool("x"), "batch(x x)"},
	{"A11 ids repeat across turns", start + tool("x") + result("x", "1") + done + start + tool("x") + result("x", "2"), "batch(x=2)"},
	{"A12, C94 absent is not new", inBlock("0", "tool-delta", "") + "{'type':'tool-start','block':'0','call':'x','name':'f'};" + inBlock("0", "tool-delta", "{") + "{'type':'tool-delta','block':'0','call':null,'name':null,'text':'}'};", "batch(x)"},
	{"A12 an id on a used index is a new call", "{'type':'tool-delta','block':'0','call':'x','name':'f','text':'{}'};{'type':'tool-delta','block':'0','call':'y','name':'f','text':'{}'}", "batch(x y)"},
	{"A12 fragments go to their index", inFragment("0", "a", "{") + inFragment("1", "b", "{") + inBlock("0", "tool-delta", "}") + inBlock("1", "tool-delta", "}"), "batch(a b)"},
	{"A14 alternation is recorded", think("a") + delta("b") + think("c") + delta("d"), "thinking(a) text(b) thinking(c) text(d)"},
	{"A16 an error does not end the turn", start + failure + delta("a"), "error(e) text(a)"},
	{"A17 choice 0 is the message", delta("a") + "{'type':'text-delta','choice':1,'text':'b'};" + delta("c"), "text(ac)"},
	{"A18 a turn in flight", start + delta("a") + notice, "text(a) notice(n)"},
	{"A19 none in flight", start + delta("a") + done + notice, "assistant: text(a)|system: notice(n)"},
	{"A19 newest is a system message", notice + notice, "system: notice(n) notice(n)"},
	{"A19 newest is another", notice + "{'type':'user-message','text':'u'};" + notice, "system: notice(n)|user: text(u)|system: notice(n)"},
	{"A19 in flight though nothing was said", start + notice + done + notice, "assistant: notice(n)|system: notice(n)"},
	{"A20 cancelled is an event like any other", start + delta("a") + "{'type':'cancelled','text':'s'};" + delta("b"), "text(a) cancelled(s) text(b)"},
}

func TestSemantics(t *testing.T) { run(t, lines) }

func (l line) check(t *testing.T) {
	r := l.run(t)
	got := last(r)
	if strings.Contains(l.want, ": ") {
		got = strings.ReplaceAll(all(r), "\n", "|")
	}
	if got != l.want {
		t.Errorf("got  %s\nwant %s", got, l.want)
	}
}

// TestDropped checks what is refused and why (A7, A9, C95).
func TestDropped(t *testing.T) {
	for _, l := range []line{
		{"A7 a delta for a sealed part", inBlock("0", "text-delta", "a") + inBlock("0", "text-end", "") + inBlock("0", "text-delta", "b"), sealed},
		{"A7 a fragment for sealed arguments", inBlock("0", "tool-call", "") + "{'type':'tool-start','block':'0','call':'x'};" + inBlock("0", "tool-call", "{}") + inBlock("0", "tool-delta", "b"), sealed},
		{"A9 a second result", tool("x") + result("x", "1") + result("x", "2"), secondResult},
		{"C95 a delta after its answer's end", "{'type':'step-start'};" + delta("a") + stepEnd + delta("b"), answerEnded},
		{"C95 a named delta after its step", inBlock("0", "text-delta", "a") + stepEnd + inBlock("0", "text-delta", "b"), sealed},
		{"an end of nothing", start + inBlock("0", "text-end", ""), nothingOpen},
		{"output of no call", start + "{'type':'tool-output','call':'x','text':'o'}", noCall},
		{"output after the result", tool("x") + result("x", "1") + "{'type':'tool-output','call':'x','text':'o'}", sealed},
		{"a step's end outside", start + stepEnd, noStep},
		{"a turn's end outside", done, noTurn},
		{"an answer nobody asked for", "{'type':'permission-answered','id':'p'}", noQuestion},
		{"an item that is not queued", "{'type':'queue-withdrawn','id':'i'}", noItem},
		{"another message's delta", "{'type':'turn-start','message':'m'};" + delta("a") + "{'type':'text-delta','message':'l','text':'b'}", otherMessage},
		{"C75 a start of what is open", "{'type':'text-start','block':'0'};{'type':'text-start','block':'0'}", alreadyOpen},
		{"a failure of no attempt", start + failure + "{'type':'attempt-failed'};{'type':'attempt-failed'}", noAttempt},
		{"a delta of no part", start + "{'type':'text-delta','part':'7','text':'a'}", noPart},
	} {
		t.Run(l.rule, func(t *testing.T) {
			r := l.run(t)
			if r.Dropped[l.want] != 1 {
				t.Errorf("dropped %v, want one %q", r.Dropped, l.want)
			}
		})
	}
}

// TestA6Sealing follows the parts of a block that a notice cut: its end seals
// all of them, opaque data goes on the last, and a call's part is sealed by its
// result alone.
func TestA6Sealing(t *testing.T) {
	var tr Transcript
	step := func(source, want string) {
		t.Helper()
		for _, e := range src(t, splitLines(source)...) {
			tr.Append(*e)
		}
		var got []string
		for _, p := range tr.Messages()[0].Parts {
			got = append(got, fmt.Sprintf("%s:%s %v %s", p.Kind, p.Ordinal, p.Sealed, []byte(p.Opaque)))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("got  %s\nwant %s", s, want)
		}
	}
	step(inBlock("0", "reasoning-delta", "a")+notice+inBlock("0", "reasoning-delta", "b"),
		"thinking:0 false , system:0 true , thinking:1 false ")
	step("{'type':'reasoning-end','block':'0','opaque':{'s':1}}",
		`thinking:0 true , system:0 true , thinking:1 true {"s":1}`)
	step(tool("x")+stepEnd, `thinking:0 true , system:0 true , thinking:1 true {"s":1}, tool:0 false `)
	step(result("x", "r"), `thinking:0 true , system:0 true , thinking:1 true {"s":1}, tool:0 true `)
}

// TestA8OneStep checks that a notice between two calls splits their chunk and
// not their step.
func TestA8OneStep(t *testing.T) {
	l := line{source: tool("x") + notice + tool("y") + stepEnd + tool("z")}
	var steps []uint32
	for _, c := range l.run(t).Messages[0].Chunks {
		if c.Type == "tool-batch" {
			steps = append(steps, c.Step)
		}
	}
	if !slices.Equal(steps, []uint32{1, 1, 2}) {
		t.Errorf("steps %v", steps)
	}
}

// TestA9Held checks the journal of a result that came before its call: it is
// kept as held, and follows the call when that comes.
func TestA9Held(t *testing.T) {
	var types []string
	for _, e := range normalise(src(t, splitLines(start+result("x", "1")+tool("y")+tool("x"))...)...) {
		types = append(types, e.Type.String()+" "+e.Call)
	}
	want := "turn-start , held x, step-start , tool-start y, tool-delta , tool-call y, tool-start x, tool-delta , tool-call x, tool-result x"
	if got := strings.Join(types, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestA9RecoveryGivesTheMissing checks what recovery writes for open calls.
func TestA9RecoveryGivesTheMissing(t *testing.T) {
	var n Normaliser
	for i, e := range normalise(src(t, splitLines(start+tool("x")+tool("y")+"{'type':'tool-output','call':'y','text':'o'};"+inFragment("0", "z", "{"))...)...) {
		e.Seq = int64(i + 1)
		n.Replay(e)
	}
	var got []string
	n.Recover(func(e *steno.Event) {
		if r, ok := e.Body.(*steno.Result); ok {
			got = append(got, e.Call+" "+string(r.Outcome))
		}
	})
	if s := strings.Join(got, ", "); s != "z cut-off, x skipped, y interrupted" {
		t.Error(s)
	}
}

// TestA15OutputCutAnywhere checks that a tool's output, whose pieces end where a
// pipe's do, is the same text however it is cut; what is no UTF-8 is replaced,
// and the other stream of the tool is not mixed in.
func TestA15OutputCutAnywhere(t *testing.T) {
	const whole = "h\u00e9 \u4f60 \U0001f642!"
	piece := func(stream, data string) *steno.Event {
		return &steno.Event{Type: steno.ToolOutput, Call: "x", Body: &steno.Output{Stream: stream, Data: []byte(data)}}
	}
	print := func(pieces ...*steno.Event) string {
		source := append([]*steno.Event{{Type: steno.ToolCall, Call: "x", Name: "f"}}, pieces...)
		var tr Transcript
		for _, e := range append(source, &steno.Event{Type: steno.ToolResult, Call: "x"}) {
			tr.Append(*e)
		}
		return tr.Messages()[0].Parts[0].Call.Output.String()
	}
	for i := range len(whole) + 1 {
		for j := i; j <= len(whole); j++ {
			if got := print(piece("stdout", whole[:i]), piece("stdout", whole[i:j]), piece("stdout", whole[j:])); got != whole {
				t.Errorf("cut at %d and %d: %q", i, j, got)
			}
		}
	}
	for want, pieces := range map[string][]*steno.Event{
		"a\ufffdb":    {piece("", "a\xff\xfeb")},
		"a\ufffd":     {piece("", "a\xe4\xbd")},
		"\ufffdok":    {piece("stdout", "\xe4\xbd"), piece("stderr", "ok")},
		"\ufffda":     {piece("", "\xe4\xbd"), {Type: steno.ToolOutput, Call: "x", Text: "a"}},
		"\u4f60":      {piece("", "\xe4\xbd"), piece("", ""), piece("", "\xa0")},
		"text\u00e9s": {{Type: steno.ToolOutput, Call: "x", Text: "text"}, piece("", "\xc3"), piece("", "\xa9s")},
	} {
		if got := print(pieces...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestA13RawArguments checks that arguments stay as they came.
func TestA13RawArguments(t *testing.T) {
	for _, args := range []string{"", "{}", " { \"a\" : 1 } ", "{broken", "null", "[1]", "\"x\""} {
		events := normalise(&steno.Event{Type: steno.ToolCall, Call: "x", Name: "f", Text: args},
			&steno.Event{Type: steno.StepEnd})
		checkLaws(t, events)
		c := reference(events)[0].Parts[0].Call
		if c.Arguments.String() != args {
			t.Errorf("arguments %q became %q", args, c.Arguments.String())
		}
		bad := args == "{broken" || args == "null" || args == "[1]" || args == "\"x\""
		if (c.Result != nil) != bad {
			t.Errorf("arguments %q: result %v", args, c.Result)
		}
		if bad && (c.Result.Outcome != steno.OutcomeError || !c.Result.IsError || c.ResultText == "") {
			t.Errorf("arguments %q: result %+v %q", args, c.Result, c.ResultText)
		}
	}
}

// TestMissingResults checks which result a call gets that has none of its own,
// by how its step ended.
func TestMissingResults(t *testing.T) {
	open := "{'type':'tool-start','block':'0','call':'x','name':'f'};" + inBlock("0", "tool-delta", "{}")
	for _, x := range []struct {
		name, source string
		want         steno.Outcome
	}{
		{"length", open + "{'type':'step-end','finish':'length'}", steno.OutcomeCutOff},
		{"error", open + "{'type':'step-end','finish':'error'}", steno.OutcomeCutOff},
		{"end of input", open + "{'type':'step-end','finish':'incomplete'}", steno.OutcomeCutOff},
		{"complete", open + stepEnd, ""},
		{"sealed, length", open + inBlock("0", "tool-call", "") + "{'type':'step-end','finish':'length'}", ""},
		{"cancelled", open + "{'type':'cancelled'};" + done, steno.OutcomeCutOff},
		{"sealed, cancelled", tool("x") + "{'type':'cancelled'};" + done, steno.OutcomeSkipped},
		{"running, cancelled", tool("x") + "{'type':'tool-output','call':'x'};{'type':'cancelled'};" + done, steno.OutcomeInterrupted},
		{"attempt failed", tool("x") + failure + "{'type':'attempt-failed'}", steno.OutcomeSkipped},
		{"writing, attempt failed", open + failure + "{'type':'attempt-failed'}", steno.OutcomeCutOff},
	} {
		t.Run(x.name, func(t *testing.T) {
			l := line{source: x.source}
			r := l.run(t)
			c := r.Messages[0].Chunks[0].Calls[0]
			if c.Outcome != x.want {
				t.Errorf("outcome %q, want %q", c.Outcome, x.want)
			}
			own := x.want == steno.OutcomeCutOff
			if (c.Result != nil) != own || c.IsError != own {
				t.Errorf("result %v, isError %v", c.Result, c.IsError)
			}
		})
	}
}

// TestA24FiveTexts checks that the five facts have five texts.
func TestA24FiveTexts(t *testing.T) {
	seen := map[string]bool{}
	for o, text := range resultTexts {
		if text == "" || seen[text] || ResultText(o) != text {
			t.Errorf("%s: %q", o, text)
		}
		seen[text] = true
	}
	if len(seen) != 5 || ResultText(steno.OutcomeOK) != "" {
		t.Errorf("%d texts", len(seen))
	}
}

// TestA16Superseded checks that a failed attempt is kept, apart.
func TestA16Superseded(t *testing.T) {
	l := line{source: start + delta("a") + tool("x") + failure + "{'type':'attempt-start','n':2};" + delta("b") + done}
	r := l.run(t)
	if got := last(r); got != "text(a) batch(x=skipped!) error(e) text(b)" {
		t.Error(got)
	}
	m := r.Messages[0]
	if len(m.Superseded) != 3 || m.Superseded[2] != 2 || r.End != steno.FinishComplete {
		t.Errorf("superseded %v, end %s", m.Superseded, r.End)
	}
	if m.Chunks[3].Attempt != 2 || m.Chunks[3].Step != 1 {
		t.Errorf("the second attempt is step %d attempt %d", m.Chunks[3].Step, m.Chunks[3].Attempt)
	}
}

// TestAttemptFailedFollowsAnError checks that the error is written if the
// source gave none, also after the answer has ended its step.
func TestAttemptFailedFollowsAnError(t *testing.T) {
	for _, before := range []string{delta("a"), "{'type':'step-start'};" + delta("a") + "{'type':'step-end','finish':'incomplete'};"} {
		l := line{source: start + before + "{'type':'attempt-failed','message':'reset'};{'type':'step-start'};" + delta("b") + done}
		r := l.run(t)
		if got := last(r); got != "text(a) error(reset) text(b)" {
			t.Error(got)
		}
		if s := r.Messages[0].Superseded; len(s) != 2 {
			t.Errorf("superseded %v", s)
		}
	}
}

// TestA20Target checks that a system event names its message.
func TestA20Target(t *testing.T) {
	events := normalise(src(t, start[:len(start)-1], notice[:len(notice)-1], done[:len(done)-1], notice[:len(notice)-1])...)
	var got []string
	for _, e := range events {
		if e.Type == steno.Notice {
			got = append(got, e.Message+" "+e.Part)
		}
	}
	if strings.Join(got, ", ") != "1.1 0, 1.2 0" {
		t.Error(got)
	}
}

// TestA29SeenBefore checks that an event at or below the last seq is skipped
// without a trace.
func TestA29SeenBefore(t *testing.T) {
	var n Normaliser
	source := read(t, `{"seq":1,"type":"text-delta","text":"a"}
{"seq":2,"type":"text-delta","text":"b"}
{"seq":1,"type":"text-delta","text":"a"}
{"seq":2,"type":"text-delta","text":"b"}
{"seq":3,"type":"text-delta","text":"c"}
{"type":"text-delta","text":"d"}`)
	events := normaliseWith(&n, source...)
	if got := reference(events)[0].Parts[0].Text.String(); got != "abcd" {
		t.Error(got)
	}
	for _, e := range events {
		if e.Type == steno.Dropped || e.Seq != 0 {
			t.Errorf("%s with seq %d", e.Type, e.Seq)
		}
	}
	if n.State().Seq != 3 {
		t.Errorf("state %+v", n.State())
	}
}

// TestQueue checks when what is queued is taken.
func TestQueue(t *testing.T) {
	queued := "{'type':'user-message','message':'u','text':'u','queued':true};"
	for _, l := range []line{
		{"step-finish takes it", start + delta("a") + queued + "{'type':'step-finish'};" + delta("b"), "assistant: text(a)|user: text(u)|assistant: text(b)"},
		{"another step takes it", start + delta("a") + queued + stepEnd + delta("b"), "assistant: text(a)|user: text(u)|assistant: text(b)"},
		{"not with a call open", start + tool("x") + queued + stepEnd + delta("b") + result("x", "1") + stepEnd + delta("c"), "assistant: batch(x=1) text(b)|user: text(u)|assistant: text(c)"},
		{"the next turn takes it", start + delta("a") + queued + done + start + delta("b"), "assistant: text(a)|user: text(u)|assistant: text(b)"},
		{"a withdrawn item is never sent", start + delta("a") + queued + "{'type':'queue-withdrawn','id':'u'};" + done + start + delta("b"), "assistant: text(a)|assistant: text(b)"},
		{"a turn takes the one it names", start + queued + "{'type':'user-message','message':'v','text':'v','queued':true};" + done + "{'type':'turn-start','takes':'v'};" + delta("b"), "assistant: |user: text(v)|assistant: text(b)"},
		{"said in an explicit turn it waits", start + delta("a") + "{'type':'user-message','text':'u'};" + delta("b") + done + start, "assistant: text(ab)|user: text(u)|assistant: "},
		{"said in an implicit turn it ends it", delta("a") + "{'type':'user-message','text':'u'};" + delta("b"), "assistant: text(a)|user: text(u)|assistant: text(b)"},
		{"a notice after it comes after it", start + delta("a") + queued + "{'type':'step-finish'};" + notice, "assistant: text(a)|user: text(u)|assistant: notice(n)"},
	} {
		t.Run(l.rule, func(t *testing.T) {
			if got := strings.ReplaceAll(all(l.run(t)), "\n", "|"); got != l.want {
				t.Errorf("got  %s\nwant %s", got, l.want)
			}
		})
	}
}

// TestPermissions checks that the first answer wins and that a turn's end
// closes what is open.
func TestPermissions(t *testing.T) {
	l := line{source: start + tool("x") + "{'type':'permission-asked','id':'p','call':'x'};{'type':'permission-answered','id':'p','answer':'allow'};{'type':'permission-answered','id':'p','answer':'deny'};{'type':'permission-asked','id':'q'};" + done}
	events := normalise(src(t, splitLines(l.source)...)...)
	checkLaws(t, events)
	var got []string
	for _, e := range events {
		if b, ok := e.Body.(*steno.Permission); ok {
			got = append(got, e.Type.String()+" "+b.ID+" "+b.Choice+" "+e.Part)
		}
	}
	want := "permission-asked p  0, permission-answered p allow 0, permission-asked q  0, permission-answered q closed 0"
	if strings.Join(got, ", ") != want {
		t.Error(got)
	}
	if r := l.run(t); r.Dropped[noQuestion] != 1 {
		t.Errorf("dropped %v", r.Dropped)
	}
}

// TestOpaqueNamesItsMaker checks that opaque data says whose it is (A25).
func TestOpaqueNamesItsMaker(t *testing.T) {
	l := line{source: "{'type':'step-start','provider':'p','model':'m'};" + think("a") + "{'type':'reasoning-end','opaque':{'signature':'s'}}"}
	c := l.run(t).Messages[0].Chunks[0]
	if c.Provider != "p" || c.Model != "m" || string(c.Opaque) != `{"signature":"s"}` {
		t.Errorf("%+v", c)
	}
}

// splitLines parts events that are written one after another.
func splitLines(source string) []string {
	return strings.Split(strings.ReplaceAll(strings.TrimRight(source, ";"), "};{", "}\n{"), "\n")
}
