package browsertest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/go-json-experiment/json/jsontext"
)

// parts is a turn of so many parts of several kinds.
func parts(n int) []line {
	lines := []line{{Title: fmt.Sprintf("A turn of %d parts", n)}, {Type: "user-message", Text: "Do it."}, {Type: "turn-start"}}
	for i := range n {
		block := fmt.Sprint(i)
		if i%4 != 3 {
			text := fmt.Sprintf("Part **%d**. %s", i, strings.Repeat("A sentence of some length to fill the line. ", i%7))
			lines = append(lines, line{Type: "text-delta", Block: block, Text: text})
			continue
		}
		call := "call" + block
		lines = append(lines,
			line{Type: "tool-call", Block: block, Call: call, Name: "bash", Text: fmt.Sprintf(`{"command":"step %d"}`, i)},
			line{Type: "tool-output", Call: call, Text: strings.Repeat("done\n", i%9)},
			line{Type: "tool-result", Call: call, Text: "ok", Body: jsontext.Value(`{"outcome":"ok"}`)})
	}
	return append(lines, line{Type: "turn-end"})
}

// renders returns how often each part and row was drawn.
func (p *page) renders() map[string]int {
	p.t.Helper()
	return eval[map[string]int](p, `Object.fromEntries(__steno.renders)`)
}

// A delta draws the part it belongs to again and no other, however many there
// are.
func TestOneDeltaDrawsOnePart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.play(parts(200), true)
	a := s.answer(id)
	block := a.start("text")
	a.text(block, "It begins. ")
	p := openConversation(t, s, id)
	p.wait("the answer is seen", `document.body.textContent.includes('It begins.')`)
	p.frames(5)
	before := p.renders()
	const deltas = 20
	for i := range deltas {
		a.text(block, fmt.Sprintf("delta%d ", i))
		p.wait("the delta is seen", `document.body.textContent.includes($0)`, fmt.Sprintf("delta%d ", i))
	}
	drawn := p.renders()
	maps.DeleteFunc(drawn, func(key string, n int) bool { return before[key] == n })
	if len(drawn) != 1 {
		t.Errorf("%d deltas drew %v again", deltas, slices.Sorted(maps.Keys(drawn)))
	}
	for key, n := range drawn {
		if n -= before[key]; n != deltas {
			t.Errorf("%d deltas drew %s %d times", deltas, key, n)
		}
	}
	a.end()
}

// With 10,000 parts the page is as small and as quick as with 100. The frames
// of both are measured in one run, in turns, so that what else the machine does
// weighs on both.
func TestTenThousandParts(t *testing.T) {
	s := newSite(t)
	sizes := []int{100, 10_000}
	pages, ends := make([]*page, len(sizes)), make([]func(), len(sizes))
	for i, n := range sizes {
		id := s.play(parts(n), true)
		a := s.answer(id)
		stop := a.stream(a.start("text"), 10*time.Millisecond)
		ends[i] = func() { stop(); a.end() }
		pages[i] = openConversation(t, s, id)
		pages[i].wait("the stream is followed", `probe.following() && document.body.textContent.includes('word5')`)
	}
	pauses, work := make([][]float64, len(sizes)), make([]float64, len(sizes))
	for range 3 {
		for i, p := range pages {
			call(p, cdppage.BringToFront, cdp.Empty{})
			call(p, performance.Enable, performance.EnableParams{})
			before := p.busy()
			pauses[i] = append(pauses[i], eval[[]float64](p, `probe.pauses(40)`)...)
			work[i] += p.busy() - before
		}
	}
	median := make([]float64, len(sizes))
	for i := range pauses {
		slices.Sort(pauses[i])
		median[i] = pauses[i][len(pauses[i])/2]
	}
	t.Logf("median frame: %.1f ms with %d parts, %.1f ms with %d: %.2f", median[0], sizes[0], median[1], sizes[1], median[1]/median[0])
	t.Logf("the page's thread was busy for %.0f ms with %d parts, %.0f ms with %d", 1000*work[0], sizes[0], 1000*work[1], sizes[1])
	if median[1] > 1.5*median[0] {
		t.Errorf("a median frame takes %.1f ms with %d parts and %.1f ms with %d", median[1], sizes[1], median[0], sizes[0])
	}

	p := pages[1]
	if n := eval[int](p, `__steno.state().rows.length`); n < sizes[1] {
		t.Errorf("the page holds %d rows", n)
	}
	most := 0
	for i := range 12 {
		p.do(`probe.scroller().scrollTop = probe.scroller().scrollHeight * (11 - $0) / 12`, i)
		p.frames(3)
		most = max(most, eval[int](p, `document.querySelectorAll('*').length`))
		if !eval[bool](p, `document.elementFromPoint(700, 300)?.closest('[data-row]') !== null`) {
			t.Errorf("nothing is drawn %d/12 from the end", i)
		}
	}
	t.Logf("at most %d elements", most)
	if most > 3000 {
		t.Errorf("the page has %d elements", most)
	}
	for _, end := range ends {
		end()
	}
	p.noTrouble()
}

