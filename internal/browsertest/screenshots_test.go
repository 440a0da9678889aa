package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/stenolog/steno/internal/api"
)

// picture is a state of the page: how a page is brought into it.
type picture struct {
	name string
	into func(p *page)
}

// pictures are the states that are drawn.
var pictures = []picture{
	{"empty", func(p *page) {
		p.enter("/")
		p.wait("it is empty", `document.querySelector('[data-testid=empty]') && document.body.textContent.includes('Nothing is here yet')`)
	}},
	{"list", func(p *page) {
		for _, title := range []string{"Summarise the incident of last night", "Rate limits", "A title that is much too long for the column it stands in, and goes on and on", "עברית ו-English"} {
			p.site.conversation(title)
		}
		p.recorded("flaky-test")
		p.enter("/")
		p.wait("the list is there", `document.querySelectorAll('[data-conversation]').length === 5 || document.querySelectorAll('nav li').length === 5`)
	}},
	{"player", func(p *page) {
		p.enter("/")
		p.wait("it can be played", `document.querySelector('[data-testid=play-front], [data-testid=play]')`)
		p.do(`[...document.querySelectorAll('[data-testid=play-front], [data-testid=play]')].find((button) => probe.onScreen(button)).click()`)
		p.wait("the recordings are there", `document.querySelectorAll('[data-script]').length > 0`)
	}},
	{"demo", func(p *page) { p.enter("/c/" + p.recorded("flaky-test")) }},
	{"guide", func(p *page) { p.enter("/c/" + p.recorded("rate-limit-guide")); p.top() }},
	{"thinking", func(p *page) { p.thinks() }},
	{"thinking-unfolded", func(p *page) { p.thinks(); p.do(`probe.unfold()`) }},
	{"parallel-tools", func(p *page) {
		p.enter("/c/" + p.site.play(parallel, true))
		p.wait("they run", `document.querySelectorAll('[data-kind=tool]').length === 3`)
	}},
	{"error", func(p *page) {
		p.enter("/c/" + p.site.play(failed, true))
		p.wait("the card is there", `document.querySelector('[data-testid=error]')`)
	}},
	{"retried", func(p *page) { p.enter("/c/" + p.recorded("overloaded")); p.top() }},
	{"denied", func(p *page) { p.enter("/c/" + p.recorded("failing-review")) }},
	{"cut-off", func(p *page) { p.enter("/c/" + p.recorded("cut-off")) }},
	{"interrupted", func(p *page) {
		id := p.site.conversation("The history of shorthand")
		a := p.site.answer(id)
		a.text(a.start("text"), "Tiro, a freedman of Cicero, kept a system of some four thousand signs. It outlived Rome by a thousand years, and then")
		p.enter("/c/" + id)
		p.wait("it is seen", `document.body.textContent.includes('and then')`)
		p.site.kill()
		a.lose()
		p.wait("it is marked", `document.querySelector('[data-reason=interrupted]') && !document.querySelector('[data-testid=offline]')`)
	}},
	{"queued", func(p *page) { p.enter("/c/" + p.site.play(queued, true)) }},
	{"10000-parts", func(p *page) {
		n := 10_000
		if os.Getenv("STENO_SCREENSHOTS") == "" {
			n = 500 // they look the same; TestTenThousandParts has them all
		}
		p.enter("/c/" + p.site.play(parts(n), true))
	}},
	{"hostile", func(p *page) { p.enter("/c/" + p.site.play(everywhere(p.t, evil), true)) }},
	{"signed-out", func(p *page) {
		p.visit("/")
		p.wait("it says so", `document.querySelector('[data-testid=signed-out]')`)
	}},
	{"missing", func(p *page) {
		p.enter("/c/no-such-conversation")
		p.wait("it says so", `document.querySelector('[data-testid=missing]')`)
	}},
	{"offline", func(p *page) {
		p.enter("/c/" + p.recorded("rate-limit-guide"))
		p.offline(true)
		p.site.conns.cut()
		p.wait("it says so", `document.querySelector('[data-testid=offline]')`)
	}},
}

