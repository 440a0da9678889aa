package browsertest

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
)

// patience is how long a test waits for what has to come.
const patience = 60 * time.Second

// probe holds the functions the tests call in the page, as window.probe.
//
//go:embed testdata/probe.js
var probe string

// page is a tab.
type page struct {
	t    *testing.T
	ctx  context.Context
	site *site
	mu   struct {
		sync.Mutex
		requests []string // addresses, in order
		troubles []string // exceptions and errors of the console
		loads    []string // addresses the main frame went to
	}
}

// newPage opens a tab in a profile of its own, signed out.
func newPage(t *testing.T, s *site) *page {
	t.Helper()
	return newTab(t, s, startBrowser(t), chromedp.WithNewBrowserContext())
}

// tab opens one more tab in the window of a page, in front of it.
func (p *page) tab() *page {
	p.t.Helper()
	other := newTab(p.t, p.site, p.ctx, chromedp.WithNewWindow(false))
	other.toFront()
	return other
}

// toFront makes a tab the one that is seen.
func (p *page) toFront() {
	p.t.Helper()
	call(p, cdppage.BringToFront, cdp.Empty{})
	p.wait("the tab is in front", `document.visibilityState === 'visible'`)
}

func newTab(t *testing.T, s *site, parent context.Context, options ...chromedp.ContextOption) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, site: s}
	p.must(chromedp.Do(ctx))
	p.must(chromedp.Listen(ctx, p.heard))
	// They would tell of every node that comes and goes.
	call(p, css.Disable, cdp.Empty{})
	call(p, dom.Disable, cdp.Empty{})
	call(p, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: probe})
	p.size(1200, 800)
	return p
}

// open opens a tab, signs in by a link as a user does, and goes to a path.
func open(t *testing.T, s *site, path string) *page {
	t.Helper()
	p := newPage(t, s)
	p.signIn()
	if path != "/" {
		p.visit(path)
	}
	return p
}

// openConversation opens a conversation, with the page's counters on.
func openConversation(t *testing.T, s *site, id string) *page {
	t.Helper()
	p := open(t, s, "/c/"+id+"?debug=1")
	p.wait("the conversation is shown", `document.querySelector('[data-ready=true]')`)
	return p
}

func (p *page) signIn() {
	p.t.Helper()
	p.navigate(p.site.srv.SignInLink())
	p.wait("the page is there", `document.querySelector('[data-testid=app]')`)
}

func (p *page) visit(path string) {
	p.t.Helper()
	p.navigate("http://" + p.site.addr + path)
}

func (p *page) navigate(address string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	p.must(chromedp.Do(ctx, chromedp.Navigate(address)))
}

// cookiesGone forgets that the browser was signed in.
func (p *page) cookiesGone() {
	p.t.Helper()
	call(p, network.ClearBrowserCookies, cdp.Empty{})
}

// heard notes what the page does. It runs on the loop that reads the browser's
// messages.
func (p *page) heard(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.mu.requests = append(p.mu.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.mu.troubles = append(p.mu.troubles, "exception: "+e.ExceptionDetails.Text)
		if x := e.ExceptionDetails.Exception; x != nil {
			p.mu.troubles = append(p.mu.troubles, x.Description)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			p.mu.troubles = append(p.mu.troubles, "console.error")
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError && e.Entry.Source != cdplog.EntrySourceNetwork {
			p.mu.troubles = append(p.mu.troubles, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *cdppage.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			p.mu.loads = append(p.mu.loads, e.Frame.URL)
		}
	case *cdppage.EventJavascriptDialogOpening:
		p.mu.troubles = append(p.mu.troubles, "dialog: "+e.Message)
	}
}

// troubles returns the errors the page had so far.
func (p *page) troubles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.mu.troubles)
}

// noTrouble fails the test if the page had an error.
func (p *page) noTrouble() {
	p.t.Helper()
	for _, trouble := range p.troubles() {
		p.t.Errorf("the page had trouble: %s", trouble)
	}
}

// foreign returns the addresses the page asked for that are not its server's.
func (p *page) foreign() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, address := range p.mu.requests {
		u, err := url.Parse(address)
		if err != nil || u.Host != p.site.addr && u.Scheme != "data" {
			out = append(out, address)
		}
	}
	return out
}

func (p *page) loads() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.mu.loads)
}

