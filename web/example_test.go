package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/stenolog/steno/web"
)

// The page stands beside a program's own addresses.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler())
	mux.HandleFunc("GET /own", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "mine") })
	for _, address := range []string{"/", "/c/some-conversation", "/own", "/nothing"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		fmt.Println(address, w.Code, w.Header().Get("Content-Type"))
	}
	// Output:
	// / 200 text/html; charset=utf-8
	// /c/some-conversation 200 text/html; charset=utf-8
	// /own 200 text/plain; charset=utf-8
	// /nothing 404 text/plain; charset=utf-8
}
