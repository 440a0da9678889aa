package cli

import (
	"errors"
	"testing"

	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/journal/sqlite"
)

// A program that embeds the journal may hold it without the program's own lock.
func TestJournalHeldByAnother(t *testing.T) {
	dir := t.TempDir()
	held, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	_, err = openStore(t.Context(), OpenOptions{Dir: dir, Write: true, Sync: "full"})
	var e *catalogue.Error
	if !errors.As(err, &e) || e.Code != catalogue.Locked {
		t.Errorf("opening it says %v, want what the catalogue says of a lock", err)
	}
}
