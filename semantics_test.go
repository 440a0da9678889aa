package steno_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// These tests hold the repository to the rules it was written to: each is a
// test that names it, so that a rule whose test goes away is missed.

// ruleRanges are the numbered rules that are built: of folding (A1 to A21, A29)
// and of the conformance list (C). The numbers in between are free, or are
// those of a request, an agent or an archive, which are not built yet.
var ruleRanges = map[string][][2]int{
	"A": {{1, 21}, {29, 29}},
	"C": {{1, 41}, {43, 70}, {72, 78}, {80, 87}, {91, 98}},
}

// ruleTables are the first cells of the tables of rules, by the name of the
// tests that hold them as subtests.
var ruleTables = map[string][]string{
	"TestA1": {"text", "thinking", "tool-batch", "error", "system"},
	"TestB": {
		"claims", "keys", "when to publish", "what a subscriber gets", "equality", "untouched nodes",
		"failing definition", "failing listener", "push from inside a listener",
		"push from inside match, start or update", "unsubscribe during a notification", "subscribe",
		"removed, then used again", "scheduler", "batch", "reader.previous(kind)", "slow subscriber",
		"goroutines", "sync", "windows",
	},
}

// sharedCases are the cases from bug reports that this much of the program must
// stand.
var sharedCases = []string{
	"G01", "G02", "G03", "G04", // framing
	"G05", "G06", "G07", "G08", "G09", "G10", // tool calls put together
	"G11", "G12", "G13", "G14", // order
	"G15",                      // reasoning
	"G19", "G20", "G21", "G22", // calls and results, before any request
	"G29", "G30", "G31", "G32", // ends of streams
	"G33", "G34", "G35", "G36", "G38", // resume, live
	"G39", "G40", "G41", "G42", "G43", "G45", // store
	"G46", // usage
}

// ruleID finds the rules at the beginning of a test's name: C35C39Truncate,
// "A7, C94 the whole".
var ruleID = regexp.MustCompile(`^(?:, )?([ACG][0-9]+)`)

// cited are the names of all tests and subtests, by what they cite.
type cited struct {
	rules  map[string]bool
	tables map[string]map[string]bool
}

func (c *cited) name(name string) {
	for {
		m := ruleID.FindStringSubmatch(name)
		if m == nil {
			return
		}
		rest := name[len(m[0]):]
		if r := []rune(rest); len(r) > 0 && unicode.IsLower(r[0]) {
			return
		}
		c.rules[m[1]] = true
		name = rest
	}
}

// file takes the names in a file: those of test functions, and literals that
// may name a subtest, being a first argument or part of a table.
func (c *cited) file(f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			ast.Inspect(d, func(n ast.Node) bool { return c.literals(n, nil) })
			continue
		}
		name, isTest := strings.CutPrefix(fn.Name.Name, "Test")
		var table map[string]bool
		if isTest {
			c.name(name)
			table = c.tables[fn.Name.Name]
		}
		ast.Inspect(fn, func(n ast.Node) bool { return c.literals(n, table) })
	}
}

func (c *cited) literals(n ast.Node, table map[string]bool) bool {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		if len(n.Args) > 1 && namesItsTest(n.Fun) {
			list = n.Args[:1]
			if sum, ok := n.Args[0].(*ast.BinaryExpr); ok {
				list = []ast.Expr{sum.X}
			}
		}
	case *ast.CompositeLit:
		list = n.Elts
	}
	for _, x := range list {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		lit, ok := x.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		if s, err := strconv.Unquote(lit.Value); err == nil {
			c.name(s)
			if table != nil {
				table[s] = true
			}
		}
	}
	return true
}

// namesItsTest reports whether the first argument of a call may be the name of
// a subtest: that of Run, or of a function of the test's own around it.
func namesItsTest(fun ast.Expr) bool {
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		return sel.Sel.Name == "Run"
	}
	_, own := fun.(*ast.Ident)
	return own
}

func citations(t *testing.T) *cited {
	c := &cited{rules: map[string]bool{}, tables: map[string]map[string]bool{}}
	for name := range ruleTables {
		c.tables[name] = map[string]bool{}
	}
	for _, s := range sources(t) {
		if s.test && s.name != "semantics_test.go" || strings.HasPrefix(s.name, "journal/journaltest/") {
			c.file(s.file)
		}
	}
	return c
}

func TestEveryRuleIsATest(t *testing.T) {
	c := citations(t)
	for letter, ranges := range ruleRanges {
		for _, r := range ranges {
			for n := r[0]; n <= r[1]; n++ {
				if id := fmt.Sprint(letter, n); !c.rules[id] {
					t.Errorf("no test is named by rule %s", id)
				}
			}
		}
	}
	for name, rows := range ruleTables {
		for _, row := range rows {
			if !c.tables[name][row] {
				t.Errorf("no test is named %s/%s", name, row)
			}
		}
	}
}

func TestEveryCaseIsATest(t *testing.T) {
	c := citations(t)
	for _, id := range sharedCases {
		if !c.rules[id] {
			t.Errorf("no test is named by case %s", id)
		}
	}
}
