package wiretest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"testing"
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

// SHA256 returns the hash of s in hexadecimal.
func SHA256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
