package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// These tests use the program as others do: they build it, run it on every
// recorded answer and every list of events beside the repository, and read what
// it prints with nothing of its own code.

// program is the built binary.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "steno")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "steno.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// steno runs the program and returns what it prints.
func steno(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "STENO_DATA="+home, "STENO_CONFIG="+filepath.Join(home, "config.json"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("steno %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	if !bytes.HasSuffix(out, []byte("}\n")) || !json.Valid(out) {
		t.Fatalf("steno %s printed no JSON object", strings.Join(args, " "))
	}
	return out
}

// beside returns a path in the shared folder, or skips.
func beside(t *testing.T, path ...string) string {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	full := filepath.Join(append([]string{root}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("no shared folder beside the repository: %v", err)
	}
	return full
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// contractFormats are those the contract of steno parts names.
var contractFormats = []string{"anthropic-messages", "openai-responses", "openai-chat", "gemini", "ollama", "bedrock-converse"}

// TestPartsOfEveryRecording holds "steno parts" to the truth of every recorded
// answer, however its bytes are cut and whether its format is told or guessed.
func TestPartsOfEveryRecording(t *testing.T) {
	root := beside(t, "streams")
	var truth map[string]truthFile
	readJSON(t, filepath.Join(root, "truth.json"), &truth)
	seen := 0
	for name, want := range truth {
		format, _, _ := strings.Cut(name, "/")
		if !slices.Contains(contractFormats, format) {
			continue
		}
		seen++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(root, filepath.FromSlash(name))
			out := steno(t, "parts", "--from", format, "--json", file)
			for _, other := range [][]string{
				{"parts", "--from", format, "--cut", "1", "--json", file},
				{"parts", "--json", "--from", "auto", "--cut", "7", file},
			} {
				if got := steno(t, other...); !bytes.Equal(got, out) {
					t.Errorf("steno %s prints something else", strings.Join(other, " "))
				}
			}
			var doc document
			if err := json.Unmarshal(out, &doc); err != nil {
				t.Fatal(err)
			}
			if doc.Format != format {
				t.Errorf("format %q", doc.Format)
			}
			want.compare(t, &doc)
		})
	}
	if seen == 0 {
		t.Error("no recording of any format")
	}
}

// TestPartsOfEveryCase does the same for the answers of the cases.
func TestPartsOfEveryCase(t *testing.T) {
	answer := func(_ string, c *caseFile) bool { return strings.HasSuffix(c.Wire, ".sse") }
	eachCase(t, answer, func(t *testing.T, dir string, c *caseFile) {
		format := c.Format
		if format == "anthropic" {
			format = "anthropic-messages"
		}
		args := []string{"parts", "--from", format, "--json"}
		if c.Options.InlineThink {
			args = append(args, "--inline-think")
		}
		file := filepath.Join(dir, c.Wire)
		out := steno(t, append(args, file)...)
		if cut := steno(t, append(args, "--cut", "1", file)...); !bytes.Equal(cut, out) {
			t.Error("--cut 1 prints something else")
		}
		var doc document
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatal(err)
		}
		c.compareParts(t, &doc)
	})
}

// TestFoldOfEveryCase holds "steno fold" to every case that is a list of events.
func TestFoldOfEveryCase(t *testing.T) {
	list := func(dir string, c *caseFile) bool {
		if c.Events == "" {
			c.Events = "events.jsonl"
		}
		_, err := os.Stat(filepath.Join(dir, c.Events))
		return err == nil
	}
	eachCase(t, list, func(t *testing.T, dir string, c *caseFile) {
		var got folded
		if err := json.Unmarshal(steno(t, "fold", filepath.Join(dir, c.Events)), &got); err != nil {
			t.Fatal(err)
		}
		c.compareFold(t, &got)
	})
}

// eachCase runs a test for each case that suits, and each of its variants, by
// the case's id.
func eachCase(t *testing.T, suits func(dir string, c *caseFile) bool, run func(t *testing.T, dir string, c *caseFile)) {
	root := beside(t, "cases", "give")
	paths, err := filepath.Glob(filepath.Join(root, "*", "expected.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		var c caseFile
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(raw, &c) != nil {
			continue // of another shape: it is about neither
		}
		variants := c.Variants
		if len(variants) == 0 {
			variants = []caseFile{c}
		}
		dir := filepath.Dir(path)
		for i := range variants {
			v := variants[i]
			v.inherit(&c)
			if suits(dir, &v) {
				t.Run(strings.TrimSpace(filepath.Base(dir)+" "+v.Wire), func(t *testing.T) { run(t, dir, &v) })
			}
		}
	}
}
