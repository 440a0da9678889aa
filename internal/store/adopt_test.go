package store

import (
	"io"
	"testing"

	"github.com/stenolog/steno/internal/api"
)

// A demo that was recorded to is the user's: it does not go with the demos.
func TestRecordingAdoptsADemo(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var ids []string
	for range 2 {
		c, err := s.Play(t.Context(), api.PlayRequest{Names: []string{"cut-off"}, Speed: 1e6, Wait: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	if _, err := s.Play(t.Context(), api.PlayRequest{Names: []string{"cut-off"}, Speed: minSpeed / 2}); err == nil {
		t.Error("it was played slower than it may be")
	}
	if all, _ := s.List(t.Context()); len(all) != len(ids) {
		t.Errorf("%d conversations, want %d: a play that was refused left one", len(all), len(ids))
	}
	answer := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"mine\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	// The demos are removed while the answer is still coming.
	r, w := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := s.Record(t.Context(), ids[0], "openai-chat", r)
		done <- err
	}()
	if _, err := io.WriteString(w, answer); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteDemos(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d demos were deleted: %v", n, err)
	}
	w.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	left, err := s.List(t.Context())
	if err != nil || len(left) != 1 || left[0].ID != ids[0] || left[0].Demo {
		t.Errorf("left are %+v, %v", left, err)
	}
}
