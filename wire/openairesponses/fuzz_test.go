package openairesponses

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stenolog/steno/wire/internal/wiretest"
)

// FuzzDecode holds whatever comes to the laws of a decoder: no panic, valid
// UTF-8, one end for each start, events that can be written, and the same
// events however the bytes are cut.
func FuzzDecode(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join("testdata", "*.*"))
	for _, path := range paths {
		if filepath.Ext(path) == ".events" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint16(3), uint16(400))
	}
	f.Add([]byte("data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":1,\"\xff\":2,\"type\":\"reasoning\"}}\r\r"), uint16(5), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, i, j uint16) {
		want, err := wiretest.Decode(new(Decoder), data)
		if err == nil {
			err = wiretest.Writable(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, b := int(i)%(len(data)+1), int(j)%(len(data)+1)
		got, err := wiretest.Decode(new(Decoder), data, min(a, b), max(a, b))
		if err != nil {
			t.Fatal(err)
		}
		if diff := wiretest.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
