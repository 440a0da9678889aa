package server

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// What docs/api.md says of the addresses and limits is what is there.
func TestTheDocumentSaysWhatIsThere(t *testing.T) {
	code, err := os.ReadFile("server.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	rows := 0
	for _, m := range regexp.MustCompile(`s\.handle\("([A-Z]+ [^"]+)", (?:config\.)?(\w+),`).FindAllStringSubmatch(string(code), -1) {
		scope := strings.ToLower(m[2])
		if scope == "open" {
			scope = ""
		}
		row := strings.TrimRight("| `"+m[1]+"` | "+scope, " ") + " |"
		if !strings.Contains(doc, row) {
			t.Errorf("no row %s", row)
		}
		rows++
	}
	if n := len(regexp.MustCompile("(?m)^\\| `[A-Z]+ /").FindAllString(doc, -1)); n != rows {
		t.Errorf("%d rows for %d addresses", n, rows)
	}
	l := Limits{}.withDefaults()
	want := Limits{
		Body: 1 << 20, Play: 64 << 20, Record: 1 << 30, Header: 32 << 10,
		Rate: 200, Burst: 2000, StreamsEach: 2000, Streams: 20000, Requests: 256,
	}
	if l != want {
		t.Errorf("the limits are %+v; docs/api.md says %+v", l, want)
	}
}