func (p *page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("browser: %v", err)
	}
}

// call gives a command of the protocol to the page.
func call[P, R any](p *page, cmd cdp.Command[P, R], params P) R {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, cmd, params)
	p.must(err)
	return r
}

// eval evaluates an expression in the page, with $0, $1 … for the arguments; a
// promise is awaited.
func eval[T any](p *page, js string, args ...any) T {
	p.t.Helper()
	v, err := tryEval[T](p, js, args...)
	if err != nil {
		p.t.Fatalf("in the page: %v\n%s", err, js)
	}
	return v
}

func tryEval[T any](p *page, js string, args ...any) (T, error) {
	names, values := make([]string, len(args)), make([]string, len(args))
	for i, a := range args {
		v, err := json.Marshal(a)
		if err != nil {
			p.t.Fatal(err)
		}
		names[i], values[i] = fmt.Sprintf("$%d", i), string(v)
	}
	js = "((" + strings.Join(names, ", ") + ") => (" + js + "))(" + strings.Join(values, ", ") + ")"
	ctx, cancel := context.WithTimeout(p.ctx, 2*patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
}

// do evaluates an expression for what it does.
func (p *page) do(js string, args ...any) {
	p.t.Helper()
	eval[bool](p, "(("+js+"), true)", args...)
}

// wait waits until an expression is true.
func (p *page) wait(what, js string, args ...any) {
	p.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(15 * time.Millisecond) {
		var ok bool
		// The page may be between two documents; then it is not true yet.
		if ok, err = tryEval[bool](p, "!!("+js+")", args...); err == nil && ok {
			return
		}
	}
	p.t.Fatalf("waited in vain until %s (%v)\n%s\ntroubles: %q", what, err, js, p.troubles())
}

// frames lets so many frames pass.
func (p *page) frames(n int) {
	p.t.Helper()
	eval[bool](p, `probe.frames($0)`, n)
}

// settled waits until what the page shows is complete up to a seq.
func (p *page) settled(seq int64) {
	p.t.Helper()
	p.wait(fmt.Sprintf("seq %d is shown", seq), `Number(__steno.cursor().split(':').pop()) >= $0`, seq)
	p.frames(3)
}

// click presses the left button in the middle of the first element that
// matches.
func (p *page) click(selector string) {
	p.t.Helper()
	p.wait(selector+" can be clicked", `probe.centre($0)`, selector)
	at := eval[[2]float64](p, `probe.centre($0)`, selector)
	p.must(chromedp.Do(p.ctx, chromedp.MouseClickXY(at[0], at[1])))
}

// key presses a key as a keyboard does.
func (p *page) key(keys string) {
	p.t.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.KeyEvent(keys)))
}

// turnOfWheel is Input.dispatchMouseEvent for a wheel, which has to name both
// directions even where one is 0.
type turnOfWheel struct {
	Type   input.DispatchMouseEventType `json:"type"`
	X      float64                      `json:"x"`
	Y      float64                      `json:"y"`
	DeltaX float64                      `json:"deltaX"`
	DeltaY float64                      `json:"deltaY"`
}

// wheel turns the wheel over the transcript.
func (p *page) wheel(dy float64) {
	p.t.Helper()
	at := eval[[2]float64](p, `probe.centre('[data-testid=scroller]')`)
	call(p, cdp.Command[turnOfWheel, cdp.Empty]{Method: input.CommandDispatchMouseEvent},
		turnOfWheel{Type: input.DispatchMouseEventTypeMouseWheel, X: at[0], Y: at[1], DeltaY: dy})
	p.frames(2)
}

func (p *page) size(width, height int64) {
	p.t.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.EmulateViewport(width, height)))
}

// device makes the window that of a phone, where it is narrow, or of a desk.
func (p *page) device(width, height int64) {
	p.t.Helper()
	var options []chromedp.EmulateViewportOption
	if width < 500 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2))
	}
	p.must(chromedp.Do(p.ctx, chromedp.EmulateViewport(width, height, options...)))
}

// scheme chooses the colours the system asks for: light or dark.
func (p *page) scheme(name string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// offline takes the network away, or gives it back.
func (p *page) offline(off bool) {
	p.t.Helper()
	rate := network.Conditions{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}
	call(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{&rate}})
	call(p, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1})
}
