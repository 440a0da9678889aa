package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/internal/catalogue"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func value(s *Settings, key string) Value {
	for _, v := range s.Values {
		if v.Key == key {
			return v
		}
	}
	return Value{}
}

func TestFlagOverEnvironmentOverFileOverDefault(t *testing.T) {
	file := writeConfig(t, `{
	// where it listens
	"$schema": "x",
	"listen": "127.0.0.1:3", /* trailing comma */
	}`)
	flags := map[string]string{}
	env := map[string]string{}
	check := func(want string, source Source, where string) {
		t.Helper()
		s, err := Load(flags, environ(env), file)
		if err != nil {
			t.Fatal(err)
		}
		if v := value(s, "listen"); v.Text != want || v.Source != source || v.Where != where || s.Listen != want {
			t.Errorf("got %+v, want %s from %s %s", v, want, source, where)
		}
	}
	keep := file
	file = filepath.Join(t.TempDir(), "none.json")
	check(DefaultListen, FromDefault, "")
	file = keep
	check("127.0.0.1:3", FromFile, file)
	env["STENO_LISTEN"] = "127.0.0.1:2"
	check("127.0.0.1:2", FromEnv, "STENO_LISTEN")
	flags["listen"] = "127.0.0.1:1"
	check("127.0.0.1:1", FromFlag, "--listen")
}

func TestTypedSettings(t *testing.T) {
	file := writeConfig(t, `{"allowHost": ["Box.local", "steno.example"], "publicURL": "https://s.example", "grace": "2s", "sync": "normal", "logLevel": "debug", "logFormat": "json", "surprise": 1}`)
	s, err := Load(nil, environ(nil), file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(s.AllowHosts, " ") != "box.local steno.example" || s.PublicURL.Host != "s.example" ||
		s.Grace != 2*time.Second || s.Sync != "normal" || s.LogLevel >= 0 || s.LogFormat != "json" {
		t.Errorf("got %+v", s)
	}
	if len(s.Unknown) != 1 || s.Unknown[0] != "surprise" {
		t.Errorf("unknown keys: %q", s.Unknown)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	const canary = "canary-secret"
	file := writeConfig(t, `{"mcpServers": {"a": {"command": "run", "args": ["--key=`+canary+`"], "env": {"KEY": "`+canary+`"}, "headers": {"Authorization": "`+canary+`"}}}}`)
	s, err := Load(nil, environ(map[string]string{"STENO_TOKEN": canary}), file)
	if err != nil {
		t.Fatal(err)
	}
	if s.Token != canary {
		t.Error("the program itself must see the token")
	}
	for _, v := range s.Values {
		if strings.Contains(v.Text, canary) {
			t.Errorf("%s shows a secret: %s", v.Key, v.Text)
		}
	}
	if v := value(s, "mcpServers"); !strings.Contains(v.Text, "run") || !strings.Contains(v.Text, masked) {
		t.Errorf("mcpServers = %s", v.Text)
	}
}

func TestWrongValuesNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ file, key, env, want string }{
		{`{"listen": "nowhere"}`, "", "", "config.json"},
		{`{"listen": 7}`, "", "", "must be a string"},
		{`{"grace": "forever"}`, "", "", "grace"},
		{`{`, "", "", "config.json"},
		{`[]`, "", "", "one JSON object"},
		{`{} {}`, "", "", "config.json"},
		{`{}`, "STENO_SYNC", "sometimes", "STENO_SYNC"},
		{`{}`, "STENO_PUBLIC_URL", "ftp://x", "STENO_PUBLIC_URL"},
		{`{}`, "STENO_PUBLIC_URL", "https://x/path", "STENO_PUBLIC_URL"},
		{`{}`, "STENO_LISTEN", "127.0.0.1:99999", "STENO_LISTEN"},
		{`{}`, "STENO_ALLOW_HOST", "*", "STENO_ALLOW_HOST"},
		{`{}`, "STENO_LOG_LEVEL", "loud", "STENO_LOG_LEVEL"},
		{`{}`, "STENO_LOG_FORMAT", "xml", "STENO_LOG_FORMAT"},
	} {
		_, err := Load(nil, environ(map[string]string{c.key: c.env}), writeConfig(t, c.file))
		var e *catalogue.Error
		if !errors.As(err, &e) || e.Code != catalogue.BadConfig || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s=%s: %v", c.file, c.key, c.env, err)
		}
	}
}

func TestTheSchemaHasEverySetting(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			Default string `json:"default"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(Schema), &schema); err != nil {
		t.Fatal(err)
	}
	for _, d := range settings {
		p, ok := schema.Properties[d.key]
		if !ok || p.Default != d.def {
			t.Errorf("%s: in the schema %v, default %q, want %q", d.key, ok, p.Default, d.def)
		}
		delete(schema.Properties, d.key)
	}
	delete(schema.Properties, "$schema")
	delete(schema.Properties, "mcpServers")
	if len(schema.Properties) > 0 {
		t.Errorf("nobody reads %v", schema.Properties)
	}
}

func TestFlagName(t *testing.T) {
	for key, want := range map[string]string{"listen": "listen", "allowHost": "allow-host", "publicURL": "public-url", "logLevel": "log-level"} {
		if got := FlagName(key); got != want {
			t.Errorf("FlagName(%q) = %q", key, got)
		}
	}
}

func FuzzStripComments(f *testing.F) {
	for _, s := range []string{`{}`, `{"a": "// no", /* yes */ "b": [1,],}`, `"\"//`, "{// x\n}", `/*`, `{"a":"\\"/**/,}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out := stripComments(src)
		if len(out) != len(src) {
			t.Fatal("the length changed")
		}
		if jsontext.Value(src).IsValid() && string(out) != string(src) {
			t.Fatalf("plain JSON was changed: %q to %q", src, out)
		}
		parseConfig(src)
	})
}
