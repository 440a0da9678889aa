package browsertest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// chaos makes source events in random order.
type chaos struct {
	*rand.Rand
	n     int // of words, so that each is another
	turn  bool
	calls int // in this turn
	trips int // how often the stream was broken
}

func (c *chaos) oneOf(of ...string) string { return of[c.IntN(len(of))] }

// words are texts without a mark that markdown knows.
func (c *chaos) words() string {
	c.n++
	return fmt.Sprintf("%s%d ", c.oneOf("a", "é", "漢字", "🙂", "word", "שלום", "two words"), c.n)
}

func (c *chaos) call() string {
	if c.calls == 0 {
		c.calls++
	}
	return fmt.Sprint("call", c.IntN(c.calls))
}

// event is a step of a conversation that goes on in disorder: blocks
// interleave, parts are opened again after a notice, attempts fail, calls lack
// a result, queued messages come, are taken and withdrawn.
func (c *chaos) event() line {
	if !c.turn {
		c.turn, c.calls = true, 0
		return line{Type: "turn-start"}
	}
	block := c.oneOf("0", "1", "2", "")
	switch c.IntN(36) {
	case 0:
		return line{Type: "user-message", Text: c.words()}
	case 1:
		return line{Type: "user-message", Text: c.words(), Body: jsontext.Value(`{"queued":true,"item":"` + c.oneOf("i", "j", "k") + `"}`)}
	case 2:
		return line{Type: c.oneOf("queue-taken", "queue-withdrawn"), Body: jsontext.Value(`{"item":"` + c.oneOf("i", "j", "k") + `"}`)}
	case 3, 4:
		return line{Type: c.oneOf("notice", "model-changed", "config-reload"), Text: c.words()}
	case 5:
		return line{Type: "error", Text: c.words(), Body: jsontext.Value(`{"status":` + c.oneOf("429", "500", "529") + `,"code":"overloaded"}`)}
	case 6:
		return line{Type: "attempt-failed", Text: c.words(), Body: jsontext.Value(`{"status":529,"retryIn":10}`)}
	case 7:
		return line{Type: "step-end", Body: jsontext.Value(`{"finish":"complete"}`)}
	case 8:
		if c.IntN(3) > 0 {
			return line{Type: "step-start", Body: jsontext.Value(`{"provider":"p","model":"m"}`)}
		}
		c.turn = false
		return line{Type: "turn-end", Body: jsontext.Value(`{"reason":"` + c.oneOf("complete", "length", "cancelled", "error") + `"}`)}
	case 9, 10, 11:
		c.calls++
		return line{Type: "tool-start", Block: block, Call: fmt.Sprint("call", c.calls-1), Name: c.oneOf("bash", "read_file", "grep", "edit")}
	case 12, 13:
		return line{Type: "tool-delta", Block: block, Call: c.call(), Text: c.oneOf(`{"a":`, `1`, `}`)}
	case 14:
		return line{Type: "tool-call", Block: block, Call: c.call(), Name: "bash", Text: `{"a":1}`}
	case 15, 16, 17:
		return line{Type: "tool-output", Call: c.call(), Text: c.words()}
	case 18, 19:
		return line{Type: "tool-result", Call: c.call(), Text: c.words(), Body: jsontext.Value(`{"outcome":"` + c.oneOf("ok", "error") + `"}`)}
	case 20:
		return line{Type: "permission-asked", Call: c.call(), Name: "bash", Body: jsontext.Value(`{"id":"p1","what":"run it"}`)}
	case 21:
		return line{Type: "permission-answered", Call: c.call(), Body: jsontext.Value(`{"id":"p1","choice":"allow"}`)}
	case 22:
		return line{Type: c.oneOf("text-end", "reasoning-end"), Block: block}
	case 23, 24, 25, 26, 27:
		return line{Type: "reasoning-delta", Block: block, Text: c.words()}
	default:
		return line{Type: "text-delta", Block: block, Text: c.words()}
	}
}

