package gemini

import (
	"encoding/base64"
	"strconv"
	"unsafe"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// candidate is the state of one choice.
type candidate struct {
	index  uint32
	stop   string
	calls  int
	last   last
	ran    string // block of the newest call of the provider
	extras extras
	cut    bool // the answer was cut off
}

// maxCandidates bounds how many choices are told apart.
const maxCandidates = 1 << 8

// candidate returns the candidate of an index, and begins it if it is new.
func (d *Decoder) candidate(index uint32) *candidate {
	for _, c := range d.candidates {
		if c.index == index {
			return c
		}
	}
	d.seen = true
	c := &candidate{index: index}
	d.candidates = append(d.candidates, c)
	d.send(steno.Event{Type: steno.StepStart, Choice: index, Body: &steno.Step{
		Provider: Format, Model: d.model, Response: d.id,
	}})
	return c
}

// takeCandidate takes what one chunk holds of one candidate.
func (d *Decoder) takeCandidate(data []byte) {
	var content, stop, message []byte
	index := int64(0)
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "content":
			content = value
		case "index":
			index, _ = scan.Int(value)
		case "finishReason":
			stop = value
		case "finishMessage":
			message = value
		}
		return true
	})
	if index < 0 || index >= maxCandidates {
		d.extras.add(steno.Opaque, "candidate", data)
		return
	}
	c := d.candidate(uint32(index))
	scan.Array(scan.Member(content, "parts"), func(part []byte) bool {
		c.part(d, part)
		return true
	})
	if word := scan.String(stop); word != "" {
		c.stop = word
	}
	if !scan.IsNull(message) {
		c.extras.add(steno.Opaque, "finishMessage", message)
	}
	c.about(data)
}

// about keeps what a chunk says about the answer.
func (c *candidate) about(data []byte) {
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "content", "index", "finishReason", "finishMessage",
			"safetyRatings", "avgLogprobs", "logprobsResult", "tokenCount":
		case "groundingMetadata", "citationMetadata", "urlContextMetadata", "url_context_metadata", "groundingAttributions":
			if !scan.IsNull(value) {
				c.extras.add(steno.Source, string(name), value)
			}
		default:
			if !scan.IsNull(value) {
				c.extras.add(steno.Opaque, string(name), value)
			}
		}
		return true
	})
}

// part is one part of the content. Its values alias the frame.
type part struct {
	kind      string // the member that says what the part is
	value     []byte
	signature []byte
	thought   bool
	others    int // members that have no meaning here
}

func (p *part) read(data []byte) {
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "text":
			p.kind, p.value = "text", value
		case "functionCall":
			p.kind, p.value = "functionCall", value
		case "executableCode":
			p.kind, p.value = "executableCode", value
		case "codeExecutionResult":
			p.kind, p.value = "codeExecutionResult", value
		case "toolCall":
			p.kind, p.value = "toolCall", value
		case "toolResponse":
			p.kind, p.value = "toolResponse", value
		case "inlineData":
			p.kind, p.value = "inlineData", value
		case "thought":
			p.thought = string(value) == "true"
		case "thoughtSignature":
			if scan.IsString(value) {
				p.signature = value
			}
		default:
			p.others++
		}
		return true
	})
}

// part takes one part of the content.
func (c *candidate) part(d *Decoder, data []byte) {
	var p part
	p.read(data)
	switch p.kind {
	case "text":
		c.text(d, &p)
	case "functionCall":
		c.functionCall(d, &p)
	case "executableCode":
		c.executableCode(d, &p)
	case "toolCall":
		c.toolCall(d, &p)
	case "codeExecutionResult", "toolResponse":
		c.result(d, &p)
	case "inlineData":
		c.file(d, &p, data)
	default:
		if p.others > 0 {
			c.opaque(d, data)
			return
		}
		c.sign(d, &p)
		return
	}
	if p.others > 0 {
		c.others(data)
	}
}

// others keeps the members of a part that have no meaning here.
func (c *candidate) others(data []byte) {
	scan.Object(data, func(name, value []byte) bool {
		switch string(name) {
		case "text", "functionCall", "executableCode", "codeExecutionResult", "toolCall", "toolResponse",
			"inlineData", "thought", "thoughtSignature":
		default:
			c.extras.add(steno.Opaque, string(name), value)
		}
		return true
	})
}

// text takes a piece of a text or of a thought. An empty one only brings a
// signature.
func (c *candidate) text(d *Decoder, p *part) {
	if len(p.value) <= len(`""`) || !scan.IsString(p.value) {
		c.sign(d, p)
		return
	}
	l := &c.last
	if l.kind != lastText || l.thought != p.thought {
		c.end(d)
		l.kind, l.thought = lastText, p.thought
	}
	from := l.size
	d.buf = scan.AppendString(d.buf[:0], p.value, &l.carry)
	c.grow(d, d.buf)
	if p.signature != nil {
		l.signatures = append(l.signatures, signature{text: scan.String(p.signature), from: from, to: l.size})
	}
}

