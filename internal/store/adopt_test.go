package store

import (
	"strings"
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
	answer := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"mine\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	if _, err := s.Record(t.Context(), ids[0], "openai-chat", strings.NewReader(answer)); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteDemos(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d demos were deleted: %v", n, err)
	}
	left, err := s.List(t.Context())
	if err != nil || len(left) != 1 || left[0].ID != ids[0] || left[0].Demo {
		t.Errorf("left are %+v, %v", left, err)
	}
}
