package config

import (
	_ "embed" // Schema
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/internal/catalogue"
)

// DefaultListen is the address the server listens on.
const DefaultListen = "127.0.0.1:7836"

// Schema is the JSON Schema of the config file; an editor that has it completes
// and checks the file.
//
//go:embed config.schema.json
var Schema string

// Source says where a value came from.
type Source string

// The sources, strongest first.
const (
	FromFlag    Source = "flag"
	FromEnv     Source = "environment"
	FromFile    Source = "file"
	FromDefault Source = "default"
)

// Value is one value and where it came from.
type Value struct {
	Key    string `json:"key"`
	Text   string `json:"value"`
	Source Source `json:"source"`
	// Where is the flag, the variable or the file; "" for a default.
	Where string `json:"where,omitzero"`
}

// Settings are what the program was told. Values holds the same, as text with
// provenance, secrets masked.
type Settings struct {
	Listen     string
	AllowHosts []string
	PublicURL  *url.URL // nil if none
	Grace      time.Duration
	Sync       string // "normal" or "full"
	LogLevel   slog.Level
	LogFormat  string // "auto", "text" or "json"
	Token      string // for a command that talks to a server

	Values []Value
	// Unknown holds the keys of the file this build has no use for.
	Unknown []string
}

// setting is how one value is named in each source and checked.
type setting struct {
	key, env, def string
	secret        bool
	set           func(*Settings, string) error
}

var settings = []setting{
	{key: "listen", env: "STENO_LISTEN", def: DefaultListen, set: setListen},
	{key: "allowHost", env: "STENO_ALLOW_HOST", set: setAllowHost},
	{key: "publicURL", env: "STENO_PUBLIC_URL", set: setPublicURL},
	{key: "grace", env: "STENO_GRACE", def: "5s", set: setGrace},
	{key: "sync", env: "STENO_SYNC", def: "full", set: func(s *Settings, v string) error {
		s.Sync = v
		return oneOf(v, "normal", "full")
	}},
	{key: "logLevel", env: "STENO_LOG_LEVEL", def: "info", set: func(s *Settings, v string) error {
		return s.LogLevel.UnmarshalText([]byte(v))
	}},
	{key: "logFormat", env: "STENO_LOG_FORMAT", def: "auto", set: func(s *Settings, v string) error {
		s.LogFormat = v
		return oneOf(v, "auto", "text", "json")
	}},
	{key: "token", env: "STENO_TOKEN", secret: true, set: func(s *Settings, v string) error {
		s.Token = v
		return nil
	}},
}

// Load resolves the settings. flags holds the values of the flags that were
// given, by key (a list joined by commas); file is the path of the config
// file, which need not exist. A wrong value is [catalogue.BadConfig] and names
// its place.
func Load(flags map[string]string, env Lookup, file string) (*Settings, error) {
	members, err := readConfig(file)
	if err != nil {
		return nil, err
	}
	s := new(Settings)
	for _, d := range settings {
		v, err := d.resolve(flags, env, members, file)
		if err != nil {
			return nil, err
		}
		if v.Text != "" || v.Source != FromDefault {
			if err := d.set(s, v.Text); err != nil {
				return nil, catalogue.Wrap(catalogue.BadConfig, fmt.Sprintf("%s (%s): %v", d.key, v.origin(), err), err)
			}
		}
		if d.secret {
			v.Text = mask(v.Text)
		}
		s.Values = append(s.Values, v)
	}
	for _, m := range members {
		switch {
		case m.key == "$schema" || isSetting(m.key):
		case m.key == "mcpServers":
			s.Values = append(s.Values, Value{Key: m.key, Text: maskServers(m.value), Source: FromFile, Where: file})
		default:
			s.Unknown = append(s.Unknown, m.key)
		}
	}
	return s, nil
}

func (v Value) origin() string {
	if v.Where != "" {
		return v.Where
	}
	return string(v.Source)
}

