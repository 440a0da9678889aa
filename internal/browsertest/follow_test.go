package browsertest

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// stream keeps writing paragraphs into an answer until it is told to stop or
// the test ends.
func (a *answer) stream(block int, every time.Duration) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for i := 0; ; i++ {
			select {
			case <-quit:
				return
			case <-time.After(every):
			}
			text := fmt.Sprintf("word%d ", i)
			if i%25 == 24 {
				text = "\n\n"
			}
			if a.tryDelta(block, "text", text) != nil {
				return // the test has ended
			}
		}
	}()
	return func() { close(quit); <-gone }
}

// streaming is a conversation with enough in it to scroll, to which an answer
// is being written.
func streaming(t *testing.T, thinking bool) (p *page, end func()) {
	t.Helper()
	s := newSite(t)
	lines := []line{{Title: "Followed"}, {Type: "user-message", Text: "Go on."}, {Type: "turn-start"}}
	for i := range 40 {
		lines = append(lines, line{Type: "text-delta", Block: fmt.Sprint(i), Text: fmt.Sprintf("Paragraph %d has something to say, and says it at such a length that it takes a second line.", i)})
	}
	id := s.play(append(lines, line{Type: "turn-end"}), true)
	a := s.answer(id)
	if thinking {
		b := a.start("thinking")
		for i := range 30 {
			a.delta(b, "thinking", fmt.Sprintf("Thought number %d.\n\n", i))
		}
		a.stop(b)
	}
	stop := a.stream(a.start("text"), 15*time.Millisecond)
	p = openConversation(t, s, id)
	p.wait("it follows the stream", `probe.following() && probe.below() <= 1 && document.body.textContent.includes('word5')`)
	return p, func() { stop(); a.end(); p.noTrouble() }
}

// grip marks the line of text the reader looks at and returns how far it has
// moved since, in pixels.
func (p *page) grip() (moved func() float64) {
	p.t.Helper()
	const top = `probe.grip.getBoundingClientRect().top`
	p.do(`probe.grip = [...document.querySelectorAll('[data-row] p, [data-row] summary')].find((line) => line.getBoundingClientRect().top > probe.scroller().getBoundingClientRect().top + 40)`)
	was := eval[float64](p, top)
	return func() float64 {
		p.t.Helper()
		if !eval[bool](p, `probe.grip.isConnected`) {
			p.t.Fatal("the line the reader looks at was taken away")
		}
		return math.Abs(eval[float64](p, top) - was)
	}
}

// stays checks over some frames that the view follows, or that the line the
// reader looks at does not move.
func (p *page) stays(what string, following bool, moved func() float64) {
	p.t.Helper()
	p.frames(2)
	worst := 0.0
	for range 12 {
		if following {
			worst = max(worst, eval[float64](p, `probe.frames(1).then(() => probe.below())`))
		} else {
			worst = max(worst, moved())
		}
	}
	if worst > 1 {
		p.t.Errorf("%s: %.1f px off", what, worst)
	}
	if got := eval[bool](p, `probe.following()`); got != following {
		p.t.Errorf("%s: following is %v", what, got)
	}
}

const (
	insertAbove = `(() => { const image = document.createElement('div'); image.id = 'late'; image.style.height = '120px'; const rows = [...document.querySelectorAll('[data-row]')]; const edge = probe.scroller().getBoundingClientRect().top; (rows.findLast((row) => row.getBoundingClientRect().bottom < edge) ?? rows[0]).append(image); })()`
	removeAbove = `document.getElementById('late').remove()`
)

// G50: the reader's wish decides whether the view follows, not the layout.
func TestG50Following(t *testing.T) {
	t.Parallel()
	p, end := streaming(t, false)
	p.stays("streaming", true, nil)

	p.wheel(-300)
	p.wait("the way back is offered", `probe.centre('[data-testid=to-bottom]') && !probe.following()`)
	p.frames(20) // a wheel may be smoothed over some frames
	moved := p.grip()
	p.stays("1 scrolled up by 300 px", false, moved)

	for _, off := range []struct{ what, change string }{
		{"4 an image above loads", insertAbove},
		{"6 something above collapses", removeAbove},
	} {
		p.do(off.change)
		p.stays(off.what+", not following", false, moved)
	}
	p.size(1200, 600)
	p.stays("3 the window gets shorter, not following", false, moved)
	p.size(1200, 800)
	p.stays("3 the window gets taller, not following", false, moved)

	// The text grows while the wheel turns: a reader turns it until the end is there.
	for range 20 {
		if p.wheel(100_000); eval[bool](p, `probe.following()`) {
			break
		}
		p.frames(10)
	}
	p.wait("2 back at the bottom it follows", `probe.following()`)
	p.stays("2 back at the bottom", true, nil)
	p.size(1200, 500)
	p.stays("3 the window gets shorter", true, nil)
	p.size(1200, 800)
	p.stays("3 the window gets taller", true, nil)
	p.do(insertAbove)
	p.stays("4 an image above loads", true, nil)
	p.do(removeAbove)
	p.stays("6 something above collapses", true, nil)

	p.wheel(-300)
	p.wait("the way back is offered again", `probe.centre('[data-testid=to-bottom]')`)
	p.click("[data-testid=to-bottom]")
	p.stays("2 by the button", true, nil)
	end()
}

// G50, its fifth point: where there is nothing to scroll a wheel says nothing.
func TestG50WheelWithoutOverflow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.conversation("Short")
	a := s.answer(id)
	block := a.start("text")
	a.text(block, "Not much yet. ")
	p := openConversation(t, s, id)
	p.wait("it is shown", `document.body.textContent.includes('Not much')`)
	p.wheel(-300)
	p.stays("5 a wheel without overflow", true, nil)
	for i := range 60 {
		a.text(block, fmt.Sprintf("Paragraph %d.\n\n", i))
	}
	p.wait("it has grown", `document.body.textContent.includes('Paragraph 59')`)
	p.stays("5 when it has grown", true, nil)
	a.end()
}

// G50, its sixth point: a thinking block that the reader folds.
func TestG50ThinkingCollapses(t *testing.T) {
	t.Parallel()
	p, end := streaming(t, true)
	const summary = `[data-row] details > summary`
	p.do(`document.querySelector($0).click()`, summary)
	p.wait("the thinking is open", `document.querySelector('[data-row] details[open]')`)
	p.stays("6 a block unfolds above while following", true, nil)
	p.do(`document.querySelector($0).click()`, summary)
	p.stays("6 a block folds above while following", true, nil)

	p.do(`document.querySelector($0).click()`, summary)
	p.frames(2)
	p.wheel(-120)
	p.wait("it follows no more", `!probe.following()`)
	p.frames(20)
	p.do(`document.querySelector($0)?.click()`, summary)
	p.frames(5)
	if eval[bool](p, `probe.following()`) {
		t.Error("6 a fold switched following on")
	}
	end()
}
