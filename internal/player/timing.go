package player

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
)

// DefaultRate is how many frames a second are played of an answer without a
// timing file.
const DefaultRate = 40

// maxPause bounds a pause and the length of an answer, so that no file can make
// a playback that never ends by itself.
const maxPause = 24 * time.Hour

// maxPiece bounds a piece of an answer that has no frames, in bytes.
const maxPiece = 4 << 10

// mark says that an answer's bytes up to end are there at a time after its
// start.
type mark struct {
	end int
	at  time.Duration
}

// parseTiming reads the timing file of an answer of size bytes.
func parseTiming(timing []byte, size int) ([]mark, error) {
	var marks []mark
	last := mark{}
	number := 0
	for line := range bytes.Lines(timing) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		m, err := parseMark(line, size)
		if err == nil && (m.end <= last.end || m.at < last.at) {
			err = errors.New("does not follow the line before it")
		}
		if err != nil {
			return nil, fmt.Errorf("timing line %d: %w", number, err)
		}
		marks = append(marks, m)
		last = m
	}
	if len(marks) == 0 {
		return nil, fmt.Errorf("timing: no lines: %w", steno.ErrIncomplete)
	}
	marks[len(marks)-1].end = size
	return marks, nil
}

func parseMark(line []byte, size int) (mark, error) {
	var pair []int64
	if err := json.Unmarshal(line, &pair); err != nil {
		return mark{}, err
	}
	if len(pair) != 2 {
		return mark{}, errors.New("not [bytes, ms]")
	}
	if pair[0] > int64(size) {
		return mark{}, fmt.Errorf("%d bytes of an answer of %d", pair[0], size)
	}
	at, err := milliseconds(pair[1])
	return mark{end: int(pair[0]), at: at}, err
}

// milliseconds checks a time somebody wrote down.
func milliseconds(ms int64) (time.Duration, error) {
	if ms < 0 || ms > maxPause.Milliseconds() {
		return 0, fmt.Errorf("%d ms is not between 0 and %v", ms, maxPause)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// evenly paces an answer without a timing file: at DefaultRate, frame by frame.
// A frame ends with a blank line, where there is none with its line.
func evenly(data []byte) []mark {
	sep := []byte("\n")
	for _, blank := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		if bytes.Contains(data, []byte(blank)) {
			sep = []byte(blank)
			break
		}
	}
	var marks []mark
	for end := 0; end < len(data); {
		next := len(data)
		if i := bytes.Index(data[end:min(len(data), end+maxPiece)], sep); i >= 0 {
			next = end + i + len(sep)
		} else if next-end > maxPiece {
			next = end + maxPiece
		}
		end = next
		at := time.Duration(len(marks)+1) * time.Second / DefaultRate
		marks = append(marks, mark{end: end, at: at})
	}
	return marks
}