// grow passes a delta on. The text is borrowed.
func (c *candidate) grow(d *Decoder, text []byte) {
	if len(text) == 0 {
		return
	}
	c.last.size += len(text)
	t := steno.TextDelta
	if c.last.thought {
		t = steno.ReasoningDelta
	}
	d.send(steno.Event{Type: t, Choice: c.index, Text: unsafe.String(&text[0], len(text))})
}

// nextCall ends what came before and names the block of a new call.
func (c *candidate) nextCall(d *Decoder, id, name string, by steno.Executor) *last {
	c.end(d)
	l := &c.last
	l.kind, l.executor = lastCall, by
	l.block = "call:" + strconv.Itoa(c.calls)
	l.id, l.name = id, name
	c.calls++
	d.send(steno.Event{Type: steno.ToolStart, Choice: c.index, Block: l.block, Call: id, Name: name, Body: &steno.Seal{Executor: by}})
	return l
}

func (c *candidate) executableCode(d *Decoder, p *part) {
	var code, id []byte
	more := []byte(nil)
	scan.Object(p.value, func(name, value []byte) bool {
		switch string(name) {
		case "code":
			code = value
		case "id":
			id = value
		default:
			more = raw.Member(more, string(name), value)
		}
		return true
	})
	l := c.nextCall(d, scan.String(id), CodeExecution, steno.ExecutorProvider)
	l.more = more
	l.own(p)
	c.ran = l.block
	c.arguments(d, scan.String(code))
}

func (c *candidate) toolCall(d *Decoder, p *part) {
	id := scan.String(scan.Member(p.value, "id"))
	l := c.nextCall(d, id, scan.String(scan.Member(p.value, "toolType")), steno.ExecutorProvider)
	l.more = raw.Member(nil, "toolCall", p.value)
	l.own(p)
	c.ran = l.block
	c.arguments(d, string(raw.Value(scan.Member(p.value, "args"))))
}

func (c *candidate) arguments(d *Decoder, text string) {
	if text != "" {
		d.send(steno.Event{Type: steno.ToolDelta, Choice: c.index, Block: c.last.block, Text: text})
	}
}

// result takes the result of a call of the provider: of the call it names, or
// of the newest.
func (c *candidate) result(d *Decoder, p *part) {
	c.end(d)
	l := &c.last
	l.kind, l.block = lastResult, c.ran
	l.id = scan.String(scan.Member(p.value, "id"))
	l.name = scan.String(scan.Member(p.value, "toolType"))
	l.result = &steno.Result{Raw: raw.Value(p.value), Executor: steno.ExecutorProvider, Outcome: steno.OutcomeOK}
	switch scan.String(scan.Member(p.value, "outcome")) {
	case "", "OUTCOME_OK", "OUTCOME_UNSPECIFIED":
	default:
		l.result.Outcome, l.result.IsError = steno.OutcomeError, true
	}
	l.own(p)
}

// file takes data that stands in the answer. The part itself is kept too where
// it is more than the data.
func (c *candidate) file(d *Decoder, p *part, data []byte) {
	var media, content []byte
	plain := !p.thought && p.signature == nil && p.others == 0
	scan.Object(p.value, func(name, value []byte) bool {
		switch string(name) {
		case "mimeType":
			media = value
		case "data":
			content = value
		default:
			plain = false
		}
		return true
	})
	b := &steno.Block{Kind: "inlineData", Media: scan.String(media), Provider: Format, Model: d.model}
	text := scan.String(content)
	bytes, err := base64.StdEncoding.Strict().DecodeString(text)
	if err == nil {
		b.Data = bytes
	}
	if err != nil || !plain || base64.StdEncoding.EncodeToString(bytes) != text {
		b.Raw = raw.Value(data)
	}
	c.end(d)
	c.last.kind = lastOther
	d.send(steno.Event{Type: steno.File, Choice: c.index, Body: b})
}

// opaque takes a part of a kind we do not know, whole.
func (c *candidate) opaque(d *Decoder, data []byte) {
	kind := "part"
	scan.Object(data, func(name, value []byte) bool {
		if n := string(name); n != "thought" && n != "thoughtSignature" {
			kind = n
			return false
		}
		return true
	})
	c.end(d)
	c.last.kind = lastOther
	d.sendBlock(steno.Opaque, c.index, kind, raw.Value(data))
}
