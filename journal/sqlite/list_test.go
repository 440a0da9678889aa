package sqlite_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/journal/journaltest"
	"github.com/stenolog/steno/journal/sqlite"
)

// TestInfo wants of each branch what List says of it, packed or not.
func TestInfo(t *testing.T) {
	s := open(t, t.TempDir(), sqlite.Options{Relaxed: true})
	ctx := t.Context()
	for i, branch := range []string{"b", "a", "c"} {
		if err := s.Append(ctx, branch, 0, journaltest.Deltas(1, 10+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Compact(ctx, "a", 11); err != nil {
		t.Fatal(err)
	}
	for want, err := range s.List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Info(ctx, want.Branch)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -list +info:\n%s", want.Branch, err, diff)
		}
	}
	if err := s.Delete(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	for _, branch := range []string{"b", "none"} {
		if _, err := s.Info(ctx, branch); !errors.Is(err, steno.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", branch, err)
		}
	}
}
