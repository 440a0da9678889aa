package wiretest

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
)

// Lines returns the events as one JSON object a line.
func Lines(events []*steno.Event) string {
	var b strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			line = []byte("!" + err.Error())
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// Diff says where two lists of events differ first, or returns "".
func Diff(want, got []*steno.Event) string {
	for i := range min(len(want), len(got)) {
		if !reflect.DeepEqual(want[i], got[i]) {
			return fmt.Sprintf("event %d\nwant %sgot  %s", i, Lines(want[i:i+1]), Lines(got[i:i+1]))
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d events, want %d", len(got), len(want))
	}
	return ""
}
