package formats

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/stenolog/steno/wire/internal/scan"
)

// Guess says which format a recording is in, from its first bytes. It reports
// false where they do not tell yet; more bytes never change an answer.
//
// A format is told by the first thing that only it has: the headers of a
// binary frame, the name of an event, a member of the first JSON object.
func Guess(prefix []byte) (name string, ok bool) {
	if len(prefix) > 0 && prefix[0] == 0 {
		return guessBinary(prefix)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(prefix, []byte("\uFEFF")), " \t\r\n")
	if len(text) == 0 {
		return "", false
	}
	switch text[0] {
	case '{':
		return guessObject(firstValue(text))
	case '[':
		return guessObject(firstValue(bytes.TrimLeft(text[1:], " \t\r\n")))
	}
	return guessEvents(text)
}

// guessBinary reads the headers of the first frame of an AWS event stream: an
// answer of another provider is wrapped in events named chunk.
func guessBinary(p []byte) (string, bool) {
	const prelude = 12
	if len(p) < prelude {
		return "", false
	}
	end := prelude + int(binary.BigEndian.Uint32(p[4:8])&0xFFFFFF)
	if len(p) < end {
		return "", false
	}
	const name = ":event-type\x07"
	if i := bytes.Index(p[prelude:end], []byte(name)); i >= 0 {
		if value := p[prelude+i+len(name) : end]; len(value) > 2 && strings.HasPrefix(string(value[2:]), "chunk") {
			return BedrockInvokeAnthropic, true
		}
	}
	return BedrockConverse, true
}

// guessEvents reads the lines of an event stream until one tells.
func guessEvents(p []byte) (string, bool) {
	for len(p) > 0 {
		line := p
		complete := false
		if i := bytes.IndexAny(p, "\r\n"); i >= 0 {
			line, p, complete = p[:i], p[i+1:], true
		} else {
			p = nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case string(field) == "data" && len(value) > 0 && value[0] == '{':
			if name, ok := guessObject(value); ok {
				return name, true
			}
		case string(field) == "event" && complete:
			if name := byType(string(value)); name != "" {
				return name, true
			}
		}
	}
	return "", false
}

// firstValue returns the first JSON value in text, as far as it is there.
func firstValue(text []byte) []byte {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// guessObject reads the members of an object, which may not be all there, until
// one tells. An error tells by what stands beside it, so it takes the whole.
func guessObject(obj []byte) (found string, ok bool) {
	var kind string
	var failure []byte
	sequence := false
	whole := scan.Object(obj, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			kind = scan.String(value)
			found = byType(kind)
		case "error":
			failure = value
		case "sequence_number":
			sequence = true
		default:
			found = byMember(string(name), value)
		}
		return found == ""
	})
	switch {
	case found != "":
		return found, true
	case !whole || failure == nil && kind != "error":
		return "", false
	case sequence:
		return OpenAIResponses, true
	case kind == "error":
		return AnthropicMessages, true
	case scan.IsString(failure):
		return Ollama, true
	case scan.IsString(scan.Member(failure, "status")):
		return Gemini, true
	case scan.IsObject(failure):
		return OpenAIChat, true
	}
	return "", false
}

// byType tells the format that has events or objects of the given type.
func byType(kind string) string {
	switch kind {
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop",
		"message_delta", "message_stop", "ping", "message":
		return AnthropicMessages
	}
	if strings.HasPrefix(kind, "response.") {
		return OpenAIResponses
	}
	return ""
}

// byMember tells the format that has a member of the given name.
func byMember(name string, value []byte) string {
	switch name {
	case "candidates", "usageMetadata", "promptFeedback", "modelVersion", "responseId":
		return Gemini
	case "choices":
		return OpenAIChat
	case "object":
		switch kind := scan.String(value); {
		case strings.HasPrefix(kind, "chat.completion") || kind == "text_completion":
			return OpenAIChat
		case kind == "response":
			return OpenAIResponses
		}
	case "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "stopReason":
		return BedrockConverse
	case "done":
		return Ollama
	case "created_at":
		if scan.IsString(value) {
			return Ollama
		}
	case "response":
		switch {
		case scan.IsString(value):
			return Ollama
		case scan.IsArray(scan.Member(value, "candidates")):
			return Gemini
		}
	}
	return ""
}
