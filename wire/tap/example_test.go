package tap_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
	"github.com/stenolog/steno/wire/tap"
)

// decoder is a recorder that prints the events of an answer as it passes.
type decoder struct{ wire.Decoder }

func (d decoder) Write(p []byte) (int, error) {
	d.Decode(p, print)
	return len(p), nil
}

func (d decoder) Close() error {
	d.Decoder.Close(print)
	return nil
}

func print(e *steno.Event) { fmt.Printf("%s %q\n", e.Type, e.Text) }

// A client that is there already is recorded by giving it another transport.
func Example() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Good "}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"morning"},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer provider.Close()

	client := &http.Client{Transport: &tap.Transport{
		Base: provider.Client().Transport,
		Open: func(_ context.Context, x *tap.Exchange) (io.WriteCloser, error) {
			if x.Status >= 400 {
				return x.Failure(func(e *steno.Event) error { print(e); return nil }), nil
			}
			fmt.Println("format", x.Format)
			d, err := formats.New(x.Format, nil)
			return decoder{d}, err
		},
	}}

	resp, err := client.Post(provider.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	n, _ := io.Copy(io.Discard, resp.Body)
	fmt.Println(n, "bytes read")
	// Output:
	// format openai-chat
	// step-start ""
	// text-delta "Good "
	// text-delta "morning"
	// step-end ""
	// 161 bytes read
}
