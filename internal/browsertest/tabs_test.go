package browsertest

import (
	"fmt"
	"testing"
)

// shownAs waits until a tab shows a conversation: its title in the head, in
// the list and in the tab, and its text.
func (p *page) shownAs(title, text string) {
	p.t.Helper()
	p.wait(title+" is shown", `document.querySelector('[data-ready=true]') && document.querySelector('h1')?.textContent === $0 &&
		document.querySelector('[aria-current=page]')?.textContent.includes($0) && document.title.startsWith($0) &&
		document.querySelector('[data-testid=scroller]').textContent.includes($1)`, title, text)
}

// watchBanner notes whether the page ever says that the line is broken.
const watchBanner = `new MutationObserver(() => { if (document.querySelector('[data-testid=offline]')) window.wasOffline = true }).observe(document.body, { childList: true, subtree: true })`

// A browser has six connections for a server. Many tabs share them: those that
// nobody sees give theirs up, and catch up when they are seen again.
func TestManyTabs(t *testing.T) {
	t.Parallel()
	const tabs = 8
	s := newSite(t)
	first := open(t, s, "/")
	pages, ids := make([]*page, tabs), make([]string, tabs)
	answers, blocks := make([]*answer, tabs), make([]int, tabs)
	title := func(i int) string { return fmt.Sprintf("Conversation %d", i) }
	for i := range tabs {
		ids[i] = s.conversation(title(i))
		answers[i] = s.answer(ids[i])
		blocks[i] = answers[i].start("text")
		answers[i].text(blocks[i], fmt.Sprintf("begin%d ", i))
	}
	for i := range tabs {
		p := first
		if i > 0 {
			p = first.tab()
		}
		pages[i] = p
		p.visit("/c/" + ids[i] + "?debug=1")
		p.shownAs(title(i), fmt.Sprintf("begin%d", i))
		p.do(watchBanner)
		answers[i].text(blocks[i], fmt.Sprintf("live%d ", i))
		p.shownAs(title(i), fmt.Sprintf("live%d", i))
	}
	if state := eval[string](first, `document.visibilityState`); state != "hidden" {
		t.Fatalf("the first of %d tabs is %s: this browser has no tabs behind others", tabs, state)
	}
	for i := range tabs {
		answers[i].text(blocks[i], fmt.Sprintf("meanwhile%d ", i))
	}
	for i, p := range pages {
		p.toFront()
		p.shownAs(title(i), fmt.Sprintf("meanwhile%d", i))
		answers[i].end()
		p.settled(s.head(ids[i]))
		if n := eval[int](p, `__steno.stats().snapshots`); n != 1 {
			t.Errorf("tab %d read %d snapshots instead of resuming", i, n)
		}
		if eval[bool](p, `window.wasOffline === true`) {
			t.Errorf("tab %d said that the line was broken", i)
		}
		p.noTrouble()
	}
}

// Pages left behind in one tab are kept by the browser for the way back. They
// hold no connections, and are live again when the reader returns.
func TestBackAndForth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := open(t, s, "/")
	const stops = 7
	ids := make([]string, stops)
	title := func(i int) string { return fmt.Sprintf("Stop %d", i) }
	answers, blocks := make([]*answer, stops), make([]int, stops)
	for i := range stops {
		ids[i] = s.conversation(title(i))
		answers[i] = s.answer(ids[i])
		blocks[i] = answers[i].start("text")
		answers[i].text(blocks[i], fmt.Sprintf("begin%d ", i))
	}
	for i := range stops {
		p.visit("/c/" + ids[i] + "?debug=1")
		p.shownAs(title(i), fmt.Sprintf("begin%d", i))
		p.do(watchBanner)
	}
	kept := 0
	stop := func(i int, word string) {
		t.Helper()
		answers[i].text(blocks[i], fmt.Sprintf("%s%d ", word, i))
		p.shownAs(title(i), fmt.Sprintf("%s%d", word, i))
		if eval[bool](p, `window.wasOffline === true`) {
			t.Errorf("%s said that the line was broken", title(i))
		}
		if eval[bool](p, `performance.getEntriesByType('navigation')[0].type !== 'back_forward'`) {
			kept++ // it is the page that was left, not a new one
		}
	}
	for i := stops - 2; i >= 0; i-- {
		answers[i].text(blocks[i], fmt.Sprintf("meanwhile%d ", i))
		p.do(`setTimeout(() => history.back())`)
		p.shownAs(title(i), fmt.Sprintf("meanwhile%d", i))
		stop(i, "back")
	}
	for i := 1; i < stops; i++ {
		p.do(`setTimeout(() => history.forward())`)
		p.shownAs(title(i), "")
		stop(i, "forth")
	}
	t.Logf("%d of %d pages had been kept for the way back", kept, 2*(stops-1))
	p.noTrouble()
}
