package config

import (
	"path/filepath"
	"testing"
)

func environ(kv map[string]string) Lookup {
	return func(name string) (string, bool) {
		v, ok := kv[name]
		return v, ok
	}
}

func TestFindPlaces(t *testing.T) {
	for _, c := range []struct {
		name, data, config, goos string
		env                      map[string]string
		wantData, wantConfig     string
		dataSource               Source
	}{
		{
			name: "home", goos: "linux", env: map[string]string{"HOME": "/h"},
			wantData: "/h/.local/share/steno", wantConfig: "/h/.config/steno/config.json", dataSource: FromDefault,
		},
		{
			name: "xdg", goos: "linux", env: map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"},
			wantData: "/d/steno", wantConfig: "/c/steno/config.json", dataSource: FromDefault,
		},
		{
			name: "a relative xdg does not count", goos: "linux", env: map[string]string{"HOME": "/h", "XDG_DATA_HOME": "d"},
			wantData: "/h/.local/share/steno", wantConfig: "/h/.config/steno/config.json", dataSource: FromDefault,
		},
		{
			name: "environment", goos: "linux", env: map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d", "STENO_DATA": "/e", "STENO_CONFIG": "/f.json"},
			wantData: "/e", wantConfig: "/f.json", dataSource: FromEnv,
		},
		{
			name: "flag", goos: "linux", data: "/x", config: "/y.json", env: map[string]string{"STENO_DATA": "/e", "STENO_CONFIG": "/f.json"},
			wantData: "/x", wantConfig: "/y.json", dataSource: FromFlag,
		},
		{name: "no home", goos: "linux", dataSource: FromDefault},
		{name: "a relative home does not count", goos: "linux", env: map[string]string{"HOME": "h"}, dataSource: FromDefault},
		{
			name: "windows", goos: "windows", env: map[string]string{"LOCALAPPDATA": "/l", "APPDATA": "/a"},
			wantData: "/l/steno", wantConfig: "/a/steno/config.json", dataSource: FromDefault,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := FindPlaces(c.data, c.config, environ(c.env), c.goos)
			if filepath.ToSlash(p.Data.Text) != c.wantData || filepath.ToSlash(p.Config.Text) != c.wantConfig {
				t.Errorf("got %q and %q", p.Data.Text, p.Config.Text)
			}
			if p.Data.Source != c.dataSource {
				t.Errorf("data comes from %s", p.Data.Source)
			}
		})
	}
}
