package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// pairEvents are the events of the transition matrix. %d is the place in the
// pair. The turn has begun with a call c0, which result and output name.
var pairEvents = map[string]string{
	"text":     "{'type':'text-delta','text':'t%d'}",
	"thinking": "{'type':'reasoning-delta','text':'r%d'}",
	"call":     "{'type':'tool-call','id':'c%d','name':'f','arguments':'{}'}",
	"result":   "{'type':'tool-result','id':'c0','result':'R%d'}",
	"output":   "{'type':'shell-output','id':'c0','text':'o%d'}",
	"error":    "{'type':'error','message':'e%d'}",
	"system":   "{'type':'notice','text':'n%d'}",
	"end":      "{'type':'text-end'}",
	"step end": "{'type':'step-end'}",
	"done":     "{'type':'done'}",
}

var pairOrder = []string{"text", "thinking", "call", "result", "output", "error", "system", "end", "step end", "done"}

// pairs says what every ordered pair of events makes after a call, A4. Messages
// are parted by a bar.
var pairs = map[string]string{
	"text, text":         "batch(c0) text(t1t2+)",
	"text, thinking":     "batch(c0) text(t1) thinking(r2) text(+)",
	"text, call":         "batch(c0) text(t1) batch(c2) text(+)",
	"text, result":       "batch(c0=R2) text(t1+)",
	"text, output":       "batch(c0|o2) text(t1+)",
	"text, error":        "batch(c0) text(t1) error(e2) text(+)",
	"text, system":       "batch(c0) text(t1) notice(n2) text(+)",
	"text, end":          "batch(c0) text(t1) text(+)",
	"text, step end":     "batch(c0) text(t1) text(+)",
	"text, done":         "batch(c0=skipped!) text(t1) | text(+)",
	"thinking, text":     "batch(c0) thinking(r1) text(t2+)",
	"thinking, thinking": "batch(c0) thinking(r1r2) text(+)",
	"thinking, call":     "batch(c0) thinking(r1) batch(c2) text(+)",
	"thinking, result":   "batch(c0=R2) thinking(r1) text(+)",
	"thinking, output":   "batch(c0|o2) thinking(r1) text(+)",
	"thinking, error":    "batch(c0) thinking(r1) error(e2) text(+)",
	"thinking, system":   "batch(c0) thinking(r1) notice(n2) text(+)",
	"thinking, end":      "batch(c0) thinking(r1) text(+)",
	"thinking, step end": "batch(c0) thinking(r1) text(+)",
	"thinking, done":     "batch(c0=skipped!) thinking(r1) | text(+)",
	"call, text":         "batch(c0 c1) text(t2+)",
	"call, thinking":     "batch(c0 c1) thinking(r2) text(+)",
	"call, call":         "batch(c0 c1 c2) text(+)",
	"call, result":       "batch(c0=R2 c1) text(+)",
	"call, output":       "batch(c0|o2 c1) text(+)",
	"call, error":        "batch(c0 c1) error(e2) text(+)",
	"call, system":       "batch(c0 c1) notice(n2) text(+)",
	"call, end":          "batch(c0 c1) text(+)",
	"call, step end":     "batch(c0 c1) text(+)",
	"call, done":         "batch(c0=skipped! c1=skipped!) | text(+)",
	"result, text":       "batch(c0=R1) text(t2+)",
	"result, thinking":   "batch(c0=R1) thinking(r2) text(+)",
	"result, call":       "batch(c0=R1 c2) text(+)",
	"result, result":     "batch(c0=R1) text(+)",
	"result, output":     "batch(c0=R1) text(+)",
	"result, error":      "batch(c0=R1) error(e2) text(+)",
	"result, system":     "batch(c0=R1) notice(n2) text(+)",
	"result, end":        "batch(c0=R1) text(+)",
	"result, step end":   "batch(c0=R1) text(+)",
	"result, done":       "batch(c0=R1) | text(+)",
	"output, text":       "batch(c0|o1) text(t2+)",
	"output, thinking":   "batch(c0|o1) thinking(r2) text(+)",
	"output, call":       "batch(c0|o1 c2) text(+)",
	"output, result":     "batch(c0|o1=R2) text(+)",
	"output, output":     "batch(c0|o1o2) text(+)",
	"output, error":      "batch(c0|o1) error(e2) text(+)",
	"output, system":     "batch(c0|o1) notice(n2) text(+)",
	"output, end":        "batch(c0|o1) text(+)",
	"output, step end":   "batch(c0|o1) text(+)",
	"output, done":       "batch(c0|o1=interrupted!) | text(+)",
	"error, text":        "batch(c0) error(e1) text(t2+)",
	"error, thinking":    "batch(c0) error(e1) thinking(r2) text(+)",
	"error, call":        "batch(c0) error(e1) batch(c2) text(+)",
	"error, result":      "batch(c0=R2) error(e1) text(+)",
	"error, output":      "batch(c0|o2) error(e1) text(+)",
	"error, error":       "batch(c0) error(e1) error(e2) text(+)",
	"error, system":      "batch(c0) error(e1) notice(n2) text(+)",
	"error, end":         "batch(c0) error(e1) text(+)",
	"error, step end":    "batch(c0) error(e1) text(+)",
	"error, done":        "batch(c0=skipped!) error(e1) | text(+)",
	"system, text":       "batch(c0) notice(n1) text(t2+)",
	"system, thinking":   "batch(c0) notice(n1) thinking(r2) text(+)",
	"system, call":       "batch(c0) notice(n1) batch(c2) text(+)",
	"system, result":     "batch(c0=R2) notice(n1) text(+)",
	"system, output":     "batch(c0|o2) notice(n1) text(+)",
	"system, error":      "batch(c0) notice(n1) error(e2) text(+)",
	"system, system":     "batch(c0) notice(n1) notice(n2) text(+)",
	"system, end":        "batch(c0) notice(n1) text(+)",
	"system, step end":   "batch(c0) notice(n1) text(+)",
	"system, done":       "batch(c0=skipped!) notice(n1) | text(+)",
	"end, text":          "batch(c0) text(t2+)",
	"end, thinking":      "batch(c0) thinking(r2) text(+)",
	"end, call":          "batch(c0 c2) text(+)",
	"end, result":        "batch(c0=R2) text(+)",
	"end, output":        "batch(c0|o2) text(+)",
	"end, error":         "batch(c0) error(e2) text(+)",
	"end, system":        "batch(c0) notice(n2) text(+)",
	"end, end":           "batch(c0) text(+)",
	"end, step end":      "batch(c0) text(+)",
	"end, done":          "batch(c0=skipped!) | text(+)",
	"step end, text":     "batch(c0) text(t2+)",
	"step end, thinking": "batch(c0) thinking(r2) text(+)",
	"step end, call":     "batch(c0) batch(c2) text(+)",
	"step end, result":   "batch(c0=R2) text(+)",
	"step end, output":   "batch(c0|o2) text(+)",
	"step end, error":    "batch(c0) error(e2) text(+)",
	"step end, system":   "batch(c0) notice(n2) text(+)",
	"step end, end":      "batch(c0) text(+)",
	"step end, step end": "batch(c0) text(+)",
	"step end, done":     "batch(c0=skipped!) | text(+)",
	"done, text":         "batch(c0=skipped!) | text(t2+)",
	"done, thinking":     "batch(c0=skipped!) | thinking(r2) text(+)",
	"done, call":         "batch(c0=skipped!) | batch(c2) text(+)",
	"done, result":       "batch(c0=skipped!) | text(+)",
	"done, output":       "batch(c0=skipped!) | text(+)",
	"done, error":        "batch(c0=skipped!) | error(e2) text(+)",
	"done, system":       "batch(c0=skipped!) | notice(n2) | text(+)",
	"done, end":          "batch(c0=skipped!) | text(+)",
	"done, step end":     "batch(c0=skipped!) | text(+)",
	"done, done":         "batch(c0=skipped!) | text(+)",
}

// TestA4EveryPair runs the matrix, and each pair with one more text after it,
// which shows what the pair left open.
func TestA4EveryPair(t *testing.T) {
	for _, first := range pairOrder {
		for _, second := range pairOrder {
			name := first + ", " + second
			t.Run("A4 "+name, func(t *testing.T) {
				got := runPair(t, first, second)
				if got != pairs[name] {
					t.Errorf("got  %s\nwant %s", got, pairs[name])
				}
			})
		}
	}
	if len(pairs) != len(pairOrder)*len(pairOrder) {
		t.Errorf("the matrix has %d pairs", len(pairs))
	}
}

func runPair(t *testing.T, first, second string) string {
	lines := []string{"{'type':'turn-start'}", "{'type':'tool-call','id':'c0','name':'f','arguments':'{}'}"}
	for i, name := range []string{first, second} {
		line := pairEvents[name]
		if strings.Contains(line, "%d") {
			line = fmt.Sprintf(line, i+1)
		}
		lines = append(lines, line)
	}
	lines = append(lines, "{'type':'text-delta','text':'+'}")
	r := fold(t, src(t, lines...))
	var out []string
	for _, m := range r.Messages {
		out = append(out, brief(m.Chunks))
	}
	return strings.Join(out, " | ")
}
