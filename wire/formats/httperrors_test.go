package formats_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/internal/wiretest"
)

// TestHTTPErrors decodes the bodies of refused requests: each is one error and
// no answer.
func TestHTTPErrors(t *testing.T) {
	dir := wiretest.Shared(t, "streams")
	truth := readTruth(t, dir)
	speaks := map[string][]string{
		"anthropic": {formats.AnthropicMessages},
		"gemini":    {formats.Gemini}, "google": {formats.Gemini},
		"ollama": {formats.Ollama},
		"openai": {formats.OpenAIResponses, formats.OpenAIChat},
	}
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		file, ok := strings.CutPrefix(name, "http-errors/")
		if !ok {
			continue
		}
		who, _, _ := strings.Cut(file, "-")
		in := speaks[who]
		if in == nil {
			in = []string{formats.OpenAIChat} // everyone else speaks that
		}
		for _, format := range in {
			t.Run(format+"/"+file, func(t *testing.T) {
				events := decode(t, decoder(t, format, nil), wiretest.Read(t, dir, name))
				doc := wiretest.Document(format, events)
				if len(doc.Answers) != 0 {
					t.Errorf("%d answers", len(doc.Answers))
				}
				compareErrors(t, doc.Errors, truth[name].list("errors"))
			})
		}
	}
}
