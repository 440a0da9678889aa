package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stenolog/steno/sse"
	"github.com/stenolog/steno/view"
)

// answer is what a provider streams, and want what of it a reader sees.
const (
	answer = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Because of "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Rayleigh."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`
	want = "Because of Rayleigh."
)

// The answer is in the view while the provider is still speaking, the page is
// there to show it, and both the question and the answer are in the record.
func TestEmbed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := make(chan struct{})
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		first, rest, _ := strings.Cut(answer, "event: content_block_stop")
		_, _ = io.WriteString(w, first)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-seen: // the end comes when the text was on screen
		case <-ctx.Done():
		}
		_, _ = io.WriteString(w, "event: content_block_stop"+rest)
	}))
	defer provider.Close()

	client := provider.Client()
	rec, page, err := embed(ctx, t.TempDir(), client)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close(ctx)
	server := httptest.NewServer(page)
	defer server.Close()

	asked := make(chan error, 1)
	go func() { asked <- ask(client, rec, provider.URL+"/v1/messages", `Why is the sky "blue"?`) }()
	var shown view.Replica
	watch(ctx, t, server.URL+"/v1/conversations/hello/view", &shown, func() bool {
		return texts(&shown) == `Why is the sky "blue"?`+want
	})
	close(seen)
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	watch(ctx, t, server.URL+"/v1/conversations/hello/view", &shown, func() bool {
		messages := shown.Nodes("messages")
		return len(messages) == 2 && messages[1].Text("reason") == "complete"
	})

	resp, err := http.Get(server.URL + "/c/hello")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if html, _ := io.ReadAll(resp.Body); !strings.Contains(string(html), `id="app"`) {
		t.Errorf("there is no page: %s %s", resp.Status, html)
	}
}

// watch applies the view stream until done.
func watch(ctx context.Context, t *testing.T, url string, shown *view.Replica, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var events sse.Reader
	buf := make([]byte, 4096)
	for !done() {
		n, err := resp.Body.Read(buf)
		if err != nil {
			t.Fatalf("the view ended at %q: %v", texts(shown), err)
		}
		err = events.Feed(buf[:n], func(e sse.Event) {
			if len(e.Data) > 0 && len(e.Name) == 0 {
				if err := shown.Apply(e.Data); err != nil {
					t.Error(err)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// texts returns the texts of all messages, in order.
func texts(shown *view.Replica) string {
	var all strings.Builder
	for _, m := range shown.Nodes("messages") {
		for _, p := range shown.Nodes("parts/" + m.Key) {
			all.WriteString(p.Text("text"))
		}
	}
	return all.String()
}
