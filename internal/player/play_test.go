package player

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
)

// script is a script of one answer between two events.
func script(t testing.TB) *Script {
	t.Helper()
	s, err := parseScript("s", []byte(`
{"title":"T","about":"A"}
{"pause":100,"type":"turn-start"}
{"pause":50,"play":"a","format":"gemini"}
{"pause":200,"type":"turn-end"}
`), func(string) (data, timing []byte, err error) {
		return []byte("onetwothree"), []byte("[3,10]\n[6,10]\n\n[8,1000]\n"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func TestPace(t *testing.T) {
	recorded := []entry{
		{ms(100), "turn-start"},
		{ms(150), "answer gemini"},
		{ms(160), "one"},
		{ms(160), "two"},
		{ms(1150), "three"},
		{ms(1150), "close"},
		{ms(1350), "turn-end"},
	}
	for _, tc := range []struct {
		speed float64
		times float64 // of the recorded times
	}{{1, 1}, {2, 0.5}, {0.5, 2}, {0, 0}, {-1, 0}, {math.Inf(1), 0}, {math.NaN(), 0}} {
		t.Run(fmt.Sprint(tc.speed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &log{start: time.Now()}
				if err := Play(t.Context(), script(t), l, tc.speed); err != nil {
					t.Fatal(err)
				}
				var want []entry
				for _, e := range recorded {
					want = append(want, entry{time.Duration(float64(e.at) * tc.times), e.what})
				}
				if diff := cmp.Diff(want, l.entries, cmp.AllowUnexported(entry{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestSlowSink: time the sink takes is not added to the pauses.
func TestSlowSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &log{start: time.Now(), fail: func(what string) error {
			if what == "one" {
				time.Sleep(ms(300))
			}
			return nil
		}}
		if err := Play(t.Context(), script(t), l, 1); err != nil {
			t.Fatal(err)
		}
		if last := l.entries[len(l.entries)-1]; last.at != ms(1350) {
			t.Errorf("ended at %v", last.at)
		}
	})
}

// TestCancel ends playbacks at every kind of place: at once, with the answer
// closed and nothing after it.
func TestCancel(t *testing.T) {
	for _, tc := range []struct {
		after time.Duration
		speed float64
		want  []string
	}{
		{0, 0, nil},
		{ms(90), 1, nil},
		{ms(120), 1, []string{"turn-start"}},
		{ms(500), 1, []string{"turn-start", "answer gemini", "one", "two", "close"}},
		{ms(1200), 1, []string{"turn-start", "answer gemini", "one", "two", "three", "close"}},
		{time.Hour, 1e-12, nil},
	} {
		t.Run(tc.after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.after)
				defer cancel()
				l := &log{start: time.Now()}
				err := Play(ctx, script(t), l, tc.speed)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(l.start); took != tc.after {
					t.Errorf("ended after %v", took)
				}
				var got []string
				for _, e := range l.entries {
					got = append(got, e.what)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestSinkFails: the playback ends with the sink's error, and an answer that
// was begun is closed.
func TestSinkFails(t *testing.T) {
	for _, at := range []string{"turn-start", "answer gemini", "two", "close", "turn-end"} {
		t.Run(at, func(t *testing.T) {
			full := errors.New("disk full")
			closed := false
			l := &log{fail: func(what string) error {
				closed = closed || what == "close"
				if what == at {
					return full
				}
				return nil
			}}
			if err := Play(t.Context(), script(t), l, 0); !errors.Is(err, full) {
				t.Errorf("got %v", err)
			}
			if began := at == "two" || at == "close" || at == "turn-end"; closed != began {
				t.Errorf("closed: %v", closed)
			}
		})
	}
}

// greedy is a sink that writes into the events it is given, as a recorder does.
type greedy struct{ log }

func (g *greedy) Record(ctx context.Context, events ...*steno.Event) error {
	for _, e := range events {
		if e.Seq != 0 {
			return errors.New("an event of another playback")
		}
		e.Seq = 1
	}
	return nil
}

// TestEventsAreTheSinks plays a script twice to a sink that changes events.
func TestEventsAreTheSinks(t *testing.T) {
	s := script(t)
	for range 2 {
		if err := Play(t.Context(), s, new(greedy), 0); err != nil {
			t.Fatal(err)
		}
	}
}
