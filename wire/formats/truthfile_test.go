package formats_test

import (
	"encoding/json"
	"testing"

	"github.com/stenolog/steno/wire/internal/wiretest"
)

// object is a JSON object of the truth.
type object map[string]any

func readTruth(t *testing.T, dir string) map[string]object {
	t.Helper()
	var all map[string]object
	if err := json.Unmarshal(wiretest.Read(t, dir, "truth.json"), &all); err != nil {
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
