# Two commands do everything: `make run` and `make test`.
.DEFAULT_GOAL := help
.PHONY: help run build test race bench lint fmt screenshots web

GO ?= go
TOOL = $(GO) tool -modfile=tools/go.mod

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'

run: ## Build, start the server and open the page
	$(GO) build -trimpath -o bin/steno ./cmd/steno
	./bin/steno serve

build: ## Build bin/steno as it is released
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/steno ./cmd/steno

test: ## Run every test, the browser's included
	@GO="$(GO)" .ci/test

# The browser tests are left out: a slow server would make them a test of patience,
# and what they run in Go is raced in its own packages and in internal/e2e.
race: ## Run the tests of everything concurrent under the race detector
	$(GO) test -race ./blob/... $$($(GO) list ./internal/... | grep -v /browsertest$$) ./journal/... ./projection/... ./recorder/... ./view/... ./wire/tap/...

bench: ## Print the counts and ratios of the performance targets
	$(GO) run ./bench

lint: ## Check format and style
	$(TOOL) golangci-lint run
	$(GO) vet ./...

fmt: ## Format
	$(TOOL) gofumpt -w $$(git ls-files '*.go')

screenshots: ## Draw every state of the page into screenshots/ and check it
	STENO_SCREENSHOTS=$(CURDIR)/screenshots $(GO) test -count=1 -run TestScreenshots ./internal/browsertest

web: ## Build the page from its sources
	cd web && npm ci && npm run build
