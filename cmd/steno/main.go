// Command steno keeps the record of what an LLM agent said and did.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stenolog/steno/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends a program that does not end by itself.
	context.AfterFunc(ctx, stop)
	return cli.New().Execute(ctx, os.Args[1:])
}
