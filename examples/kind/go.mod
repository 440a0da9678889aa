module github.com/stenolog/steno/examples/kind

go 1.26.8

require github.com/stenolog/steno v0.0.0

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/ncruces/go-sqlite3 v0.37.0 // indirect
	github.com/ncruces/go-sqlite3-wasm/v6 v6.5.35401 // indirect
	github.com/ncruces/julianday v1.0.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/stenolog/steno => ../..
