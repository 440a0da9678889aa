package recorder

import (
	"testing"
	"time"
)

// TestB holds the recorder to what the table of decisions says of it, by the
// row's name: its frames are 16 ms long.
func TestB(t *testing.T) {
	t.Run("when to publish", func(t *testing.T) {
		if DefaultFrame != 16*time.Millisecond {
			t.Errorf("a frame is %v", DefaultFrame)
		}
		t.Run("frames", TestFrames)
	})
}
