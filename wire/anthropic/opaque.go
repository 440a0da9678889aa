package anthropic

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// keep stores a delta of an unknown block.
func (m *Machine) keep(b *block, delta []byte) {
	if !m.room(len(b.start) + len(b.deltas) + len(delta)) {
		return
	}
	if len(b.deltas) > 0 {
		b.deltas = append(b.deltas, ',')
	}
	b.deltas = append(b.deltas, delta...)
}

// room reports whether a block may grow to n bytes in memory; if not the
// answer is over.
func (m *Machine) room(n int) bool {
	if n <= wire.MaxFrame {
		return true
	}
	m.Abort(fmt.Sprintf("a block of more than %d bytes", wire.MaxFrame), m.emit)
	return false
}

// whole returns an unknown block with all that came for it.
func (b *block) whole() jsontext.Value {
	if len(b.deltas) == 0 {
		return raw.Value(b.start)
	}
	deltas := slices.Concat([]byte{'['}, b.deltas, []byte{']'})
	if b.wire == "compaction" {
		if v := compaction(b.start, deltas); v != nil {
			return v
		}
	}
	out := append(raw.Member([]byte{'{'}, "start", b.start), `,"deltas":[`...)
	scan.Array(deltas, func(delta []byte) bool {
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = append(out, raw.Value(delta)...)
		return true
	})
	return append(out, "]}"...)
}

// compaction joins the content of the deltas into the block, or returns nil if
// there is anything else in them.
func compaction(start, deltas []byte) jsontext.Value {
	content := scan.AppendString(nil, scan.Member(start, "content"), nil)
	var carry scan.Carry
	plain := true
	scan.Array(deltas, func(delta []byte) bool {
		whole := scan.Object(delta, func(name, value []byte) bool {
			switch {
			case string(name) == "content" && (scan.IsString(value) || scan.IsNull(value)):
				content = scan.AppendString(content, value, &carry)
			case string(name) != "type" || string(value) != `"compaction_delta"`:
				plain = false
			}
			return plain
		})
		plain = plain && whole
		return plain
	})
	if !plain {
		return nil
	}
	out := []byte{'{'}
	scan.Object(start, func(name, value []byte) bool {
		if string(name) != "content" {
			out = raw.Member(out, string(name), value)
		}
		return true
	})
	out = append(raw.Member(out, "content", raw.Quote(carry.Flush(content))), '}')
	if v := jsontext.Value(out); v.IsValid() {
		return v
	}
	return nil
}