// busy returns for how long the page's main thread has worked, in seconds.
func (p *page) busy() float64 {
	p.t.Helper()
	for _, m := range call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	return 0
}

// still returns the text that expr gives once it has not changed for a second:
// colours of code come after the code.
func (p *page) still(expr string) string {
	p.t.Helper()
	last, same := "", 0
	for range 300 {
		now := eval[string](p, expr)
		if same++; now != last {
			last, same = now, 0
		}
		if same == 10 {
			return last
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Errorf("%s never comes to rest", expr)
	return last
}

// prose is n deltas of 8 characters: paragraphs, lists and one long fence.
func prose(n int) []string {
	var b strings.Builder
	for line := 0; b.Len() < 8*n; line++ {
		switch {
		case line == 400:
			b.WriteString("\n```go\n")
			for i := range 3000 {
				fmt.Fprintf(&b, "x%d := %d\n", i, i)
			}
			b.WriteString("```\n\n")
		case line%9 < 4:
			fmt.Fprintf(&b, "- item %d with `code` and *stress*\n", line)
		case line%9 == 4 || line%9 == 8:
			b.WriteString("\n")
		default:
			fmt.Fprintf(&b, "Line %d of a paragraph, with a [link](https://example.org/%d).\n", line, line)
		}
	}
	text := b.String()[:8*n]
	var deltas []string
	for i := 0; i < len(text); i += 8 {
		deltas = append(deltas, text[i:i+8])
	}
	return deltas
}

// G47: the work of drawing an answer grows with its length and not faster,
// whatever stands before it; and drawn in pieces it is drawn as in one.
func TestG47WorkIsLinear(t *testing.T) {
	t.Parallel()
	lexed := func(t *testing.T, before, n int) int {
		s := newSite(t)
		id := s.play(parts(before), true)
		a := s.answer(id)
		block := a.start("text")
		p := openConversation(t, s, id)
		p.wait("it stands ready", `probe.following()`)
		p.frames(5)
		start := eval[int](p, `__steno.lexed()`)
		for i, d := range prose(n) {
			a.text(block, d)
			if i%100 == 99 {
				p.frames(1)
			}
		}
		a.end()
		p.settled(s.head(id))
		p.wait("all of it is drawn", `!document.querySelector('[data-state=open]')`)
		work := eval[int](p, `__steno.lexed()`) - start

		// What is far from sight is an empty box of its measured or guessed height.
		const html = `[...document.querySelectorAll('[data-row]')].at(-1).querySelector('.prose').innerHTML.replace(/ style="[^"]*"/g, '')`
		streamed := p.still(html)
		p.do(`(window.left = true, location.reload())`)
		p.wait("it is loaded again", `!window.left && document.querySelector('[data-ready=true] [data-row] .prose')`)
		if whole := p.still(html); streamed != whole {
			t.Errorf("streamed it is drawn as %d characters of HTML, whole as %d", len(streamed), len(whole))
		}
		return work
	}
	var small, large, alone int
	t.Run("measure", func(t *testing.T) {
		for _, m := range []struct {
			into           *int
			before, deltas int
		}{{&small, 200, 3000}, {&large, 200, 6000}, {&alone, 1, 6000}} {
			t.Run(fmt.Sprintf("%d deltas behind %d parts", m.deltas, m.before), func(t *testing.T) {
				t.Parallel()
				*m.into = lexed(t, m.before, m.deltas)
			})
		}
	})
	t.Logf("characters lexed: %d for 3,000 deltas, %d for 6,000, %d for 6,000 alone", small, large, alone)
	if ratio := float64(large) / float64(small); ratio >= 2.5 {
		t.Errorf("twice the answer is %.2f times the work", ratio)
	}
	if ratio := float64(large) / float64(alone); ratio > 1.5 {
		t.Errorf("behind 200 parts it is %.2f times the work", ratio)
	}
}

// G48: while a fence is open its body is code, character for character.
func TestG48OpenFence(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(shared(t), "cases", "give", "G48", "doc.txt"))
	if err != nil {
		t.Skip(err)
	}
	text := string(doc)
	opener := strings.Index(text, "```")
	body := opener + strings.IndexByte(text[opener:], '\n') + 1
	s := newSite(t)
	id := s.conversation("A fence")
	a := s.answer(id)
	block := a.start("text")
	p := openConversation(t, s, id)
	for i, r := range text {
		a.text(block, string(r))
		if end := i + len(string(r)); end > body {
			p.wait("the body is code as it came", `document.querySelector('.prose pre code')?.textContent === $0`, text[body:end])
			if n := eval[int](p, `document.querySelectorAll('.prose pre').length * 100 + document.querySelectorAll('.prose :is(a, b, strong, em, h1, h2, h3)').length`); n != 100 {
				t.Fatalf("after %q there are %d code blocks and %d other marks", text[:end], n/100, n%100)
			}
		}
	}
	a.cut() // the turn ends with the fence open
	p.wait("it is settled", `document.querySelector('.part[data-state=sealed] pre code')`)
	if got := eval[string](p, `document.querySelector('.prose pre code').textContent`); got != text[body:] {
		t.Errorf("settled the code is %q, not %q", got, text[body:])
	}
	p.noTrouble()
}