// thinking is a turn in which nothing was said yet.
var thinking = []line{
	{Title: "Is 2,147,483,647 a prime?"},
	{Type: "user-message", Text: "Is 2,147,483,647 a prime?"},
	{Type: "turn-start"},
	{Type: "reasoning-delta", Text: "It is 2³¹ − 1, a Mersenne number. Its exponent 31 is prime, which is necessary but does not suffice.\n\n"},
	{Type: "reasoning-delta", Text: "Euler showed in 1772 that it is: a divisor of it has the form 248n + 1 or 248n + 63, and he tried all of these below 46,339. I can do the Lucas–Lehmer test in my head for small exponents only, so"},
}

// parallel is a turn in which three tools are at work, one of which asks.
var parallel = []line{
	{Title: "Check the three services"},
	{Type: "user-message", Text: "Check the three services."},
	{Type: "turn-start"},
	{Type: "text-delta", Text: "I will ask all three at once."},
	{Type: "tool-call", Call: "a", Name: "bash", Text: `{"command":"curl -sf https://billing.example.org/healthz"}`},
	{Type: "tool-call", Call: "b", Name: "bash", Text: `{"command":"curl -sf https://search.example.org/healthz"}`},
	{Type: "tool-call", Call: "c", Name: "bash", Text: `{"command":"curl -sf https://mail.example.org/healthz"}`},
	{Type: "tool-output", Call: "a"},
	{Type: "tool-output", Call: "a", Text: "HTTP/2 200\ncontent-type: application/json\n"},
	{Type: "tool-result", Call: "a", Text: `{"status":"ok"}`, Body: []byte(`{"outcome":"ok"}`)},
	{Type: "tool-output", Call: "b"},
	{Type: "tool-output", Call: "b", Text: "trying 192.0.2.7 …\ntrying 192.0.2.8 …\n"},
	{Type: "permission-asked", Call: "c", Name: "bash", Body: []byte(`{"id":"p","what":"run a command that reaches the network"}`)},
}

// failed is a turn that was tried twice and ended by an error.
var failed = []line{
	{Title: "Summarise the incident"},
	{Type: "user-message", Text: "Summarise the incident of last night."},
	{Type: "turn-start"},
	{Type: "text-delta", Text: "The first alert came at 09:14, when the queue"},
	{Type: "error", Text: "Overloaded", Body: []byte(`{"status":529,"code":"overloaded_error"}`)},
	{Type: "attempt-failed", Text: "Overloaded", Body: []byte(`{"status":529,"retryIn":2500}`)},
	{Type: "text-delta", Text: "The first alert came at 09:14. I will look at "},
	{Type: "error", Text: "This request would exceed your organization's rate limit of 80,000 input tokens per minute.", Body: []byte(`{"status":429,"code":"rate_limit_error"}`)},
	{Type: "turn-end", Body: []byte(`{"reason":"error"}`)},
}

// queued is a turn during which more was asked.
var queued = []line{
	{Title: "One thing after the other"},
	{Type: "user-message", Text: "Rename the package."},
	{Type: "turn-start"},
	{Type: "text-delta", Text: "First I look for everything that names it."},
	{Type: "model-changed", Text: "claude-sonnet-4-5 → gpt-5.1"},
	{Type: "user-message", Text: "And run the tests when you are done.", Body: []byte(`{"queued":true,"item":"i"}`)},
	{Type: "user-message", Text: "Then tell me what took longest.", Body: []byte(`{"queued":true,"item":"j"}`)},
}

// enter signs in and goes to a path.
func (p *page) enter(path string) {
	p.t.Helper()
	p.signIn()
	if path == "/" {
		return
	}
	p.visit(path)
	p.wait("the page is drawn", `document.querySelector('[data-ready=true] [data-row], [data-ready=true] [data-testid=foot]:not(:empty), [data-testid=missing]')`)
}

// thinks shows a turn in which nothing was said yet.
func (p *page) thinks() {
	p.t.Helper()
	p.enter("/c/" + p.site.play(thinking, true))
	p.wait("it thinks", `document.querySelector('[data-row] summary .pulse')`)
}

func (p *page) top() {
	p.t.Helper()
	p.frames(5)
	p.do(`probe.scroller().scrollTop = 0`)
}

