package steno_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests hold the repository to its own rules. A rule that has to change
// is changed here, where a reader of the change sees it.

const module = "github.com/stenolog/steno"

// floors says on which floor a package stands, by its path in the module; one
// below it that is not named stands with it. Imports point strictly down.
var floors = map[string]int{
	"text": 0,

	"":     1,
	"sse":  1,
	"slot": 1,

	"projection": 2,
	"wire":       2,

	"transcript": 3,
	"journal":    3,
	"blob":       3,

	"recorder": 4,
	"view":     4,
	"wire/tap": 4,
	"request":  4,

	"internal/catalogue": 5,
	"internal/terminal":  5,
	"internal/api":       5,
	"internal/config":    5,
	"internal/client":    5,
	"internal/library":   5,
	"internal/player":    5,
	"internal/agent":     5,

	"internal/server": 6,
	"internal/tui":    6,
	"internal/store":  6,
	"web":             6,

	"internal/cli":         7,
	"internal/packaging":   7, // tests only
	"internal/browsertest": 7, // tests only
	"internal/e2e":         7, // tests only
	"cmd/steno":            7,
	"bench":                7,
}

// peers are the arrows between packages of one floor.
var peers = map[string][]string{
	"internal/api":    {"internal/catalogue", "internal/config"},
	"internal/config": {"internal/catalogue"},
	"internal/client": {"internal/api", "internal/catalogue", "internal/config"},
	"cmd/steno":       {"internal/cli"},
}

// pure are the packages that must give the same output for the same input:
// no clock, no network, no file, no goroutine.
var pure = []string{"", "text", "slot", "projection", "wire", "transcript"}

// dependencies are the modules the program may import, and why.
var dependencies = map[string]string{
	"github.com/go-json-experiment/json":  "JSON that keeps what it does not know",
	"github.com/ncruces/go-sqlite3":       "SQLite without cgo",
	"github.com/klauspost/compress":       "zstd",
	"github.com/google/uuid":              "ids",
	"github.com/spf13/cobra":              "commands, help, completion",
	"github.com/spf13/pflag":              "flags of cobra",
	"github.com/prometheus/client_golang": "metrics",
	"github.com/lmittmann/tint":           "logs on a terminal",
	"golang.org/x/sys":                    "file locks on Windows",
	"golang.org/x/term":                   "whether a stream is a terminal",
	"golang.org/x/time":                   "rate limits",
}

// testDependencies are the modules only tests may import.
var testDependencies = map[string]string{
	"github.com/google/go-cmp":        "differences",
	"pgregory.net/rapid":              "properties",
	"go.uber.org/goleak":              "goroutines left behind",
	"github.com/rogpeppe/go-internal": "scripts of commands",
	"github.com/chromedp/chromedp":    "a browser",
	"github.com/chromedp/cdproto":     "a browser",
}

// goroutines are the files that may start one. Every other file is sequential.
var goroutines = []string{
	"bench/*.go",
	"internal/cli/record.go",     // reads standard input, so that a signal can end it
	"internal/cli/browse.go",     // waits for the browser's process
	"internal/client/tail.go",    // the list's changes
	"internal/server/serve.go",   // net/http
	"internal/server/streams.go", // one a stream: its end and its heartbeat
	"journal/sqlite/commit.go",   // the one committer
	"journal/journaltest/concurrent.go",
	"internal/store/changes.go",      // the list's changes
	"internal/store/conversation.go", // one an open conversation: what its recorder's end asks for
	"recorder/recorder.go",           // the pump
}

const maxLines = 500

// source is one Go file of the module.
type source struct {
	name string // slash-separated, from the root
	test bool
	file *ast.File
	text []byte
}

func (s source) pkg() string {
	if d := path.Dir(s.name); d != "." {
		return d
	}
	return ""
}

var fset = token.NewFileSet()

// files lists what is committed, or everything where this is no checkout.
func files(t *testing.T) []string {
	t.Helper()
	if out, err := exec.Command("git", "ls-files", "-z").Output(); err == nil {
		var list []string
		for name := range strings.SplitSeq(string(out), "\x00") {
			if _, err := os.Stat(name); name != "" && err == nil {
				list = append(list, name)
			}
		}
		return list
	}
	var list []string
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			list = append(list, filepath.ToSlash(p))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sources are the Go files of the module itself: nested modules have rules of
// their own.
func sources(t *testing.T) []source {
	t.Helper()
	all := files(t)
	var nested []string
	for _, name := range all {
		if path.Base(name) == "go.mod" && path.Dir(name) != "." {
			nested = append(nested, path.Dir(name)+"/")
		}
	}
	var list []source
	for _, name := range all {
		inNested := slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(name, dir) })
		if !strings.HasSuffix(name, ".go") || inNested || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, source{name, strings.HasSuffix(name, "_test.go"), f, text})
	}
	return list
}

// floorOf returns the entry of floors a package belongs to.
func floorOf(pkg string) (entry string, floor int, ok bool) {
	for p := pkg; ; {
		if f, found := floors[p]; found && (p != "" || pkg == "") {
			return p, f, true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return "", 0, false
		}
		p = p[:i]
	}
}

func imports(s source) []string {
	var list []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		list = append(list, p)
	}
	return list
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		from, floor, ok := floorOf(s.pkg())
		if !ok {
			t.Errorf("%s: package %q is on no floor; floors, above, say where the others are", s.name, s.pkg())
			continue
		}
		if s.test {
			continue
		}
		for _, imp := range imports(s) {
			rel, inside := strings.CutPrefix(imp+"/", module+"/")
			if !inside {
				continue
			}
			to, toFloor, _ := floorOf(strings.TrimSuffix(rel, "/"))
			if to != from && toFloor >= floor && !slices.Contains(peers[from], to) {
				t.Errorf("%s (floor %d) imports %s (floor %d)", s.name, floor, imp, toFloor)
			}
		}
	}
}

