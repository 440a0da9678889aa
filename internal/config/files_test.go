package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stenolog/steno/internal/catalogue"
)

func TestDirectoriesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	mode := func(p string) os.FileMode {
		st, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return st.Mode().Perm()
	}
	root := t.TempDir()
	made := filepath.Join(root, "a", "b")
	if err := EnsureDir(made); err != nil || mode(made) != 0o700 {
		t.Errorf("made: %v %o", err, mode(made))
	}
	empty := filepath.Join(root, "empty")
	os.Mkdir(empty, 0o755)
	if err := EnsureDir(empty); err != nil || mode(empty) != 0o700 {
		t.Errorf("empty: %v %o", err, mode(empty))
	}
	own := filepath.Join(root, "own")
	os.Mkdir(own, 0o755)
	os.WriteFile(filepath.Join(own, marker), nil, 0o600)
	if err := EnsureDir(own); err != nil || mode(own) != 0o700 {
		t.Errorf("own: %v %o", err, mode(own))
	}
	foreign := filepath.Join(root, "foreign")
	os.Mkdir(foreign, 0o755)
	os.WriteFile(filepath.Join(foreign, "thesis.txt"), nil, 0o644)
	err := EnsureDir(foreign)
	if e := catalogue.Of(err); e == nil || e.Code != catalogue.OpenToOthers || mode(foreign) != 0o755 {
		t.Errorf("foreign: %v %o", err, mode(foreign))
	}
	if err := EnsureDir(filepath.Join(foreign, "thesis.txt")); err == nil {
		t.Error("a file is no directory")
	}
}

func TestFilesArePrivateAndWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		os.Chmod(path, 0o644)
	}
	got, err := ReadFile(path)
	if err != nil || string(got) != "two" {
		t.Fatalf("%q %v", got, err)
	}
	if st, _ := os.Stat(path); runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", st.Mode().Perm())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("temporary files are left: %v", entries)
	}
	if err := WriteFile(filepath.Join(dir, "none", "f"), nil); err == nil {
		t.Error("no error for a missing directory")
	}
}

func TestOneHoldsTheLock(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	l, err := Acquire(ctx, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Acquire(ctx, dir, 0)
	if e := catalogue.Of(err); e == nil || e.Code != catalogue.Locked {
		t.Fatalf("a second one got it: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = Acquire(stopped, dir, LockWait); !errors.Is(err, context.Canceled) {
		t.Fatalf("waiting does not end with its context: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		l2, err := Acquire(ctx, dir, LockWait)
		if err == nil {
			err = l2.Close()
		}
		got <- err
	}()
	l.Close()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}
