package wiretest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno/wire"
)

var update = flag.Bool("update", false, "write the golden event files of the streams in testdata")

// Golden decodes every stream in testdata in every cutting and compares the
// events with the file of the same name and the extension ".events", which
// holds one event a line.
func Golden(t *testing.T, fresh func(name string) wire.Decoder) {
	t.Helper()
	for _, path := range streams(t) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			got := Lines(EveryCut(t, func() wire.Decoder { return fresh(name) }, Read(t, path)))
			golden := strings.TrimSuffix(path, filepath.Ext(path)) + ".events"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(Read(t, golden)), got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// streams returns the files in testdata that hold a stream.
func streams(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Ext(path) == ".events" })
}
