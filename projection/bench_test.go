package projection_test

import (
	"strconv"
	"testing"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/text"
)

type growing struct {
	Step, Attempt uint32
	Block         string
	Text          text.Text
	Closed        bool
	Sealed        bool
	Opaque        []byte
}

func textKind() projection.Kind[steno.Event] {
	return projection.Of(projection.Definition[steno.Event, growing]{
		Kind: "text",
		On:   []uint8{uint8(steno.TextStart), uint8(steno.TextDelta), uint8(steno.TextEnd)},
		Match: func(e *steno.Event) (projection.Claim, bool) {
			role := projection.Update
			if e.Type == steno.TextStart {
				role = projection.Start
			}
			return projection.Claim{Collection: projection.Collection{Name: "parts", Of: e.Message}, ID: e.Part, Role: role}, true
		},
		Start: func(e *steno.Event, _ projection.Reader) growing { return growing{Step: e.Step} },
		Update: func(s growing, e *steno.Event) growing {
			if e.Type == steno.TextDelta {
				s.Text = s.Text.Append(e.Text)
			} else {
				s.Sealed = true
			}
			return s
		},
		Cadence: func(e *steno.Event) projection.Cadence {
			if e.Type == steno.TextDelta {
				return projection.Frame
			}
			return projection.Immediate
		},
	})
}

func newEngine(tb testing.TB) *projection.Engine[steno.Event] {
	e, err := projection.New(projection.Options[steno.Event]{
		Kinds: []projection.Kind[steno.Event]{textKind()},
		Type:  func(e *steno.Event) uint8 { return uint8(e.Type) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func textStart(part string) steno.Event {
	return steno.Event{Type: steno.TextStart, Message: "1.1", Part: part}
}

func textDelta(part string) steno.Event {
	return steno.Event{Type: steno.TextDelta, Message: "1.1", Part: part, Text: "abcd"}
}

func BenchmarkDelta(b *testing.B) {
	for _, parts := range []int{10, 100, 1000, 10000} {
		b.Run("M="+strconv.Itoa(parts), func(b *testing.B) {
			e := newEngine(b)
			for i := range parts {
				ev := textStart(strconv.Itoa(i))
				e.Push(&ev)
			}
			told := 0
			e.Subscribe(func(p *projection.Publication) { told += p.Len() })
			ev := textDelta(strconv.Itoa(parts - 1))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				e.Push(&ev)
			}
			if told != b.N {
				b.Fatal(told)
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	for _, parts := range []int{10, 1000} {
		b.Run("M="+strconv.Itoa(parts), func(b *testing.B) {
			e := newEngine(b)
			for i := range parts {
				ev := textStart(strconv.Itoa(i))
				e.Push(&ev)
			}
			ev := textDelta(strconv.Itoa(parts - 1))
			b.ReportAllocs()
			for range b.N {
				e.Push(&ev)
				e.Snapshot()
			}
		})
	}
}
