package api_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
)

// A provider's block is shown as it came, also where another JSON would do.
func TestJSONKeepsWhatProvidersSent(t *testing.T) {
	const raw = `{"path":"a\/b","name":"caf\u00e9","a":1,"a":2}`
	chunk := steno.Chunk{Type: "opaque", Raw: jsontext.Value(raw)}
	got, err := json.Marshal(chunk, api.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"opaque","raw":` + raw + `}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var back steno.Chunk
	if err := json.Unmarshal(got, &back, api.JSON); err != nil || string(back.Raw) != raw {
		t.Errorf("read back %s, %v", back.Raw, err)
	}
}
