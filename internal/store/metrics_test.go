package store

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stenolog/steno/internal/api"
)

func TestCollector(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Create(t.Context(), api.NewConversation{Title: "t"}); err != nil {
		t.Fatal(err)
	}
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(s.Collector())
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "steno_open_conversations" && f.GetMetric()[0].GetGauge().GetValue() == 1 {
			return
		}
	}
	t.Errorf("no conversation counted in %d families", len(families))
}
