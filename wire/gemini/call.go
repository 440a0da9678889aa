package gemini

import (
	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// functionCall is a functionCall as one chunk has it.
type functionCall struct {
	id, name, args, partials []byte
	more                     []byte // members that have no meaning here
	streams                  bool   // it says whether it goes on
	goesOn                   bool
}

func (f *functionCall) read(data []byte) {
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "id":
			f.id = value
		case "name":
			f.name = value
		case "args":
			f.args = value
		case "partialArgs":
			f.partials, f.streams = value, true
		case "willContinue":
			f.streams = f.streams || !scan.IsNull(value)
			f.goesOn = string(value) == "true"
		default:
			f.more = raw.Member(f.more, string(name), value)
		}
		return true
	})
}

// functionCall takes a call, or a piece of one whose arguments are streamed.
// A piece that names a function again is another call: the last piece of the
// one before may be missing.
func (c *candidate) functionCall(d *Decoder, p *part) {
	var f functionCall
	f.read(p.value)
	l := &c.last
	going := l.kind == lastCall && l.streamed != nil && l.streamed.goesOn
	if !going || scan.String(f.name) != "" {
		l = c.nextCall(d, scan.String(f.id), scan.String(f.name), steno.ExecutorClient)
		l.more = f.more
		if f.streams {
			l.streamed = &partial{goesOn: true}
		}
	}
	l.own(p)
	if l.streamed == nil {
		c.arguments(d, string(raw.Value(f.args)))
		return
	}
	if f.args != nil && !scan.IsNull(f.args) {
		l.streamed.whole = string(raw.Value(f.args))
	}
	scan.Array(f.partials, func(value []byte) bool {
		l.streamed.add(value)
		return true
	})
	l.streamed.goesOn = f.goesOn
	c.arguments(d, string(l.streamed.next()))
}

// finishPartial gives what is left of the arguments that were put together. It
// returns them whole where they are not what was given before.
func (c *candidate) finishPartial(d *Decoder) (whole string) {
	l := &c.last
	p := l.streamed
	if p.lost {
		l.more = raw.Member(l.more, "partialArgs", append(append([]byte{'['}, p.pieces...), ']'))
	}
	p.end()
	c.arguments(d, string(p.next()))
	if whole = p.arguments(); whole == string(p.out) {
		return ""
	}
	return whole
}
