package store

import (
	"context"
	"errors"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/transcript"
	"github.com/stenolog/steno/view"
)

// page folds one ended turn apart and returns it as the view protocol has it.
// It costs O(turn). The error wraps [steno.ErrNotFound] for a turn that has not
// ended.
func (s *Store) page(ctx context.Context, branch string, turn uint32) ([]byte, error) {
	end, err := s.library.Checkpoint(ctx, branch, turn)
	if err != nil {
		return nil, err
	}
	var from int64
	before, err := s.library.Checkpoint(ctx, branch, turn-1)
	switch {
	case err == nil:
		from = before.Seq
	case !errors.Is(err, steno.ErrNotFound):
		return nil, err
	}
	live := transcript.NewLive(projection.Options[steno.Event]{Report: s.report})
	defer live.Close()
	err = live.Batch(func() error {
		for e, err := range s.journal.Read(ctx, branch, from) {
			if err != nil {
				return err
			}
			if e.Seq > end.Seq {
				return nil
			}
			if err := live.Push(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return view.Page(branch, live.Current(), turn), nil
}