// script is a random conversation of so many events, 10 ms apart on average.
func (c *chaos) script(events int, last string) []line {
	lines := []line{{Title: "Interleaved"}, {Type: "user-message", Text: c.words()}}
	for range events {
		l := c.event()
		l.Pause = int64(c.IntN(20))
		lines = append(lines, l)
	}
	return append(lines, line{Type: "notice", Text: last})
}

// What stands on the screen equals the server's snapshot after a random
// interleaving, whatever happens to the connection, and after the server was
// killed in the middle of an answer and started again.
func TestScreenEqualsSnapshot(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, uint64(time.Now().UnixNano())} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := &chaos{Rand: rand.New(rand.NewPCG(seed, 7))}
			s := newSite(t)
			p := open(t, s, "/")
			id := s.play(c.script(400, "the last word"), false)
			p.visit("/c/" + id + "?debug=1")
			p.wait("the conversation is shown", `document.querySelector('[data-ready=true]')`)
			for !eval[bool](p, `document.body.textContent.includes('the last word')`) {
				p.trip(c)
			}
			p.shows(id)

			a := s.answer(id)
			block := a.start("text")
			for range 20 {
				a.text(block, c.words())
			}
			p.wait("the answer is seen", `[...document.querySelectorAll('.part')].some((part) => part.textContent.includes($0))`, fmt.Sprint(c.n))
			s.kill()
			a.lose()
			p.wait("the turn is marked as interrupted", `document.querySelector('[data-reason=interrupted]')`)
			p.shows(id)

			a = s.answer(id)
			thinking, text := a.start("thinking"), a.start("text")
			for i := range 60 {
				a.delta(thinking, "thinking", c.words())
				a.text(text, strings.Repeat(c.words(), 3))
				time.Sleep(10 * time.Millisecond)
				if i%12 == 6 {
					p.trip(c)
				}
			}
			a.end()
			p.settled(s.head(id))
			p.shows(id)
			t.Logf("the stream was broken %d times: %s", c.trips, eval[string](p, `JSON.stringify(__steno.stats())`))
			if c.trips < 3 {
				t.Errorf("the stream was broken only %d times", c.trips)
			}
			p.noTrouble()
		})
	}
}

// trip breaks the stream in one of the ways there are, after a while.
func (p *page) trip(c *chaos) {
	p.t.Helper()
	time.Sleep(time.Duration(20+c.IntN(120)) * time.Millisecond)
	switch c.IntN(4) {
	case 0:
		p.site.conns.cut()
		c.trips++
	case 1:
		p.do(`__steno.breakStream()`)
		c.trips++
	}
}

// Turns before the window come when the reader asks for them or scrolls to
// where they would stand; the reader's place is kept, and in the end all that
// was ever said is there.
func TestEarlierTurns(t *testing.T) {
	t.Parallel()
	c := &chaos{Rand: rand.New(rand.NewPCG(3, 7))}
	s := newSite(t)
	lines := []line{{Title: "A long conversation"}}
	for range 45 {
		lines = append(lines, line{Type: "user-message", Text: c.words()}, line{Type: "turn-start"},
			line{Type: "text-delta", Block: "0", Text: strings.Repeat(c.words(), 40)},
			line{Type: "notice", Text: c.words()}, line{Type: "turn-end"})
	}
	id := s.play(lines, true)
	p := openConversation(t, s, id)
	p.wait("the newest turns are shown", `probe.following() && document.body.textContent.includes($0)`, fmt.Sprint(c.n))
	const messages = `__steno.state().messages.length`
	if n := eval[int](p, messages); n >= len(lines)/5*2 {
		t.Errorf("the window holds %d messages, which is all of them", n)
	}
	p.do(`probe.scroller().scrollTop = probe.scroller().scrollHeight / 2`)
	p.frames(5)
	before, moved := eval[int](p, messages), p.grip()
	p.do(`document.querySelector('[data-testid=earlier]').click()`)
	p.wait("an earlier turn is there", messages+` > $0`, before)
	p.stays("an earlier turn is put before", false, moved)

	for i := 0; eval[bool](p, `document.querySelector('[data-testid=earlier]') !== null`) && i < 200; i++ {
		p.do(`probe.scroller().scrollTop = 0`)
		p.frames(3)
	}
	p.shows(id)
	p.noTrouble()
}
