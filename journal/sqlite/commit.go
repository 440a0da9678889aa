package sqlite

import (
	"context"
	"fmt"
	"sync"

	"github.com/stenolog/steno"
)

// job is one thing to be done on the write connection.
type job struct {
	// do runs inside the transaction of its group. A *failure undoes the whole
	// group; any other error is a refusal, concerns this job alone and must
	// come before its first write.
	do func(*writer) error
	// apart says that do runs by itself, outside of any transaction.
	apart bool

	err  error
	done chan struct{}
}

// committer commits for everybody. Its goroutine is the only one that uses the
// write connection.
type committer struct {
	w    *writer
	wake chan struct{} // holds a token while jobs wait
	end  chan struct{} // closed when the goroutine has ended

	mu struct {
		sync.Mutex
		waiting []*job
		closed  bool
	}
}

func newCommitter(w *writer) *committer {
	c := &committer{w: w, wake: make(chan struct{}, 1), end: make(chan struct{})}
	go c.loop()
	return c
}

// do has a job done and returns its error. A job that is still waiting when
// ctx ends is withdrawn; one that was begun is waited for, so the outcome is
// always known.
func (c *committer) do(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.done = make(chan struct{})
	c.mu.Lock()
	if c.mu.closed {
		c.mu.Unlock()
		return fmt.Errorf("store: %w", steno.ErrClosed)
	}
	c.mu.waiting = append(c.mu.waiting, j)
	c.mu.Unlock()
	c.ring()

	select {
	case <-j.done:
	case <-ctx.Done():
		if c.withdraw(j) {
			return ctx.Err()
		}
		<-j.done
	}
	return j.err
}

func (c *committer) ring() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *committer) withdraw(j *job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, w := range c.mu.waiting {
		if w == j {
			c.mu.waiting = append(c.mu.waiting[:i:i], c.mu.waiting[i+1:]...)
			return true
		}
	}
	return false
}

func (c *committer) take() (jobs []*job, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	jobs, c.mu.waiting = c.mu.waiting, nil
	return jobs, c.mu.closed
}

func (c *committer) loop() {
	defer close(c.end)
	for range c.wake {
		jobs, closed := c.take()
		c.w.group(jobs)
		for _, j := range jobs {
			close(j.done)
		}
		if closed {
			return
		}
	}
}

// close does what is waiting and ends the goroutine.
func (c *committer) close() error {
	c.mu.Lock()
	again := c.mu.closed
	c.mu.closed = true
	c.mu.Unlock()
	c.ring()
	<-c.end
	if again {
		return nil
	}
	return c.w.close()
}
