package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp/kb"
)

// tree returns the roles and names a screen reader is given, as "role name".
func (p *page) tree() []string {
	p.t.Helper()
	var out []string
	for _, n := range call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		name := ""
		if n.Name != nil {
			name = strings.Trim(string(n.Name.Value), `"`)
		}
		out = append(out, strings.Trim(string(n.Role.Value), `"`)+" "+name)
	}
	return out
}

// A screen reader finds its way: landmarks, a log, headings, names; what is
// settled is announced, and not each token.
func TestScreenReader(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.play(parts(20), true)
	p := openConversation(t, s, id)
	p.wait("the list is read", `document.querySelector('h1').textContent === 'A turn of 20 parts' && document.querySelector('[data-testid=remove-demos]')`)
	tree := p.tree()
	for _, want := range []string{
		"navigation Conversations", "main Conversation", "log Transcript", "heading A turn of 20 parts",
		"link Skip to the conversation", "button Play a demo", "button Remove demo conversations", "button Delete A turn of 20 parts",
	} {
		if !slices.ContainsFunc(tree, func(node string) bool { return strings.HasPrefix(node, want) }) {
			t.Errorf("%q is not in the tree", want)
		}
	}
	if !slices.ContainsFunc(tree, func(node string) bool { return strings.HasPrefix(node, "article ") }) {
		t.Error("no row is an article")
	}
	if bad := eval[[]string](p, `probe.unnamed()`); len(bad) > 0 {
		t.Errorf("the page has %q", bad)
	}

	p.do(`(() => { probe.said = []; const live = document.querySelector('[data-testid=announcer]'); new MutationObserver(() => probe.said.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true }); })()`)
	a := s.answer(id)
	block := a.start("text")
	for i := range 20 {
		a.text(block, fmt.Sprintf("token%d ", i))
		p.frames(1)
	}
	p.wait("the tokens are drawn", `document.querySelector('[role=log]').textContent.includes('token19')`)
	if n := eval[int](p, `probe.said.filter((said) => said.includes('token')).length`); n != 0 {
		t.Errorf("%d announcements were made while the text streamed", n)
	}
	a.stop(block)
	a.end()
	p.wait("the settled text is announced", `probe.said.some((said) => said.includes('token0') && said.includes('token19'))`)
	if live := eval[string](p, `document.querySelector('[data-testid=announcer]').getAttribute('aria-live')`); live != "polite" {
		t.Errorf("the announcer is %q", live)
	}
	p.noTrouble()
}

// Everything can be done from the keyboard, and one sees where one is.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.play(parts(60), true)
	p := openConversation(t, s, id)

	p.key(kb.Tab)
	if focus := eval[string](p, `document.activeElement.textContent.trim()`); !strings.HasPrefix(focus, "Skip") {
		t.Errorf("the first stop is %q", focus)
	}
	if !eval[bool](p, `probe.onScreen(document.activeElement)`) {
		t.Error("the skip link cannot be seen when it has the focus")
	}
	p.key(kb.Enter)
	p.wait("it leads to the conversation", `document.activeElement.id === 'main' || document.activeElement.closest('#main')`)

	p.do(`document.activeElement.blur()`)
	p.do(`window.getSelection().removeAllRanges()`)
	p.visit("/c/" + id + "?debug=1")
	p.wait("it is shown again", `document.querySelector('[data-ready=true] [data-row]')`)
	stops := 0
	for range 40 {
		p.key(kb.Tab)
		stop := eval[string](p, `document.activeElement === document.body ? '' : document.activeElement.outerHTML.slice(0, 90)`)
		if stop == "" {
			break // round once
		}
		stops++
		if !eval[bool](p, `probe.focusSeen()`) {
			t.Errorf("one does not see that the focus is at %s", stop)
		}
	}
	if stops < 6 {
		t.Errorf("there are only %d stops", stops)
	}

	p.do(`probe.scroller().focus()`)
	p.key("g")
	p.wait("g goes to the first row", `probe.scroller().scrollTop < 2 * innerHeight && !probe.following()`)
	for range 5 {
		p.key("j")
	}
	at := eval[string](p, `document.activeElement.dataset.row`)
	if at == "" || !eval[bool](p, `probe.onScreen(document.activeElement) && probe.focusSeen()`) {
		t.Errorf("j leads to %q, which is not seen", at)
	}
	p.key("k")
	if now := eval[string](p, `document.activeElement.dataset.row`); now == at || now == "" {
		t.Errorf("k leads from %q to %q", at, now)
	}
	p.key("G")
	p.wait("G goes to the end and follows", `probe.following() && probe.below() <= 1`)

	p.do(`document.querySelector('[data-testid=play]').focus()`)
	p.key(kb.Enter)
	p.wait("the dialog opens and has the focus", `document.querySelector('dialog[open]')?.contains(document.activeElement)`)
	p.key(kb.Escape)
	p.wait("Escape closes it", `!document.querySelector('dialog[open]')`)
	p.wait("and the focus is back", `document.activeElement?.dataset.testid === 'play'`)
	p.noTrouble()
}

// Where the first visible thing about a conversation is the list, arrows walk it.
func TestKeyboardWalksTheList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, title := range []string{"One", "Two", "Three"} {
		s.conversation(title)
	}
	p := open(t, s, "/")
	p.wait("the list is there", `document.querySelectorAll('[data-conversation]').length === 3`)
	p.do(`document.querySelector('[data-conversation] a').focus()`)
	p.key(kb.ArrowDown)
	p.key(kb.ArrowDown)
	if n := eval[int](p, `[...document.querySelectorAll('[data-conversation] a')].indexOf(document.activeElement)`); n != 2 {
		t.Errorf("two arrows down lead to %d", n)
	}
	p.key(kb.Enter)
	p.wait("Enter opens it", `location.pathname.startsWith('/c/') && document.querySelector('[data-ready=true]')`)
	p.noTrouble()
}
