package main

import (
	"testing"

	"github.com/stenolog/steno/view"
)

// A kind that only todo.go knows of is durable, folded, sent to views field by
// field, and there again when the store is opened anew.
func TestKind(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	rec, live, shut, err := open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	record := func(name, id, text string) {
		t.Helper()
		if err := rec.Record(ctx, event(name, id, text)); err != nil {
			t.Fatal(err)
		}
		if err := rec.Sync(ctx); err != nil {
			t.Fatal(err)
		}
	}
	record(added, "1", "Write the test")
	record(added, "2", "Make it pass")
	before := live.Seq()
	record(worked, "1", "It fails, ")
	record(worked, "1", "as it should.")
	record(done, "1", "")
	record("todo-of-a-later-version", "1", "?")

	check := func(when string, live *view.Live) {
		t.Helper()
		var shown view.Replica
		_, snapshot := live.Snapshot(view.DefaultWindow)
		if err := shown.Apply(snapshot); err != nil {
			t.Fatal(err)
		}
		state, err := shown.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"todos":[` +
			`{"key":"todo:1","node":{"done":true,"notes":"It fails, as it should.","what":"Write the test"}},` +
			`{"key":"todo:2","node":{"what":"Make it pass"}}]}`
		if string(state) != want {
			t.Errorf("%s: a view shows %s\nwant %s", when, state, want)
		}
	}
	check("live", live)

	// A viewer that comes back is sent what changed, and no more.
	_, change, err := live.Since(before)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ops":[` +
		`{"op":"append","collection":"todos","key":"todo:1","field":"notes","at":0,"len":23,"text":"It fails, as it should."},` +
		`{"op":"set","collection":"todos","key":"todo:1","fields":{"done":true}}]}`
	if string(change) != want {
		t.Errorf("since %d: got %s\nwant %s", before, change, want)
	}

	if err := shut(); err != nil {
		t.Fatal(err)
	}
	_, live, shut, err = open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	check("opened again", live)
	if err := shut(); err != nil {
		t.Fatal(err)
	}
}
