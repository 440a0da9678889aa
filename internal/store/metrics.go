package store

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stenolog/steno/view"
)

// collector reports what the open conversations do.
type collector struct{ s *Store }

// Collector returns the store's metrics, read when they are asked for.
func (s *Store) Collector() prometheus.Collector { return collector{s} }

// The figures of one conversation end with it, so those that only grow are
// given as gauges of what is open now.
var (
	openDesc      = prometheus.NewDesc("steno_open_conversations", "Conversations that are open.", nil, nil)
	runningDesc   = prometheus.NewDesc("steno_running_turns", "Turns in flight.", nil, nil)
	viewersDesc   = prometheus.NewDesc("steno_viewers", "Viewers of open conversations.", nil, nil)
	framesDesc    = prometheus.NewDesc("steno_view_frames", "Frames encoded for the open conversations.", nil, nil)
	bytesDesc     = prometheus.NewDesc("steno_view_frame_bytes", "Bytes of those frames.", nil, nil)
	snapshotsDesc = prometheus.NewDesc("steno_view_snapshots", "Snapshots encoded for the open conversations.", nil, nil)
	resumesDesc   = prometheus.NewDesc("steno_view_resumes", "Viewers of open conversations that were told a difference.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{openDesc, runningDesc, viewersDesc, framesDesc, bytesDesc, snapshotsDesc, resumesDesc} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c collector) Collect(out chan<- prometheus.Metric) {
	var sum view.Metrics
	open, running := 0, 0
	for _, conv := range c.s.opened() {
		select {
		case <-conv.ready:
		default:
			continue
		}
		if conv.err != nil {
			continue
		}
		open++
		if conv.live.Running() {
			running++
		}
		m := conv.live.Metrics()
		sum.Viewers += m.Viewers
		sum.Frames += m.Frames
		sum.FrameBytes += m.FrameBytes
		sum.Snapshots += m.Snapshots
		sum.Resumes += m.Resumes
	}
	gauge := func(d *prometheus.Desc, v int64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v))
	}
	gauge(openDesc, int64(open))
	gauge(runningDesc, int64(running))
	gauge(viewersDesc, sum.Viewers)
	gauge(framesDesc, sum.Frames)
	gauge(bytesDesc, sum.FrameBytes)
	gauge(snapshotsDesc, sum.Snapshots)
	gauge(resumesDesc, sum.Resumes)
}
