package tap

import (
	"mime"
	"net/http"
	"strings"

	"github.com/stenolog/steno/wire/formats"
)

// endpoints tells the format by how the path of the request ends, the first
// line that fits. A line with a part names a path that also has that in it.
var endpoints = []struct{ part, end, format string }{
	{"", "/v1/messages", formats.AnthropicMessages},
	{"/anthropic/", ":rawpredict", formats.AnthropicMessages},
	{"/anthropic/", ":streamrawpredict", formats.AnthropicMessages},
	{"/anthropic/", "/messages", formats.AnthropicMessages},
	{"", "/responses", formats.OpenAIResponses},
	{"", "/chat/completions", formats.OpenAIChat},
	{"", ":generatecontent", formats.Gemini},
	{"", ":streamgeneratecontent", formats.Gemini},
	{"", "/api/chat", formats.Ollama},
	{"", "/api/generate", formats.Ollama},
	{"/model/", "/converse", formats.BedrockConverse},
	{"/model/", "/converse-stream", formats.BedrockConverse},
	{"anthropic.", "/invoke-with-response-stream", formats.BedrockInvokeAnthropic},
	{"anthropic.", "/invoke", formats.AnthropicMessages},
}

// Format guesses the format of the answer to a request: by the path, which is
// the same at a provider, a gateway and a proxy; else by a header that only one
// provider's clients send; else [formats.Guessed] for a stream of events. It
// returns "" for what is no answer of a model.
func Format(req *http.Request, resp *http.Response) string {
	if f := byRequest(req); f != "" || req.Method != http.MethodPost {
		return f
	}
	switch mediaType(resp.Header) {
	case "text/event-stream", "application/x-ndjson", "application/vnd.amazon.eventstream":
		return formats.Guessed
	}
	return ""
}

func byRequest(req *http.Request) string {
	if req.Method != http.MethodPost {
		return ""
	}
	path := strings.ToLower(strings.TrimRight(req.URL.Path, "/"))
	for _, e := range endpoints {
		if strings.HasSuffix(path, e.end) && strings.Contains(path, e.part) {
			return e.format
		}
	}
	if strings.HasSuffix(path, "/messages") && req.Header.Get("Anthropic-Version") != "" {
		return formats.AnthropicMessages
	}
	return ""
}

// mayCall reports whether a request can be a provider call, so that its body
// has to be kept: no upload of a file is.
func mayCall(req *http.Request) bool {
	return byRequest(req) != "" || req.Method == http.MethodPost && mediaType(req.Header) == "application/json"
}

func mediaType(h http.Header) string {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media
}
