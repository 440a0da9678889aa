// Command embed URL QUESTION asks a provider; http://127.0.0.1:7837/c/hello shows the answer.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/sqlite"
	"github.com/stenolog/steno/recorder"
	"github.com/stenolog/steno/view"
	"github.com/stenolog/steno/web"
	"github.com/stenolog/steno/wire/tap"
)

func main() {
	rec, page, err := embed(context.Background(), "embed-store", http.DefaultClient)
	if flag.Parse(); err != nil || flag.NArg() != 2 {
		log.Fatal("usage: embed URL QUESTION ", err)
	}
	go func() { log.Print(ask(http.DefaultClient, rec, flag.Arg(0), flag.Arg(1))) }()
	log.Fatal(http.ListenAndServe("127.0.0.1:7837", page))
}

// embed records what client says and hears, and returns the page that shows it.
func embed(ctx context.Context, dir string, client *http.Client) (*recorder.Recorder, http.Handler, error) {
	store, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	rec, err := recorder.Open(ctx, "hello", recorder.Options{Journal: store, Report: func(err error) { log.Print(err) }})
	if err != nil {
		return nil, nil, err
	}
	client.Transport = &tap.Transport{Base: client.Transport, Open: tap.Into(rec)}
	live, _, err := view.Follow(ctx, rec)
	mux := http.NewServeMux()
	mux.Handle("/v1/conversations/hello/view", live)
	mux.Handle("/", web.Handler())
	return rec, mux, err
}

// ask is the program as it was, but for the two events around its turn.
func ask(client *http.Client, rec *recorder.Recorder, url, question string) error {
	_ = rec.Record(context.Background(), &steno.Event{Type: steno.UserMessage, Text: question})
	defer func() { _ = rec.Record(context.Background(), &steno.Event{Type: steno.Done}) }()
	body := `{"model":"llama3.2","max_tokens":999,"stream":true,"messages":[{"role":"user","content":` + strconv.Quote(question) + `}]}`
	resp, err := client.Post(url, "application/json", strings.NewReader(body))
	if err == nil {
		err = resp.Write(os.Stdout) // to the end, which closes it
	}
	return err
}
