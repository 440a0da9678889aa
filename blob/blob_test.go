package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stenolog/steno"
)

func noise(n int) []byte {
	random := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = random.Read(b) // it never fails
	return b
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func get(s *Store, name string) ([]byte, error) {
	r, err := s.Get(context.Background(), name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func put(t *testing.T, s *Store, content []byte) string {
	t.Helper()
	name, err := s.Put(t.Context(), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if name != hashOf(content) {
		t.Fatalf("name %s, want %s", name, hashOf(content))
	}
	return name
}

// files returns the paths and the bytes of all files under a directory.
func files(t *testing.T, root string) (paths []string, size int64) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		paths = append(paths, path)
		size += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, size
}

var contents = map[string][]byte{
	"nothing":      {},
	"one byte":     {0},
	"text":         []byte("a line of output\n"),
	"much text":    bytes.Repeat([]byte("a line of output\n"), 300_000),
	"noise":        noise(1000),
	"much noise":   noise(3*sampleSize + 7),
	"sample size":  noise(sampleSize),
	"text of size": bytes.Repeat([]byte("x"), sampleSize),
	"text, noise":  append(bytes.Repeat([]byte("x"), sampleSize), noise(sampleSize)...),
}

func TestPutGet(t *testing.T) {
	for name, content := range contents {
		t.Run(name, func(t *testing.T) {
			s := New(t.TempDir())
			for range 2 {
				if got, err := get(s, put(t, s, content)); err != nil || !bytes.Equal(got, content) {
					t.Fatalf("%d bytes, %v, want %d", len(got), err, len(content))
				}
			}
			paths, size := files(t, s.root)
			if len(paths) != 1 || size > int64(len(content)+len(content)/1000+32) {
				t.Errorf("%v take %d bytes of %d", paths, size, len(content))
			}
			if err := s.Delete(t.Context(), hashOf(content)); err != nil {
				t.Fatal(err)
			}
			if paths, _ := files(t, s.root); len(paths) > 0 {
				t.Errorf("left: %v", paths)
			}
		})
	}
}

// TestG40LargeResultIsWrittenOnce stores a result of 5 MB twice.
func TestG40LargeResultIsWrittenOnce(t *testing.T) {
	s := New(t.TempDir())
	content := noise(5 << 20)
	put(t, s, content)
	put(t, s, content)
	if paths, size := files(t, s.root); len(paths) != 1 || size != int64(len(content)) {
		t.Errorf("%v take %d bytes", paths, size)
	}
}

func TestNotFound(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "not", "made"))
	secret := filepath.Join(s.root, "..", "secret")
	for _, name := range []string{
		hashOf(nil), "", "x", "../secret", secret, strings.Repeat("../", 21) + "x", strings.ToUpper(hashOf([]byte("a"))),
		hashOf(nil) + "/", hashOf(nil)[:63] + "\x00", strings.Repeat("/", 64), strings.Repeat(".", 64),
	} {
		if _, err := get(s, name); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("Get %q: %v", name, err)
		}
		if err := s.Delete(t.Context(), name); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("Delete %q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b", "../a", ".hidden", "a\x00", strings.Repeat("a", 129), "a b", `a\b`} {
		if _, err := s.Stream(name); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("Stream %q: %v", name, err)
		}
	}
	if _, err := os.Stat(s.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made the directory: %v", err)
	}
}

func TestDamage(t *testing.T) {
	for name, content := range contents {
		for how, damage := range map[string]func([]byte) []byte{
			"flip first": func(b []byte) []byte { b[0] ^= 1; return b },
			"flip last":  func(b []byte) []byte { b[len(b)-1] ^= 0x80; return b },
			"cut":        func(b []byte) []byte { return b[:len(b)-1] },
			"empty":      func([]byte) []byte { return nil },
			"longer":     func(b []byte) []byte { return append(b, "more"...) },
		} {
			if len(content) == 0 && how != "longer" {
				continue
			}
			s := New(t.TempDir())
			blob := put(t, s, content)
			paths, _ := files(t, s.root)
			stored, err := os.ReadFile(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(paths[0], damage(stored), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := get(s, blob); !errors.Is(err, steno.ErrCorrupt) {
				// Bits that say nothing, such as padding, may be flipped.
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("%s, %s: %d bytes, %v", name, how, len(got), err)
				}
			}
			if got, err := get(s, put(t, s, content)); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s, %s: putting it again does not heal it: %v", name, how, err)
			}
		}
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits there")
	}
	root := filepath.Join(t.TempDir(), "blobs")
	s := New(root)
	put(t, s, contents["text"])
	w, err := s.Stream("a")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPutStopsWithItsContext(t *testing.T) {
	s := New(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 10 {
			cancel()
		}
		return copy(p, "endless"), nil
	})
	if _, err := s.Put(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("Put: %v", err)
	}
	broken := errors.New("broken")
	if _, err := s.Put(t.Context(), io.MultiReader(strings.NewReader("some"), readerFunc(func([]byte) (int, error) { return 0, broken }))); !errors.Is(err, broken) {
		t.Errorf("Put: %v", err)
	}
	if paths, _ := files(t, s.root); len(paths) > 0 {
		t.Errorf("left: %v", paths)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTidy(t *testing.T) {
	s := New(t.TempDir())
	dir := filepath.Join(s.root, tempDir)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "left"), []byte("by a killed process"), fileMode); err != nil {
		t.Fatal(err)
	}
	put(t, s, contents["text"])
	if paths, _ := files(t, s.root); len(paths) != 1 {
		t.Errorf("left: %v", paths)
	}
}
