package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
)

// maxLine is the largest line of a stream, in bytes. An event is smaller: what
// is over 64 KiB of it is a blob.
const maxLine = 64 << 20

// retryPause is how long a cut stream waits before it is resumed, and
// maxPause how long at most when that keeps failing.
const (
	retryPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
)

// Events implements api.Conversations. With follow a stream that is cut, by a
// restart of the server for one, is resumed after the last event that came:
// there is no gap and no repeat. It ends with an error only when the server
// gives one that a retry does not mend.
func (c *Client) Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[*steno.Event, error] {
	return func(yield func(*steno.Event, error) bool) {
		pause, connected := retryPause, false
		for {
			came, err := c.readEvents(ctx, id, &after, follow, yield)
			connected = connected || came
			switch {
			case errors.Is(err, errStopped):
				return
			case ctx.Err() != nil:
				if !follow {
					yield(nil, ctx.Err())
				}
				return
			case !follow && err == nil:
				return
			case !follow, !connected, err != nil && !temporary(err):
				yield(nil, err)
				return
			}
			if came {
				pause = retryPause
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, maxPause)
		}
	}
}

// errStopped says that the reader of the events wants no more.
var errStopped = errors.New("stopped")

// temporary reports whether a stream that ended by err may be resumed.
func temporary(err error) bool {
	var e *catalogue.Error
	if !errors.As(err, &e) {
		return true // the connection broke
	}
	switch e.Code {
	case catalogue.NoServer, catalogue.Draining, catalogue.Overload, catalogue.RateLimit, catalogue.StreamLimit:
		return true
	}
	return false
}

// readEvents reads one connection to its end and moves after along.
// came says that the server answered.
func (c *Client) readEvents(ctx context.Context, id string, after *int64, follow bool, yield func(*steno.Event, error) bool) (came bool, err error) {
	path := conversation(id) + "/events?after=" + strconv.FormatInt(*after, 10)
	if follow {
		path += "&follow=1"
	}
	res, err := c.do(ctx, "GET", path, nil)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	err = eachLine(res.Body, func(line []byte) error {
		if bytes.HasPrefix(line, []byte(`{"error":`)) {
			return answerError(res.Status, line)
		}
		var e steno.Event
		if err := json.Unmarshal(line, &e, api.JSON); err != nil {
			return catalogue.Wrap(catalogue.Internal, "the server sent an event that cannot be read", err)
		}
		if e.Seq <= *after {
			return nil
		}
		if !yield(&e, nil) {
			return errStopped
		}
		*after = e.Seq
		return nil
	})
	return true, err
}

// eachLine calls f with every line that is not empty. A last line without its
// end was cut and is not given to f.
func eachLine(r io.Reader, f func(line []byte) error) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for {
		part, err := br.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if long = append(long, part...); len(long) > maxLine {
				return fmt.Errorf("a line of the stream: %w", steno.ErrTooLarge)
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
			long = nil
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := f(line); err != nil {
			return err
		}
	}
}

// Changes implements api.Conversations. It does not resume: a list that may
// have changed in between has to be read again, so the channel is closed.
func (c *Client) Changes(ctx context.Context) <-chan api.Change {
	out := make(chan api.Change)
	go func() {
		defer close(out)
		res, err := c.do(ctx, "GET", "/v1/events", nil)
		if err != nil {
			return
		}
		defer res.Body.Close()
		_ = eachLine(res.Body, func(line []byte) error {
			data, ok := bytes.CutPrefix(line, []byte("data: "))
			if !ok {
				return nil
			}
			var ch api.Change
			if err := json.Unmarshal(data, &ch, api.JSON); err != nil {
				return err
			}
			select {
			case out <- ch:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return out
}
