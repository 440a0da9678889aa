package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// evil is what a model, a tool or a file may say to take the page over. What
// it would run sets window.pwned, what it would load is at evil.test.
var evil = []string{
	`<script>window.pwned=1</script>`,
	`<img src=x onerror="window.pwned=1">`,
	`<img src="https://evil.test/pixel.png">`,
	`![remote](https://evil.test/pixel.png)`,
	`<svg onload="window.pwned=1"><script>window.pwned=1</script></svg>`,
	`<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
	`<iframe src="javascript:parent.pwned=1"></iframe>`,
	`<a href="javascript:window.pwned=1">x</a>`,
	`<details open ontoggle="window.pwned=1">x</details>`,
	`<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=1>`,
	`<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">`,
	`<style>* { display: none !important; background: url(https://evil.test/css) }</style>`,
	`<link rel=stylesheet href=https://evil.test/x.css>`,
	`<base href="https://evil.test/">`,
	`<meta http-equiv=refresh content="0;url=https://evil.test/">`,
	`<form action="https://evil.test/"><input name=password autofocus><button>Sign in</button></form>`,
	`<div id="app" style="position:fixed;inset:0;background:red">owned</div>`,
	`<x data-row="0" class="visually-hidden">`,
	"```\"><img src=x onerror=window.pwned=1>\ncode\n```",
	"[x]: javascript:window.pwned=1\n\n[x]",
	"`" + `<img src=x onerror=window.pwned=1>` + "`",
	`[click](https://example.org/" onmouseover="window.pwned=1)`,
	`[title](https://example.org/ "x\" onmouseover=\"window.pwned=1")`,
	"\u202egnp.exe\u202c and \u2066isolated\u2069 \u200e\u200f",
	"nul \x00 bell \a backspace \b\b\b vertical \v form \f esc \x1b[31mred\x1b[0m del \x7f c1 \u009b31m",
	"`code \u202e reversed \u2066`",
	"{{constructor.constructor('window.pwned=1')()}} {@html '<img src=x onerror=window.pwned=1>'}",
	"</div></main></body><script>window.pwned=1</script>",
	"\ufeff\ufffe \ufdd0 \U0010ffff",
}

// strs reads a shared list of strings.
func strs(t *testing.T, name ...string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{shared(t), "cases", "give"}, name...)...))
	if err != nil {
		t.Skip(err)
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// everywhere says each of the texts at every place a text can stand, two of
// them in a turn, so that a window holds them all.
func everywhere(t *testing.T, texts []string) []line {
	t.Helper()
	title := strings.Join(texts, " ")
	lines := []line{{Title: strings.ToValidUTF8(title[:min(200, len(title))], "")}}
	for pair := range slices.Chunk(texts, 2) {
		for _, text := range pair {
			lines = append(lines, line{Type: "user-message", Text: text})
		}
		lines = append(lines, line{Type: "turn-start"})
		for i, text := range pair {
			lines = append(lines, inTurn(t, fmt.Sprint(i), text)...)
		}
		lines = append(lines, line{Type: "turn-end", Body: jsontext.Value(`{"reason":"cancelled"}`)})
	}
	return append(lines, waiting(t, texts)...)
}

// waiting is a turn that goes on: the texts wait in its queue and ask for
// permission.
func waiting(t *testing.T, texts []string) []line {
	t.Helper()
	lines := []line{{Type: "turn-start"}}
	for i, text := range texts {
		what, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		call := fmt.Sprint("call", i)
		lines = append(lines,
			line{Type: "user-message", Text: text, Body: jsontext.Value(fmt.Sprintf(`{"queued":true,"item":"i%d"}`, i))},
			line{Type: "tool-call", Block: call, Call: call, Name: "bash", Text: text},
			line{Type: "permission-asked", Call: call, Name: text, Body: jsontext.Value(fmt.Sprintf(`{"id":"p%d","what":%s}`, i, what))})
	}
	return lines
}

// inTurn says a text at every place it can stand in an answer.
func inTurn(t *testing.T, n, text string) []line {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	body := func(format string, with ...any) jsontext.Value { return jsontext.Value(fmt.Sprintf(format, with...)) }
	quoted, call := string(data), "call"+n
	return []line{
		{Type: "reasoning-delta", Block: "r" + n, Text: text},
		{Type: "text-delta", Block: "t" + n, Text: text},
		{Type: "tool-start", Block: "c" + n, Call: call, Name: text},
		{Type: "tool-call", Block: "c" + n, Call: call, Name: text, Text: text},
		{Type: "permission-asked", Call: call, Name: text, Body: body(`{"id":"p","what":%s}`, quoted)},
		{Type: "tool-output", Call: call, Text: text},
		{Type: "tool-result", Call: call, Text: text, Body: body(`{"outcome":"error","isError":true}`)},
		{Type: "error", Text: text, Body: body(`{"status":500,"code":%s}`, quoted)},
		{Type: "notice", Text: text},
		{Type: "source", Text: text, Body: body(`{"kind":"url_citation","raw":{"url":%s,"title":%s}}`, quoted, quoted)},
		{Type: "opaque", Body: body(`{"kind":%s,"raw":{"x":%s}}`, quoted, quoted)},
		{Type: "file", Name: text, Body: body(`{"kind":"file","media":"text/html","raw":{}}`)},
	}
}

// harmless checks that nothing the page was told to show has done anything.
func (p *page) harmless(loads int) {
	p.t.Helper()
	if eval[bool](p, `'pwned' in window`) {
		p.t.Error("a script ran")
	}
	if got := p.loads(); len(got) != loads {
		p.t.Errorf("the page went to %v", got[loads:])
	}
	if got := p.foreign(); len(got) > 0 {
		p.t.Errorf("the page asked for %v", got)
	}
	p.noTrouble()
	if n := eval[int](p, `document.querySelectorAll('#main :is(script, style, link, iframe, object, embed, form, base, meta, math, img:not([src^="/v1/blobs/"]))').length`); n != 0 {
		p.t.Errorf("%d elements are in the transcript that cannot be ours", n)
	}
	handlers := eval[[]string](p, `[...document.querySelectorAll('#app *')].flatMap((element) => [...element.attributes].filter(({ name, value }) => /^on/i.test(name) || name === 'srcdoc' || /^\s*(javascript|data|vbscript):/i.test(value)).map(({ name, value }) => name + '=' + value))`)
	if len(handlers) > 0 {
		p.t.Errorf("these attributes came through: %q", handlers)
	}
	p.wait("the page answers", `probe.frames(2)`)
}

// A hostile transcript harms nothing.
func TestHostileTranscript(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.play(everywhere(t, evil), true)
	p := openConversation(t, s, id)
	p.wait("all of it is there", `document.querySelectorAll('[data-row]').length > 3`)
	loads := len(p.loads())
	seen := eval[screen](p, `probe.read()`)
	if want := 10 * len(evil); len(seen.Parts) != want {
		t.Errorf("%d parts are seen of %d", len(seen.Parts), want)
	}
	p.harmless(loads)

	// No control character stands in what is read, nor a mark that turns the
	// direction around in what is not prose.
	marks := regexp.MustCompile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
	controls := regexp.MustCompile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\u009f]")
	for key, part := range seen.Parts {
		for name, text := range part.Fields {
			if at := controls.FindString(text); at != "" {
				t.Errorf("%s %s has %q: %.80q", key, name, at, text)
			}
			if part.Kind != "text" && part.Kind != "thinking" && marks.MatchString(text) {
				t.Errorf("%s %s has a mark of direction: %.80q", key, name, text)
			}
		}
	}
	if title := eval[string](p, `document.querySelector('h1').textContent + document.querySelector('.title').textContent`); controls.MatchString(title) || marks.MatchString(title) {
		t.Errorf("the title is %q", title)
	}
}

