package wiretest

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Shared returns a path below the shared test data, or skips the test where
// they are not. They stand beside the module's root, or where STENO_SHARED says.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		_, here, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(here), "..", "..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared test data are not here: %v", err)
	}
	return path
}

// Read returns the content of a file.
func Read(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Streams runs test, as a subtest, on each recorded stream whose path in the
// shared streams begins with prefix: with its bytes and with what is known of
// it, which the format's own T picks from the truth. It fails if there is none and
// returns how many there are.
func Streams[T any](t *testing.T, prefix string, test func(t *testing.T, data []byte, want T)) (n int) {
	t.Helper()
	dir := Shared(t, "streams")
	var all map[string]jsontext.Value
	if err := json.Unmarshal(Read(t, dir, "truth.json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want T
			if err := json.Unmarshal(all[name], &want, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
			test(t, Read(t, dir, name), want)
		})
	}
	if n == 0 {
		t.Errorf("no stream is called %s…", prefix)
	}
	return n
}

// Digest is how the truth tells a text it does not hold.
type Digest struct {
	Bytes int    `json:"bytes"`
	SHA   string `json:"sha256"`
}

// DigestOf returns the digest of s.
func DigestOf(s string) Digest { return Digest{len(s), SHA256(s)} }

// SHA256 returns the hash of s in hexadecimal.
func SHA256[T ~string | ~[]byte](s T) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