// recorded plays one of the built-in recordings to its end.
func (p *page) recorded(name string) string {
	p.t.Helper()
	c, err := p.site.store.Play(context.Background(), api.PlayRequest{Names: []string{name}, Speed: 1e6, Wait: true})
	if err != nil {
		p.t.Fatal(err)
	}
	return c.ID
}

// look is a size of the window and the colours the system asks for.
type look struct {
	width, height int64
	scheme        string
}

// looks are a phone, a tablet and a desk, light and dark. The first two are
// enough to check by: what is drawn depends on either, hardly on both.
var looks = []look{
	{360, 740, "light"},
	{1440, 900, "dark"},
	{360, 740, "dark"},
	{768, 1024, "light"},
	{768, 1024, "dark"},
	{1440, 900, "light"},
}

// TestScreenshots brings the page into every state there is and checks what can
// be checked without looking: nothing scrolls sideways, lies over something
// else, can hardly be read or has no name. With STENO_SCREENSHOTS it does so in
// all looks and writes the pictures to that directory.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	dir, looks := os.Getenv("STENO_SCREENSHOTS"), looks
	if dir == "" {
		looks = looks[:2]
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, picture := range pictures {
		t.Run(picture.name, func(t *testing.T) {
			t.Parallel()
			p := newPage(t, newSite(t))
			p.scheme("light")
			picture.into(p)
			for _, look := range looks {
				p.device(look.width, look.height)
				p.scheme(look.scheme)
				p.check(dir, fmt.Sprintf("%s-%d-%s", picture.name, look.width, look.scheme))
			}
			p.noTrouble()
		})
	}
}

// check checks the page as it stands and takes its picture.
func (p *page) check(dir, at string) {
	p.t.Helper()
	p.frames(8)
	for what, probe := range map[string]string{
		"is too wide": `probe.wide()`, "has things that overlap": `probe.overlapping()`,
		"is hard to read": `probe.faint(4.5)`, "has": `probe.unnamed()`, "is hard to touch": `probe.small()`,
	} {
		if bad := eval[[]string](p, probe); len(bad) > 0 {
			p.t.Errorf("%s %s: %s", at, what, strings.Join(bad, "; "))
		}
	}
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	p.must(err)
	if err := os.WriteFile(filepath.Join(dir, at+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// The checks find what they look for: each fault is put into a page without one.
func TestProbesFindFaults(t *testing.T) {
	t.Parallel()
	p := newPage(t, newSite(t))
	p.enter("/c/" + p.site.play(parts(20), true))
	for _, c := range []struct{ probe, fault, want string }{
		{`probe.faint(4.5)`, `document.querySelector('h1').style.color = 'rgb(160 160 160)'`, "h1"},
		{`probe.faint(4.5)`, `[...document.querySelectorAll('[data-row] .prose')].at(-1).style.opacity = 0.4`, "Part"},
		{`probe.wide()`, `document.querySelector('[data-row]').style.width = '3000px'`, "wide"},
		{`probe.overlapping()`, `[...document.querySelectorAll('[data-row]')].at(-2).style.marginBottom = '-40px'`, "[data-row]"},
		{`probe.unnamed()`, `document.querySelector('[data-testid=theme]').removeAttribute('aria-label')`, "no name"},
		{`probe.small()`, `document.querySelector('[data-testid=play]').style.cssText = 'width:10px;height:10px;min-height:0;padding:0;overflow:hidden'`, "10 by 10"},
	} {
		p.visit(eval[string](p, `location.pathname`))
		p.wait("it is drawn", `document.querySelector('[data-ready=true] [data-row] .prose :is(p, h3)')`)
		p.frames(5)
		if was := eval[[]string](p, c.probe); len(was) > 0 {
			t.Errorf("%s finds %q before there is a fault", c.probe, was)
		}
		p.do(c.fault)
		p.frames(2)
		if found := strings.Join(eval[[]string](p, c.probe), "; "); !strings.Contains(found, c.want) {
			t.Errorf("%s finds %q and not %q after %s", c.probe, found, c.want, c.fault)
		}
	}
}