func (d *setting) resolve(flags map[string]string, env Lookup, members []member, file string) (Value, error) {
	if v, ok := flags[d.key]; ok {
		return Value{d.key, v, FromFlag, "--" + FlagName(d.key)}, nil
	}
	if v, ok := env(d.env); ok && v != "" {
		return Value{d.key, v, FromEnv, d.env}, nil
	}
	for _, m := range members {
		if m.key != d.key {
			continue
		}
		text, err := m.text()
		if err != nil {
			return Value{}, catalogue.Wrap(catalogue.BadConfig, fmt.Sprintf("%s (%s): %v", d.key, file, err), err)
		}
		return Value{d.key, text, FromFile, file}, nil
	}
	return Value{d.key, d.def, FromDefault, ""}, nil
}

// FlagName is the flag of a key: "allowHost" is --allow-host.
func FlagName(key string) string {
	var b strings.Builder
	prevLower := false
	for _, r := range key {
		upper := r >= 'A' && r <= 'Z'
		if upper && prevLower {
			b.WriteByte('-')
		}
		prevLower = !upper
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

func isSetting(key string) bool {
	for _, d := range settings {
		if d.key == key {
			return true
		}
	}
	return false
}

// member is one member of the config file's object, in its order.
type member struct {
	key   string
	value jsontext.Value
}

// text is a member as the text a flag would have: a list is joined by commas.
func (m member) text() (string, error) {
	switch m.value.Kind() {
	case '"':
		var s string
		err := json.Unmarshal(m.value, &s)
		return s, err
	case '[':
		var l []string
		err := json.Unmarshal(m.value, &l)
		return strings.Join(l, ","), err
	}
	return "", errors.New("must be a string")
}

// readConfig reads the members of the config file; no file is no members.
func readConfig(path string) ([]member, error) {
	data, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	members, err := parseConfig(data)
	if err != nil {
		return nil, catalogue.Wrap(catalogue.BadConfig, fmt.Sprintf("%s: %v", path, err), err)
	}
	return members, nil
}

func parseConfig(data []byte) ([]member, error) {
	data = stripComments(data)
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil, nil
	}
	if v := jsontext.Value(data); !v.IsValid() {
		var discard jsontext.Value
		return nil, json.Unmarshal(data, &discard)
	}
	dec := jsontext.NewDecoder(strings.NewReader(string(data)))
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != '{' {
		return nil, errors.New("must be one JSON object")
	}
	var members []member
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		v, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, v.Clone()})
	}
	return members, nil
}

func setListen(s *Settings, v string) error {
	s.Listen = v
	host, port, err := net.SplitHostPort(v)
	if err != nil {
		return errors.New("must be HOST:PORT")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("the port must be a number up to 65535")
	}
	if strings.ContainsAny(host, "/ ") {
		return errors.New("must be HOST:PORT")
	}
	return nil
}

func setAllowHost(s *Settings, v string) error {
	for h := range strings.SplitSeq(v, ",") {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		if strings.ContainsAny(h, "/ *") {
			return fmt.Errorf("%q is no host name", h)
		}
		s.AllowHosts = append(s.AllowHosts, strings.ToLower(h))
	}
	return nil
}

func setPublicURL(s *Settings, v string) error {
	if v == "" {
		return nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("must be a URL such as https://steno.example")
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		return errors.New("must hold only scheme and host")
	}
	s.PublicURL = u
	return nil
}

func setGrace(s *Settings, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > time.Minute {
		return errors.New("must be a duration up to 1m, such as 5s")
	}
	s.Grace = d
	return nil
}

func oneOf(v string, words ...string) error {
	for _, w := range words {
		if v == w {
			return nil
		}
	}
	return errors.New("must be " + strings.Join(words, " or "))
}

const masked = "********"

func mask(v string) string {
	if v == "" {
		return ""
	}
	return masked
}

// maskServers hides the values of env and headers, where MCP servers keep
// their keys, and arguments, where some do.
func maskServers(v jsontext.Value) string {
	var servers map[string]map[string]jsontext.Value
	if json.Unmarshal(v, &servers) != nil {
		return masked
	}
	for _, s := range servers {
		for key := range s {
			if key != "command" && key != "type" {
				s[key] = jsontext.Value(`"` + masked + `"`)
			}
		}
	}
	out, err := json.Marshal(servers, json.Deterministic(true))
	if err != nil {
		return masked
	}
	return string(out)
}
