// Package formats lists the provider formats there are decoders for, and
// guesses which of them a recording is in.
package formats

import (
	"fmt"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/gemini"
	"github.com/stenolog/steno/wire/openairesponses"
)

// The names of the formats.
const (
	AnthropicMessages      = "anthropic-messages"
	OpenAIResponses        = "openai-responses"
	OpenAIChat             = "openai-chat"
	Gemini                 = "gemini"
	Ollama                 = "ollama"
	BedrockConverse        = "bedrock-converse"
	BedrockInvokeAnthropic = "bedrock-invoke-anthropic"
)

var decoders = []struct {
	name string
	make func() wire.Decoder
}{
	{Gemini, func() wire.Decoder { return new(gemini.Decoder) }},
	{OpenAIResponses, func() wire.Decoder { return new(openairesponses.Decoder) }},
}

// Names returns the names of the formats, in a fixed order.
func Names() []string {
	names := make([]string, 0, len(decoders))
	for _, d := range decoders {
		names = append(names, d.name)
	}
	return names
}

// Name returns the name of the format that is also called alias, or alias.
func Name(alias string) string {
	if alias == "anthropic" {
		return AnthropicMessages
	}
	return alias
}

// New returns a decoder for one stream in the named format. The error wraps
// [steno.ErrUnsupported] and says which names there are.
func New(name string) (wire.Decoder, error) {
	name = Name(name)
	for _, d := range decoders {
		if d.name == name {
			return d.make(), nil
		}
	}
	return nil, fmt.Errorf("format %q: %w: known are %s", name, steno.ErrUnsupported, strings.Join(Names(), ", "))
}
