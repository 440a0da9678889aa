package slot

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestC64Batch(t *testing.T) {
	b := newBench(t, 1, 2)
	write := func(id int, name string) {
		_, err := b.Update(row{ID: id, Name: name})
		must(t, err)
	}
	fail := errors.New("fail")
	must(t, b.Batch(func() error {
		write(1, "a")
		err := b.Batch(func() error {
			write(1, "b")
			write(2, "b")
			return fail
		})
		if !errors.Is(err, fail) || len(b.wholes) != 0 {
			t.Errorf("the inner batch ended with %v and was told %q", err, b.told())
		}
		return nil
	}))
	wantTold(t, b, "1:written 2:written")
	if err := b.Batch(func() error { write(1, "c"); return fail }); !errors.Is(err, fail) {
		t.Fatalf("error %v", err)
	}
	wantTold(t, b, "1:written")
	func() {
		defer func() { _ = recover() }()
		_ = b.Batch(func() error { write(1, "d"); panic("fail") })
	}()
	wantTold(t, b, "1:written")
	must(t, b.Batch(func() error { return nil }))
	wantTold(t, b, "")
}

func TestC44C45Subscribing(t *testing.T) {
	b := newBench(t, 1)
	var slots, structures, wholes int
	cancel := []func(){
		b.Item(1).Subscribe(func(Update[int, row]) { slots++ }),
		b.SubscribeStructure(func() { structures++ }),
		b.Subscribe(func([]Update[int, row]) { wholes++ }),
	}
	if slots+structures+wholes != 0 {
		t.Fatal("an initial call")
	}
	must(t, b.Set([]row{{ID: 1, Name: "x"}, {ID: 2}}))
	b.MoveEnd(1)
	if slots != 1 || structures != 2 || wholes != 2 {
		t.Fatalf("%d %d %d calls", slots, structures, wholes)
	}
	for range 2 {
		for _, f := range cancel {
			f()
		}
	}
	must(t, b.Clear())
	if slots != 1 || structures != 2 || wholes != 2 {
		t.Fatal("called after it was cancelled")
	}
}

// Who subscribes to an item in the batch that inserted it hears of what is
// written to it later in that batch.
func TestC44SubscribedBeforeItWasTold(t *testing.T) {
	b := newBench(t)
	var heard []string
	must(t, b.Batch(func() error {
		must(t, b.Insert(row{ID: 1, Name: "x"}))
		b.Item(1).Subscribe(func(u Update[int, row]) { heard = append(heard, u.Item.Value().Name) })
		_, err := b.Update(row{ID: 1, Name: "y"})
		return err
	}))
	if !slices.Equal(heard, []string{"y"}) {
		t.Fatalf("heard %q", heard)
	}
}

func TestC46CancelDuringTheRound(t *testing.T) {
	b := newBench(t, 1)
	var calls []string
	var cancel, again func()
	b.Subscribe(func([]Update[int, row]) {
		calls = append(calls, "a")
		cancel()
		again = b.Subscribe(func([]Update[int, row]) { calls = append(calls, "new") })
	})
	cancel = b.Subscribe(func([]Update[int, row]) { calls = append(calls, "b") })
	b.Subscribe(func([]Update[int, row]) { calls = append(calls, "c") })
	must(t, b.Clear())
	if got := strings.Join(calls, " "); got != "a c" {
		t.Fatalf("called %s", got)
	}
	must(t, b.Insert(row{ID: 1}))
	if got := strings.Join(calls, " "); got != "a c a c new" {
		t.Fatalf("called %s", got)
	}
	again()
}

func TestC47WritesFromAListener(t *testing.T) {
	b := newBench(t, 1, 2)
	b.wholes = nil
	b.Item(1).Subscribe(func(Update[int, row]) {
		if b.Item(2).Value().Name == "n2" {
			_, err := b.Update(row{ID: 2, Name: "second"})
			must(t, err)
			_, err = b.Modify(1, func(v *row) { v.Text = v.Text.Append("!") })
			must(t, err)
			must(t, b.Insert(row{ID: 3}))
		}
	})
	var seen []int
	b.Item(1).Subscribe(func(u Update[int, row]) { seen = append(seen, u.Item.Value().Text.Len()) })
	_, err := b.Modify(1, func(v *row) { v.Name = "first" })
	must(t, err)
	wantTold(t, b, "1:written | 1:written 2:written 3:inserted")
	if !slices.IsSorted(seen) || seen[len(seen)-1] != 1 {
		t.Fatalf("saw lengths %v", seen)
	}
	wantIDs(t, b, 1, 2, 3)
}

func TestC48FailingListener(t *testing.T) {
	b := newBench(t, 1, 2)
	var reported []error
	b.Report = func(err error) { reported = append(reported, err) }
	b.Item(1).Subscribe(func(Update[int, row]) { panic("slot") })
	b.SubscribeStructure(func() { panic("structure") })
	b.Subscribe(func([]Update[int, row]) { panic("whole") })
	var last int
	b.Subscribe(func(u []Update[int, row]) { last = len(u) })
	must(t, b.Set([]row{{ID: 2, Name: "y"}, {ID: 1, Name: "x"}}))
	if len(reported) != 3 || last != 2 {
		t.Fatalf("reported %v, the last one was told of %d", reported, last)
	}
	wantTold(t, b, "1:written+moved 2:written+moved")
	b.Report = nil
	must(t, b.Clear())
	wantTold(t, b, "1:removed 2:removed")
}

func TestUpdateNamesTheFields(t *testing.T) {
	b := newBench(t, 1)
	var fields []string
	b.Item(1).Subscribe(func(u Update[int, row]) { fields = b.Layout().Names(u.Fields) })
	must(t, b.Batch(func() error {
		for _, change := range []func(v *row){
			func(v *row) { v.Name = "x" },
			func(v *row) { v.Text = v.Text.Append("x") },
		} {
			if _, err := b.Modify(1, change); err != nil {
				return err
			}
		}
		return nil
	}))
	if !slices.Equal(fields, []string{"Name", "Text"}) {
		t.Fatalf("fields %v", fields)
	}
}

func TestWritesFromInsideAModification(t *testing.T) {
	b := newBench(t, 1, 2)
	_, err := b.Modify(1, func(v *row) {
		v.Name = "x"
		_, updated := b.Update(row{ID: 2, Name: "x"})
		_, modified := b.Modify(2, func(*row) {})
		for _, err := range []error{updated, modified, b.Insert(row{ID: 3}), b.Set(nil), b.Clear()} {
			if !errors.Is(err, ErrBusy) {
				t.Errorf("error %v", err)
			}
		}
		if b.Remove(2) || b.MoveEnd(1) || b.MoveBefore(2, 1) {
			t.Error("a write was done")
		}
	})
	must(t, err)
	wantTold(t, b, "1:written")
	wantIDs(t, b, 1, 2)
}

func TestPanicInAModification(t *testing.T) {
	b := newBench(t, 1)
	before := b.Values()
	func() {
		defer func() { _ = recover() }()
		_, _ = b.Modify(1, func(v *row) { v.Name = "x"; panic("fail") })
	}()
	if !reflect.DeepEqual(b.Values(), before) {
		t.Fatal("something changed")
	}
	_, err := b.Update(row{ID: 1, Name: "x"})
	must(t, err)
	wantTold(t, b, "1:written")
}
