package browsertest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"
)

// browser is the one browser of this run. It starts with the first test that
// needs it; every page has a profile of its own in it.
var browser struct {
	sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// errNoBrowser says that there is none to be found; its text says what to do.
var errNoBrowser = errors.New("no Chromium")

// atOnce is how many tests run at a time where nothing else was asked for:
// they wait more than they work.
const atOnce = "4"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err) // the flag is there in every test binary
	}
	flag.Parse()
	code := m.Run()
	if browser.stop != nil {
		browser.stop()
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// findBrowser returns the path of a Chromium.
func findBrowser() (string, error) {
	cmd := exec.Command(filepath.Join("..", "..", ".ci", "browser"))
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if path := strings.TrimSpace(string(out)); err == nil && path != "" {
		return path, nil
	}
	return "", fmt.Errorf("%w: %v\n%s", errNoBrowser, err, said.String())
}

// startBrowser starts the browser, once.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	browser.Do(func() {
		path, err := findBrowser()
		if err != nil {
			browser.err = err
			return
		}
		dir, err := os.MkdirTemp("", "steno-browser-")
		if err != nil {
			browser.err = err
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("disable-domain-reliability", true),
			chromedp.Flag("font-render-hinting", "none"),
		)
		alloc, release := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(alloc)
		browser.ctx = ctx
		browser.stop = func() {
			_ = chromedp.Cancel(ctx) // a browser that is gone needs no closing
			cancel()
			release()
			os.RemoveAll(dir)
		}
		browser.err = chromedp.Do(ctx)
	})
	switch {
	case browser.err == nil:
	case errors.Is(browser.err, errNoBrowser) && os.Getenv("CI") != "true" && os.Getuid() != 0:
		t.Skip(browser.err)
	default:
		t.Fatal(browser.err)
	}
	return browser.ctx
}

// shared returns the directory of the shared cases and streams.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("STENO_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the shared cases are not here: %v", err)
	}
	return dir
}