// G49: only http, https, mailto and fragment links become links, wherever the
// text stands; no remote image loads by itself.
func TestG49Links(t *testing.T) {
	t.Parallel()
	links := strs(t, "G49", "links.json")
	s := newSite(t)
	id := s.play(everywhere(t, links), true)
	p := openConversation(t, s, id)
	p.wait("it is there", `document.querySelectorAll('[data-row]').length > 3`)
	loads := len(p.loads())
	p.do(`new MutationObserver(() => probe.collect()).observe(probe.scroller(), { childList: true, subtree: true })`)
	eval[screen](p, `probe.read()`)
	hrefs := eval[[]string](p, `[...probe.collect()]`)
	for _, href := range hrefs {
		if !regexp.MustCompile(`^(https?://|mailto:|#|/v1/blobs/|noopener )`).MatchString(href) {
			t.Errorf("a link goes to %q", href)
		}
	}
	for _, want := range []string{"https://example.org/", "mailto:a@example.org", "#frag"} {
		if !slices.Contains(hrefs, want) {
			t.Errorf("%q is no link (there are %q)", want, hrefs)
		}
	}
	if bad := eval[[]string](p, `probe.unsafe()`); len(bad) > 0 {
		t.Errorf("without rel=noopener noreferrer: %q", bad)
	}
	p.harmless(loads)
}

// G51 for the page: what a terminal would obey is spelled out or left away.
func TestG51Escapes(t *testing.T) {
	t.Parallel()
	escapes := strs(t, "G51", "ansi.json")
	s := newSite(t)
	id := s.play(everywhere(t, escapes), true)
	p := openConversation(t, s, id)
	p.wait("it is there", `document.querySelectorAll('[data-row]').length > 3`)
	loads := len(p.loads())
	seen := eval[screen](p, `probe.read()`)
	var all strings.Builder
	for key, part := range seen.Parts {
		for name, text := range part.Fields {
			if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
				t.Errorf("%s %s has a control character: %q", key, name, text)
			}
			all.WriteString(text)
		}
	}
	for _, want := range []string{"click", "red", "ok"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not seen", want)
		}
	}
	p.harmless(loads)
}

// One line of 5 MB, as text, thinking, arguments, output and result: the page
// stays small and answers while it comes.
func TestLongLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.conversation("A long line")
	a := s.answer(id)
	p := openConversation(t, s, id)
	loads := len(p.loads())
	piece := strings.Repeat("x", 50_000)
	for _, kind := range [][2]string{{"text", "text"}, {"thinking", "thinking"}, {"tool_use", "partial_json"}} {
		block := a.start(kind[0])
		for i := range 100 {
			a.delta(block, kind[1], piece)
			if i%20 == 0 {
				p.wait("the page answers while it comes", `probe.frames(1)`)
			}
		}
		a.stop(block)
	}
	a.text(a.start("text"), "still here")
	a.end()
	p.settled(s.head(id))
	p.wait("what follows is seen", `document.body.textContent.includes('still here')`)
	p.do(`probe.unfold()`)
	p.frames(5)
	if n := eval[int](p, `document.body.textContent.length`); n > 500_000 {
		t.Errorf("%d characters stand in the page", n)
	}
	if wide := eval[[]string](p, `probe.wide()`); len(wide) > 0 {
		t.Errorf("it makes the page too wide: %q", wide)
	}
	p.harmless(loads)
}
