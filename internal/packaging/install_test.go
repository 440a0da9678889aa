package packaging

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	module  = "github.com/stenolog/steno"
	version = "v0.0.0-test"
)

// A module packed as a zip and served from a directory installs the program,
// with no Node, no C compiler and nothing from the checkout it was packed in.
func TestInstallFromProxy(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	goTool := filepath.Join(goEnv(t, "GOROOT"), "bin", "go")
	temp := t.TempDir()
	proxy := filepath.Join(temp, "proxy")
	pack(t, filepath.Join("..", ".."), proxy)

	// The dependencies come from what the go command has downloaded already,
	// and from where it downloads things on this machine if that is not all.
	downloaded := filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")
	bin := filepath.Join(temp, "bin")
	install := exec.Command(goTool, "install", "-trimpath", "-modcacherw", module+"/cmd/steno@"+version)
	install.Dir = temp
	install.Env = append(environ("GO", "CGO_"),
		"PATH="+filepath.Dir(goTool), "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off",
		"GOPATH="+filepath.Join(temp, "gopath"), "GOBIN="+bin, "GOCACHE="+goEnv(t, "GOCACHE"),
		"GOPROXY="+fileURL(proxy)+","+fileURL(downloaded)+","+goEnv(t, "GOPROXY"),
		"GONOSUMDB="+module+","+goEnv(t, "GONOSUMDB"), "GOSUMDB="+goEnv(t, "GOSUMDB"), "GOINSECURE="+goEnv(t, "GOINSECURE"),
	)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	steno := filepath.Join(bin, "steno")
	if runtime.GOOS == "windows" {
		steno += ".exe"
	}

	out, err := exec.Command(steno, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "steno "+version+" (") {
		t.Errorf("steno version: %v\n%s", err, out)
	}
	if page := servedPage(t, steno, filepath.Join(temp, "data")); !strings.Contains(page, `id="app"`) || !strings.Contains(page, "/assets/") {
		t.Errorf("the page is not in the program:\n%s", page)
	}
}

// servedPage starts the server and returns its front page.
func servedPage(t *testing.T, steno, data string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	serve := exec.CommandContext(ctx, steno, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0", "--data", data)
	serve.Env = append(environ("STENO_"), "PATH=")
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = serve.Wait() }()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var announced struct{ Address string }
	if err != nil || json.Unmarshal(line, &announced) != nil {
		t.Fatalf("serve said %q: %v", line, err)
	}
	resp, err := http.Get("http://" + announced.Address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET /: %s: %v", resp.Status, err)
	}
	return string(page)
}

// pack writes the module at root to a directory laid out as a module proxy.
func pack(t *testing.T, root, proxy string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info := `{"Version":"` + version + `","Time":"2020-01-02T03:04:05Z"}`
	for name, data := range map[string][]byte{version + ".mod": mod, version + ".info": []byte(info), "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := zip.NewWriter(out)
	for _, name := range moduleFiles(t, root) {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Create(module + "@" + version + "/" + name)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// moduleFiles lists what a module zip holds: what is or would be committed,
// without the modules nested in it.
func moduleFiles(t *testing.T, root string) []string {
	t.Helper()
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	out, err := git.Output()
	if err != nil {
		t.Skipf("needs git and a checkout to know which files are the module's: %v", err)
	}
	var all, nested []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); name == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if all = append(all, name); path.Base(name) == "go.mod" && name != "go.mod" {
			nested = append(nested, path.Dir(name)+"/")
		}
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(name, dir) })
	})
}

// goEnv returns a setting of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// environ is the environment without what begins with one of the prefixes, and
// without PATH.
func environ(without ...string) []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "PATH=") || slices.ContainsFunc(without, func(p string) bool { return strings.HasPrefix(kv, p) })
	})
}

func fileURL(dir string) string {
	return "file://" + strings.TrimPrefix("/"+filepath.ToSlash(dir), "/")
}
