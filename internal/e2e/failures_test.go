package e2e

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/journal/sqlite"
)

// These tests are the rows of the table in docs/format.md, "When something
// fails", as someone at a command line meets them.

// tamper does to the database what no program of ours would.
func tamper(t *testing.T, dir, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, sqlite.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// breakRun makes the checksum of a branch's run wrong.
const breakRun = `UPDATE runs SET data = CAST(substr(data, 1, length(data) - 6) || X'000000000000' AS BLOB)
	WHERE branch = (SELECT id FROM branches WHERE name = ?) AND first = (SELECT %s(first) FROM runs WHERE branch = (SELECT id FROM branches WHERE name = ?))`

// recorded records an answer by a command and returns its conversation.
func recorded(t *testing.T, dir, text string) string {
	t.Helper()
	exit, stdout, stderr := run(t, dir, delta(text)+stop, "record", "--from", format, "--json")
	var r api.Recorded
	if err := json.Unmarshal([]byte(stdout), &r); exit != 0 || err != nil {
		t.Fatalf("record: exit %d, %v\n%s", exit, err, stderr)
	}
	return r.Conversation
}

// command runs the program, wants an exit code, and words on each stream.
func command(t *testing.T, dir, stdin string, exit int, stdout, stderr string, args ...string) {
	t.Helper()
	got, out, errs := run(t, dir, stdin, args...)
	if got != exit || !regexp.MustCompile(stdout).MatchString(out) || !regexp.MustCompile(stderr).MatchString(errs) {
		t.Errorf("steno %s: exit %d\n%s%s\nwant exit %d, %q and %q", strings.Join(args, " "), got, out, errs, exit, stdout, stderr)
	}
}

// crashed leaves a conversation whose turn a killed process was in.
func crashed(t *testing.T, dir string) (id string) {
	t.Helper()
	p := startProcess(t, dir)
	id = create(t, p.client)
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := p.client.Record(t.Context(), id, format, r)
		r.CloseWithError(err)
	}()
	watch := newWatcher(id)
	for i := range 50 {
		if _, err := io.WriteString(w, delta(fmt.Sprint("word ", i, " "))); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 { // so that there are several writes
			waitFor(t, "a delta", func() bool {
				if err := watch.snapshot(t.Context(), p.address, p.token); err != nil {
					t.Fatal(err)
				}
				_, state := watch.at(t)
				return strings.Contains(state, fmt.Sprint("word ", i))
			})
		}
	}
	p.kill()
	w.Close() // what sent it waits for its end
	<-done
	return id
}

// TestTornTail: a reader says what was not written whole, a writer cuts it with
// a warning, and all before it is there.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	id := crashed(t, dir)
	tamper(t, dir, fmt.Sprintf(breakRun, "max"), id, id)
	command(t, dir, "", 1, "", `were not written whole`, "show", id)
	command(t, dir, "", 0, "", `torn`, "play", "--remove")
	command(t, dir, "", 0, `word 10 .*(?s).*interrupted`, `^$`, "show", id)
	command(t, dir, delta("after")+stop, 0, "complete", `^$`, "record", "--from", format, "--to", id)
	command(t, dir, "", 0, "", `^$`, "verify")
}

// TestDamageInTheMiddle: it is reported loudly, that conversation refuses
// writes, and all others work.
func TestDamageInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	other := recorded(t, dir, "whole")
	id := crashed(t, dir)
	tamper(t, dir, fmt.Sprintf(breakRun, "min"), id, id)
	for range 2 { // and it stays so
		command(t, dir, "", 1, "", `damaged(?s).*refuses writes`, "show", id)
		command(t, dir, "", 1, `damaged +`+id, `damage was found: 1 branch`, "verify")
		command(t, dir, delta("x")+stop, 1, "", `damaged`, "record", "--from", format, "--to", id)
		command(t, dir, delta("x")+stop, 0, "complete", "", "record", "--from", format, "--to", other)
		command(t, dir, "", 0, "whole", `^$`, "show", other)
		command(t, dir, "", 0, id+`.*damaged`, "", "list")
	}
	p := startProcess(t, dir)
	c, err := p.client.Get(t.Context(), id)
	if err != nil || !c.Damaged {
		t.Errorf("the server says %+v, %v", c, err)
	}
	command(t, dir, "", 1, "", `damaged`, "show", id)
	command(t, dir, "", 0, "whole", `^$`, "show", other)
}

// TestNoDatabase: a file that is something else is not touched.
func TestNoDatabase(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "x")
	path := filepath.Join(dir, sqlite.FileName)
	something := bytes.Repeat([]byte("something else "), 1000)
	if err := os.WriteFile(path, something, 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "", 1, "^$", `not a database`, "list")
	command(t, dir, delta("x")+stop, 1, "^$", `not a database`, "record", "--from", format)
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, something) {
		t.Errorf("the file was changed, %v", err)
	}
}

// TestTwoProcesses: a second server says where the first is; commands use it.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, dir)
	command(t, dir, "", 3, "", `already running.*`+regexp.QuoteMeta(p.address), "serve", "--listen", "127.0.0.1:0", "--no-open")
	id := recorded(t, dir, "by the server")
	if _, err := p.client.Get(t.Context(), id); err != nil {
		t.Error(err)
	}
}

// smallDisk mounts a disk of a few MiB.
func smallDisk(t *testing.T, mib int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", mib), "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir
}

// TestFullDisk: a command says that the disk is full and exits with 1, all can
// be read, and when there is space again the same server goes on writing.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, 16)
	first := recorded(t, dir, "before")
	p := startProcess(t, dir)
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	big := strings.Repeat(delta(strings.Repeat("much text ", 100)), 3000)
	w := newWatcher(first)
	command(t, dir, big+stop, 1, "", `(?i)no space|disk is full`, "record", "--from", format, "--to", first)
	command(t, dir, "", 0, "before", "", "show", first)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	command(t, dir, delta("afterwards")+stop, 0, "complete", "", "record", "--from", format, "--to", first)
	command(t, dir, "", 0, "afterwards", "", "show", first)
	command(t, dir, "", 0, "", `^$`, "verify")
	if err := w.snapshot(t.Context(), p.address, p.token); err != nil {
		t.Fatal(err)
	}
	if _, state := w.at(t); !strings.Contains(state, "afterwards") {
		t.Errorf("the view shows %.500s", state)
	}
}

// fill writes until nothing fits any more.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

// TestReadOnlyDisk: what is there can be read; a write says why not.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t, 16)
	id := recorded(t, dir, "there")
	if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("the disk cannot be made read-only: %v %s", err, out)
	}
	command(t, dir, "", 0, "there", "", "show", id)
	command(t, dir, "", 0, id, "", "list")
	command(t, dir, "", 0, "", "", "verify")
	command(t, dir, delta("x")+stop, 1, "", `(?i)read-only|permission|may not be written`, "record", "--from", format, "--to", id)
}
