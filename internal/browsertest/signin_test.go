package browsertest

import (
	"context"
	"testing"
)

// A user signs in by the link, plays a demo from the page, watches it, and
// removes the demos with one click.
func TestSignInPlayAndDelete(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	kept := s.conversation("Not a demo")
	p := open(t, s, "/")

	if at := eval[string](p, `location.href`); at != "http://"+s.addr+"/" {
		t.Errorf("after the sign-in the address is %s", at)
	}
	p.wait("the list is read", `document.querySelector("[data-conversation=\"" + $0 + "\"]")`, kept)
	p.click("[data-testid=play]")
	p.wait("the recordings are listed", `document.querySelectorAll('[data-script]').length >= 5`)
	p.click("[data-testid=player] fieldset label:last-of-type")
	p.click("[data-script=flaky-test]")
	p.wait("its conversation is shown", `location.pathname.startsWith('/c/')`)
	p.wait("it is seen to run", `document.querySelector('[data-testid=running]')`)
	p.wait("it is listed as a demo that runs", `document.querySelector('[data-demo=true][data-running=true]')`)
	p.wait("something is written while it runs", `document.querySelector('[data-testid=running]') && document.querySelector('.part[data-state=open], .part[data-kind=tool]')`)
	p.wait("it ends", `document.querySelector('[data-ready=true]') && !document.querySelector('[data-testid=running]')`)
	if kinds := eval[[]string](p, `[...new Set([...document.querySelectorAll('.part')].map((part) => part.dataset.kind))]`); len(kinds) < 2 {
		t.Errorf("only %v are drawn", kinds)
	}

	p.click("[data-testid=remove-demos]")
	p.wait("the demo is gone and the front page shown", `!document.querySelector('[data-demo=true]') && location.pathname === '/'`)
	if n := eval[int](p, `document.querySelectorAll('[data-conversation]').length`); n != 1 {
		t.Errorf("%d conversations are left, not the one that is no demo", n)
	}
	list, err := s.store.List(context.Background())
	if err != nil || len(list) != 1 || list[0].ID != kept {
		t.Errorf("the store has %v (%v)", list, err)
	}
	p.noTrouble()
}
