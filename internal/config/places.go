// Package config holds what no journal holds: where things are, the settings
// and where each came from, the tokens, sign-in codes and sessions. It is
// primary data and part of every backup.
//
// Directories are 0700 and files 0600; files are replaced whole, so a crash
// leaves the old or the new content and never a mixture.
package config

import (
	"path/filepath"
)

// Lookup is how the environment is read: [os.LookupEnv] or a test's map.
type Lookup func(name string) (string, bool)

// Places are the places the program uses.
type Places struct {
	Data   Value // directory of the store and of everything else that is kept; "" if nothing says where
	Config Value // the config file, which need not exist; "" if nothing says where
}

// FindPlaces decides the places: flag, then environment, then the platform's
// convention. goos is runtime.GOOS. A flag is "" when it was not given.
func FindPlaces(dataFlag, configFlag string, env Lookup, goos string) Places {
	return Places{
		Data:   place("data", dataFlag, "--data", "STENO_DATA", env, func() string { return defaultData(env, goos) }),
		Config: place("config", configFlag, "--config", "STENO_CONFIG", env, func() string { return defaultConfig(env, goos) }),
	}
}

func place(key, flag, flagName, envName string, env Lookup, def func() string) Value {
	if flag != "" {
		return Value{Key: key, Text: abs(flag), Source: FromFlag, Where: flagName}
	}
	if v, ok := env(envName); ok && v != "" {
		return Value{Key: key, Text: abs(v), Source: FromEnv, Where: envName}
	}
	return Value{Key: key, Text: def(), Source: FromDefault}
}

func abs(p string) string {
	if a, err := filepath.Abs(p); err == nil {
		return a
	}
	return p
}

func defaultData(env Lookup, goos string) string {
	if goos == "windows" {
		if v, ok := env("LOCALAPPDATA"); ok && v != "" {
			return filepath.Join(v, "steno")
		}
	}
	if v, ok := env("XDG_DATA_HOME"); ok && filepath.IsAbs(v) {
		return filepath.Join(v, "steno")
	}
	return underHome(env, goos, ".local", "share", "steno")
}

func defaultConfig(env Lookup, goos string) string {
	if goos == "windows" {
		if v, ok := env("APPDATA"); ok && v != "" {
			return filepath.Join(v, "steno", "config.json")
		}
	}
	if v, ok := env("XDG_CONFIG_HOME"); ok && filepath.IsAbs(v) {
		return filepath.Join(v, "steno", "config.json")
	}
	return underHome(env, goos, ".config", "steno", "config.json")
}

// underHome returns a path in the user's home, or "" where there is none: a
// record must not land wherever the program happens to be run.
func underHome(env Lookup, goos string, elem ...string) string {
	name := "HOME"
	if goos == "windows" {
		name = "USERPROFILE"
	}
	home, ok := env(name)
	if !ok || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(append([]string{home}, elem...)...)
}