func TestDependenciesAreListed(t *testing.T) {
	listed := func(imp string, list map[string]string) bool {
		for mod := range list {
			if imp == mod || strings.HasPrefix(imp, mod+"/") {
				return true
			}
		}
		return false
	}
	for _, s := range sources(t) {
		// A package of tests for others to use counts as tests.
		test := s.test || strings.Contains(s.name, "test/")
		for _, imp := range imports(s) {
			first, _, _ := strings.Cut(imp, "/")
			own := imp == module || strings.HasPrefix(imp, module+"/")
			if own || !strings.Contains(first, ".") || listed(imp, dependencies) || test && listed(imp, testDependencies) {
				continue
			}
			t.Errorf("%s imports %s, which is on no list", s.name, imp)
		}
	}
}

func TestTheDomainImportsLittle(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg() != "" || s.test {
			continue
		}
		for _, imp := range imports(s) {
			first, _, _ := strings.Cut(imp, "/")
			if strings.Contains(first, ".") && imp != module+"/text" && !strings.HasPrefix(imp, "github.com/go-json-experiment/json") {
				t.Errorf("%s imports %s", s.name, imp)
			}
		}
	}
}

func TestEveryPackageIsDocumented(t *testing.T) {
	doc := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" && strings.Contains(string(s.text), "//go:build ignore") {
			continue
		}
		doc[s.pkg()] = doc[s.pkg()] || s.file.Doc != nil
	}
	for pkg, has := range doc {
		if !has {
			t.Errorf("package %q has no doc comment", pkg)
		}
	}
}

func isPure(pkg string) bool {
	entry, _, _ := floorOf(pkg)
	return slices.Contains(pure, entry)
}

func TestPurePackagesArePure(t *testing.T) {
	banned := []string{"os", "net", "net/http", "os/exec", "math/rand", "math/rand/v2", "crypto/rand", "syscall", "log", "log/slog"}
	clocks := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}
	for _, s := range sources(t) {
		if s.test || !isPure(s.pkg()) || strings.Contains(s.pkg(), "test") {
			continue
		}
		for _, imp := range imports(s) {
			if slices.Contains(banned, imp) {
				t.Errorf("%s imports %s", s.name, imp)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, sel.Sel.Name) {
				t.Errorf("%s: time.%s", fset.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

func TestGoroutinesStartWhereTheyMay(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || slices.ContainsFunc(goroutines, func(p string) bool { ok, _ := path.Match(p, s.name); return ok }) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: a goroutine; files that start one are listed in policy_test.go", fset.Position(g.Pos()))
			}
			return true
		})
	}
}

// Only these may open a connection, and none of them to a place of its own
// choosing: steno sends nothing anybody did not ask for.
var dialers = []string{"internal/client", "wire/tap", "internal/agent"}

func TestQuiet(t *testing.T) {
	calls := []string{"http.Get", "http.Post", "http.PostForm", "http.Head", "http.DefaultClient", "http.DefaultTransport", "net.Dial", "net.DialTimeout", "net.Dialer", "tls.Dial", "http.Client", "http.Transport"}
	for _, s := range sources(t) {
		if s.test || slices.Contains(dialers, s.pkg()) || strings.Contains(s.pkg(), "test") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(calls, x.Name+"."+sel.Sel.Name) {
					t.Errorf("%s: %s.%s", fset.Position(n.Pos()), x.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestFilesAreShort(t *testing.T) {
	written := []string{".go", ".ts", ".svelte", ".mjs", ".css"}
	for _, name := range files(t) {
		test := strings.HasSuffix(name, "_test.go") || strings.Contains(name, ".test.") || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "web/test/")
		if test || !slices.Contains(written, path.Ext(name)) || strings.HasPrefix(name, "web/dist/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > maxLines {
			t.Errorf("%s has %d lines; the limit is %d", name, n, maxLines)
		}
	}
}

// Paths of somebody's machine and the hosts of package registries say where a
// thing was made, not what it is.
func TestNoMachinePathsOrRegistryHosts(t *testing.T) {
	dirs := regexp.MustCompile(`(^|[\s"'(=:])/(` + strings.Join([]string{"work", "farm", "root", "home/[a-z]+", "Users/[A-Za-z]+"}, "|") + `)/`)
	hosts := regexp.MustCompile(strings.Join([]string{`proxy\.golang\.`, `sum\.golang\.`, `registry\.npmjs\.`, `goproxy\.`, `npmmirror\.`}, "|"))
	for _, name := range files(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "policy_test.go" || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "web/dist/") || slices.Contains(text, 0) {
			continue
		}
		for _, re := range []*regexp.Regexp{dirs, hosts} {
			if at := re.FindIndex(text); at != nil {
				t.Errorf("%s holds %q", name, text[at[0]:at[1]])
			}
		}
	}
}

// Whoever imports the module must get what its tests ran with. The examples,
// modules of their own, may point at the module they stand in and at nothing else.
func TestNothingIsReplaced(t *testing.T) {
	for _, name := range files(t) {
		if path.Base(name) != "go.mod" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			f := strings.Fields(line)
			here := strings.HasPrefix(name, "examples/") && line == "replace "+module+" => ../.."
			if len(f) > 0 && (f[0] == "replace" || f[0] == "exclude") && !here {
				t.Errorf("%s:%d: %s", name, n+1, line)
			}
		}
	}
}
