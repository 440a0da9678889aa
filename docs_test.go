package steno_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents are the texts that users read.
func documents(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, names...)
	}
	return list
}

var goFence = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// Go code in the documents is whole files, and they compile.
func TestGoInDocumentsCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fence := range goFence.FindAllSubmatch(text, -1) {
			n++
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				compile(t, root, fmt.Sprintf("internal/fence%d", n), fence[1])
			})
		}
	}
	if n == 0 {
		t.Error("no document has Go code: the expression is wrong")
	}
}

// compile builds code as if it stood in a directory of the module, which an
// overlay makes the go command believe.
func compile(t *testing.T, root, dir string, code []byte) {
	t.Helper()
	temp := t.TempDir()
	file := filepath.Join(temp, "fence.go")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, filepath.FromSlash(dir), "fence.go"): file,
	}})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(config, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-overlay", config, "-o", os.DevNull, "./"+dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, out, code)
	}
}

var link = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"#\s]+)(?:#[^)]*)?[)"]`)

// What the documents refer to in the repository is there.
func TestLinksInDocuments(t *testing.T) {
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s refers to %s: %v", name, m[1], err)
			}
		}
	}
}

// A document that says which test proves something names one that is there.
func TestTestsInDocumentsExist(t *testing.T) {
	there := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test {
				there[f.Name.Name] = true
			}
		}
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if !there[m[1]] {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
	}
}

// Each public package shows how it is used, by code that runs.
func TestEveryPublicPackageHasAnExample(t *testing.T) {
	has := map[string]bool{}
	for _, s := range sources(t) {
		pkg := s.pkg()
		if strings.Contains("/"+pkg+"/", "/internal/") || s.file.Name.Name == "main" || strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "bench") {
			continue
		}
		has[pkg] = has[pkg] || s.test && slices.ContainsFunc(doc.Examples(s.file), func(e *doc.Example) bool { return e.Output != "" })
	}
	// One says what its subpackages are, the other is a suite for tests.
	delete(has, "wire")
	delete(has, "journal/journaltest")
	for pkg, ok := range has {
		if !ok {
			t.Errorf("package %q has no example that runs", pkg)
		}
	}
}
