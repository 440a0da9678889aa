package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

// The test binary runs itself as another process in one of these roles.
const (
	childRole = "STENO_TEST_ROLE"
	childDir  = "STENO_TEST_DIR"

	roleAppend = "append"   // append as fast as it can, print what was acknowledged
	roleOwn    = "own"      // own the store until stdin ends
	roleLock   = "lock"     // hold SQLite's write lock for 3 s, twice
	roleWrite  = "write"    // open, waiting for the store, append 500 events to a branch of its own, close
	childTook  = "took"     // printed when a role has what it wants
	killBranch = "kill"     // the branch that roleAppend writes
	packEvery  = int64(200) // how often it compacts
)

func runChild(role, dir string) int {
	err := map[string]func(string) error{
		roleAppend: childAppend, roleOwn: childOwn, roleLock: childLock, roleWrite: childWrite,
	}[role](dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func childAppend(dir string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return err
	}
	head, err := s.Head(ctx, killBranch)
	if err != nil {
		head = 0
	}
	for size := 1; ; size = size%7 + 1 {
		if err := s.Append(ctx, killBranch, head, journaltest.Deltas(head+1, size)); err != nil {
			return err
		}
		head += int64(size)
		fmt.Println(head)
		if head/packEvery != (head-int64(size))/packEvery {
			if err := s.Compact(ctx, killBranch, head); err != nil {
				return err
			}
		}
	}
}

func childOwn(dir string) error {
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		return err
	}
	fmt.Println(childTook)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return s.Close()
}

func childLock(dir string) error {
	c, err := sqlite3.Open(filepath.Join(dir, sqlite.FileName))
	if err != nil {
		return err
	}
	if err := c.BusyTimeout(time.Minute); err != nil {
		return err
	}
	for range 2 {
		if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		fmt.Println(childTook)
		time.Sleep(3 * time.Second)
		if err := c.Exec("ROLLBACK"); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return c.Close()
}

func childWrite(dir string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, dir, sqlite.Options{Wait: time.Minute})
	if err != nil {
		return err
	}
	branch := fmt.Sprint(os.Getpid())
	for seq := int64(1); seq <= 500; seq++ {
		if err := s.Append(ctx, branch, seq-1, journaltest.Deltas(seq, 1)); err != nil {
			return err
		}
	}
	return s.Close()
}

// child is another process that runs this test binary.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, role, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // an error says that it has ended
		_ = cmd.Wait()
	})
	return &child{cmd, in, bufio.NewScanner(out)}
}

// took waits until the child has what it wants.
func (c *child) took(t *testing.T) {
	t.Helper()
	if !c.lines.Scan() || c.lines.Text() != childTook {
		t.Fatalf("child printed %q, %v", c.lines.Text(), c.lines.Err())
	}
}
