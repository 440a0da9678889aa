package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/player"
	"github.com/stenolog/steno/wire"
	"github.com/stenolog/steno/wire/formats"
)

// readSize is how much of an answer is read at a time.
const readSize = 32 << 10

func decoder(format string) (wire.Decoder, error) {
	return formats.New(cmp.Or(format, formats.Guessed), nil)
}

// Record implements [api.Recorder]. The answer is a turn of its own.
func (s *Store) Record(ctx context.Context, id, format string, r io.Reader) (*api.Recorded, error) {
	d, err := decoder(format)
	if err != nil {
		return nil, err
	}
	c, err := s.acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	defer c.release()
	done, err := c.feed()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := c.adopt(ctx); err != nil {
		return nil, err
	}
	before, err := c.recorder.Head(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.Recorded{Conversation: id, Format: format, First: before + 1}
	// What has come is kept whatever becomes of the reader or the caller.
	n, readErr := c.take(context.WithoutCancel(ctx), d, r)
	out.Bytes = n
	if err := c.recorder.Sync(context.WithoutCancel(ctx)); err != nil {
		return nil, errors.Join(readErr, err)
	}
	if readErr != nil {
		return nil, fmt.Errorf("record in %s: %w", id, readErr)
	}
	return out, s.summarise(ctx, out)
}

// take records an answer as one turn.
func (c *conversation) take(ctx context.Context, d wire.Decoder, r io.Reader) (n int64, err error) {
	start := steno.Event{Type: steno.TurnStart}
	if err := c.recorder.Record(ctx, &start); err != nil {
		return 0, err
	}
	a := c.recorder.Answer(ctx, d)
	n, err = io.CopyBuffer(writerOnly{a}, readerOnly{r}, make([]byte, readSize))
	err = errors.Join(err, a.Close())
	end := steno.Event{Type: steno.Done}
	return n, errors.Join(err, c.recorder.Record(ctx, &end))
}

// writerOnly and readerOnly keep io.CopyBuffer from taking a shortcut around
// the buffer: an answer is recorded as it comes.
type (
	writerOnly struct{ io.Writer }
	readerOnly struct{ io.Reader }
)

// maxErrors is how many of an answer's errors a summary quotes.
const maxErrors = 20

// summarise says what became of a recorded answer.
func (s *Store) summarise(ctx context.Context, out *api.Recorded) error {
	for e, err := range s.journal.Read(ctx, out.Conversation, out.First-1) {
		if err != nil {
			return err
		}
		out.Last = e.Seq
		switch b := e.Body.(type) {
		case *steno.Step:
			if b.Finish != "" {
				out.Finish = b.Finish
			}
		case *steno.Failure:
			if e.Type == steno.Error {
				if out.Failures++; len(out.Errors) < maxErrors {
					out.Errors = append(out.Errors, e.Clone().Text)
				}
			}
		}
	}
	return nil
}

// Recordings implements [api.Player].
func (s *Store) Recordings(context.Context) ([]api.Recording, error) {
	all := []api.Recording{}
	for _, script := range player.List() {
		all = append(all, api.Recording{Name: script.Name, Title: script.Title, About: script.About})
	}
	return all, nil
}

// minSpeed is the slowest a recording is played.
const minSpeed = 0.01

// Play implements [api.Player].
func (s *Store) Play(ctx context.Context, p api.PlayRequest) (*api.Conversation, error) {
	scripts, err := scripts(p)
	if err != nil {
		return nil, err
	}
	speed := cmp.Or(p.Speed, 1)
	if !(speed >= minSpeed) {
		return nil, fmt.Errorf("play %v times as fast, when %v is the slowest: %w", speed, minSpeed, steno.ErrUnsupported)
	}
	made, err := s.create(ctx, api.NewConversation{Title: scripts[0].Title}, true)
	if err != nil {
		return nil, err
	}
	if p.Wait {
		if err := s.play(ctx, made.ID, scripts, speed); err != nil {
			return nil, err
		}
		return s.Get(ctx, made.ID)
	}
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("play: %w", steno.ErrClosed)
	}
	s.plays.Go(func() {
		err := s.play(s.ctx, made.ID, scripts, speed)
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, steno.ErrClosed) {
			s.report(fmt.Errorf("play in %s: %w", made.ID, err))
		}
	})
	s.mu.Unlock()
	return made, nil
}

func scripts(p api.PlayRequest) ([]*player.Script, error) {
	files := make([]player.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = player.File(f)
	}
	all, err := player.FromFiles(files)
	if err != nil {
		return nil, err
	}
	for _, name := range p.Names {
		script, err := player.Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, script)
	}
	if len(all) == 0 {
		all = player.List()
	}
	return all, nil
}

// play plays scripts one after the other. Stopped in the middle, it ends the
// turn as interrupted.
func (s *Store) play(ctx context.Context, id string, scripts []*player.Script, speed float64) error {
	c, err := s.acquire(ctx, id)
	if err != nil {
		return err
	}
	defer c.release()
	done, err := c.feed()
	if err != nil {
		return err
	}
	defer done()
	keep := context.WithoutCancel(ctx)
	for _, script := range scripts {
		if err := player.Play(ctx, script, stage{c}, speed); err != nil {
			return errors.Join(err, c.recorder.Interrupt(keep))
		}
	}
	return c.recorder.Sync(keep)
}

// stage is a conversation as a recording is played to it.
type stage struct{ c *conversation }

func (s stage) Record(ctx context.Context, events ...*steno.Event) error {
	return s.c.recorder.Record(ctx, events...)
}

func (s stage) Answer(ctx context.Context, format string) (io.WriteCloser, error) {
	d, err := decoder(format)
	if err != nil {
		return nil, err
	}
	return s.c.recorder.Answer(context.WithoutCancel(ctx), d), nil
}
