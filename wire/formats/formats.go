// Package formats lists the provider formats there are decoders for, and
// guesses which of them a recording is in.
package formats

import (
	"fmt"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/anthropic"
	"github.com/stenolog/steno/wire/bedrock"
	"github.com/stenolog/steno/wire/gemini"
	"github.com/stenolog/steno/wire/ollama"
	"github.com/stenolog/steno/wire/openaichat"
	"github.com/stenolog/steno/wire/openairesponses"
)

// The names of the formats.
const (
	AnthropicMessages      = anthropic.Format
	OpenAIResponses        = openairesponses.Format
	OpenAIChat             = openaichat.Format
	Gemini                 = gemini.Format
	Ollama                 = ollama.Format
	BedrockConverse        = bedrock.FormatConverse
	BedrockInvokeAnthropic = bedrock.FormatInvoke
)

// Guessed stands for whatever format a recording turns out to be in: [New]
// makes an [Auto] of it. It is none of [Names].
const Guessed = "auto"

var decoders = []struct {
	name string
	make func(Options) wire.Decoder
}{
	{AnthropicMessages, func(Options) wire.Decoder { return new(anthropic.Decoder) }},
	{OpenAIResponses, func(Options) wire.Decoder { return new(openairesponses.Decoder) }},
	{OpenAIChat, func(o Options) wire.Decoder { return &openaichat.Decoder{InlineThink: o.InlineThink} }},
	{Gemini, func(Options) wire.Decoder { return new(gemini.Decoder) }},
	{Ollama, func(Options) wire.Decoder { return new(ollama.Decoder) }},
	{BedrockConverse, func(Options) wire.Decoder { return new(bedrock.Decoder) }},
	{BedrockInvokeAnthropic, func(Options) wire.Decoder { return new(bedrock.Decoder) }},
}

// Options say how to decode where there is more than one way. Nil means none.
type Options struct {
	// InlineThink takes what stands between <think> and </think> out of the
	// text of openai-chat, as reasoning.
	InlineThink bool
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

// New returns a decoder for streams in the named format, which may be
// [Guessed]. The error wraps [steno.ErrUnsupported] and says which names there
// are.
func New(name string, opts *Options) (wire.Decoder, error) {
	if opts == nil {
		opts = &Options{}
	}
	if name = Name(name); name == Guessed {
		return &Auto{Options: *opts}, nil
	}
	for _, d := range decoders {
		if d.name == name {
			return d.make(*opts), nil
		}
	}
	return nil, fmt.Errorf("format %q: %w: known are %s", name, steno.ErrUnsupported, strings.Join(Names(), ", "))
}
