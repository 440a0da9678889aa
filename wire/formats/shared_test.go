package formats_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// shared returns the path of a folder of the recordings that stand beside the
// repository, and skips the test where they are absent.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("STENO_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no recordings at %s: they are not part of the repository", dir)
	}
	return dir
}

// object is a JSON object of the truth.
type object map[string]any

func readTruth(t *testing.T, dir string) map[string]object {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]object
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (o object) str(name string) string  { s, _ := o[name].(string); return s }
func (o object) flag(name string) bool   { b, _ := o[name].(bool); return b }
func (o object) has(name string) bool    { _, ok := o[name]; return ok }
func (o object) obj(name string) object  { m, _ := o[name].(map[string]any); return m }
func (o object) num(name string) float64 { n, _ := o[name].(float64); return n }

func (o object) list(name string) []object {
	var out []object
	l, _ := o[name].([]any)
	for _, v := range l {
		m, _ := v.(map[string]any)
		out = append(out, m)
	}
	return out
}
