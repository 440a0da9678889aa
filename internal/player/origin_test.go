package player

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRecordingsAreOurOwn: nothing of the recorded streams that the decoders
// are tested with is shipped. No longer line of theirs stands in ours.
func TestRecordingsAreOurOwn(t *testing.T) {
	shared := os.Getenv("STENO_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	streams := filepath.Join(shared, "streams")
	if _, err := os.Stat(streams); err != nil {
		t.Skipf("the shared test data are not here: %v", err)
	}
	const long = 120 // in bytes; shorter lines may hold nothing but framing
	ours := make(map[string]string)
	entries, err := recordings.ReadDir("recordings")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := recordings.ReadFile("recordings/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) >= long {
				ours[string(line)] = e.Name()
			}
		}
	}
	err = filepath.WalkDir(streams, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for line := range bytes.Lines(data) {
			if name := ours[string(bytes.TrimSpace(line))]; name != "" {
				t.Errorf("%s has a line of %s: %s", name, path, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
