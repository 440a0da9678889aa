package openaichat

import "bytes"

// think follows the <think> tags in a text.
type think struct {
	inside bool
	held   [len("</think>") - 1]byte // the beginning of what may be a tag
	n      int
}

var (
	thinkOpen  = []byte("<think>")
	thinkClose = []byte("</think>")
)

func (t *think) tag() []byte {
	if t.inside {
		return thinkClose
	}
	return thinkOpen
}

func (t *think) kind() kind {
	if t.inside {
		return kindReasoning
	}
	return kindText
}

// splitThink gives each piece of text to the side of the tags it stands on,
// and holds back an end that may be the beginning of a tag.
func (d *Decoder) splitThink(c *choice, text []byte) {
	t := &c.think
	if t.n > 0 {
		d.split = append(append(d.split[:0], t.held[:t.n]...), text...)
		text = d.split
		t.n = 0
	}
	for {
		i := bytes.Index(text, t.tag())
		if i < 0 {
			break
		}
		d.say(c, t.kind(), text[:i])
		text = text[i+len(t.tag()):]
		t.inside = !t.inside
	}
	n := min(len(text), len(t.tag())-1)
	for ; n > 0 && !bytes.HasPrefix(t.tag(), text[len(text)-n:]); n-- {
	}
	d.say(c, t.kind(), text[:len(text)-n])
	t.n = copy(t.held[:], text[len(text)-n:])
}

// flushThink gives out what was held back and is no tag after all.
func (d *Decoder) flushThink(c *choice) {
	t := &c.think
	n := t.n
	t.n = 0
	d.say(c, t.kind(), t.held[:n])
}
