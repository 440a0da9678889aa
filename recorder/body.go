package recorder

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stenolog/steno"
)

// MaxBody is the largest body that stands in an event, in bytes. A larger one
// is a blob that the event names, of which it keeps the beginning if it is
// text.
const MaxBody = 64 << 10

// externalise moves a body above MaxBody out of an event that is not durable
// yet. Bodies are shared with the source, so they are replaced, not changed.
func (r *Recorder) externalise(ctx context.Context, e *steno.Event) error {
	if r.opts.Blobs == nil {
		return nil
	}
	var err error
	switch b := e.Body.(type) {
	case *steno.Result:
		e.Body, err = r.result(ctx, e, b)
	case *steno.Output:
		e.Body, err = r.output(ctx, e, b)
	case *steno.Block:
		e.Body, err = r.block(ctx, b)
	case *steno.UserInput:
		if !small(b.Parts) {
			c := *b
			c.Parts, err = r.contents(ctx, b.Parts)
			e.Body = &c
		}
	case nil:
		switch {
		case len(e.Text) <= MaxBody:
		case e.Type == steno.ToolResult:
			e.Body, err = r.result(ctx, e, &steno.Result{})
		case e.Type == steno.ToolOutput:
			e.Body, err = r.output(ctx, e, &steno.Output{})
		}
	}
	if err != nil {
		return fmt.Errorf("keep the body of event %d: %w", e.Seq, err)
	}
	return nil
}

func (r *Recorder) output(ctx context.Context, e *steno.Event, b *steno.Output) (*steno.Output, error) {
	if len(e.Text) <= MaxBody && len(b.Data) <= MaxBody {
		return b, nil
	}
	c := *b
	var err error
	if len(e.Text) > MaxBody {
		c.Blob, err = r.put(ctx, strings.NewReader(e.Text))
		kept := beginning(e.Text, MaxBody)
		c.Truncated = &steno.Truncation{Total: int64(len(e.Text)), Kept: int64(len(kept))}
		e.Text = kept
	} else {
		c.Blob, err = r.put(ctx, bytes.NewReader(b.Data))
		c.Truncated = &steno.Truncation{Total: int64(len(b.Data))}
		c.Data = nil
	}
	return &c, err
}

func (r *Recorder) result(ctx context.Context, e *steno.Event, b *steno.Result) (*steno.Result, error) {
	if len(e.Text) <= MaxBody && len(b.Raw) <= MaxBody && small(b.Parts) {
		return b, nil
	}
	c := *b
	var err error
	switch {
	case len(e.Text) > MaxBody:
		if c.Blob, err = r.put(ctx, strings.NewReader(e.Text)); err != nil {
			return nil, err
		}
		kept := beginning(e.Text, MaxBody)
		c.Truncated = &steno.Truncation{Total: int64(len(e.Text)), Kept: int64(len(kept))}
		e.Text = kept
	case len(c.Raw) > MaxBody:
		if c.Blob, err = r.put(ctx, bytes.NewReader(c.Raw)); err != nil {
			return nil, err
		}
		c.Truncated = &steno.Truncation{Total: int64(len(c.Raw))}
		c.Raw = nil
	}
	if !small(c.Parts) {
		if c.Parts, err = r.contents(ctx, c.Parts); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

func (r *Recorder) block(ctx context.Context, b *steno.Block) (*steno.Block, error) {
	if len(b.Data) == 0 && len(b.Raw) <= MaxBody {
		return b, nil
	}
	c := *b
	var err error
	if len(b.Data) > 0 {
		c.Blob, err = r.put(ctx, bytes.NewReader(b.Data))
		c.Data = nil
	} else {
		c.Blob, err = r.put(ctx, bytes.NewReader(b.Raw))
		c.Raw = nil
	}
	return &c, err
}

// small reports whether no content carries bytes or a long text.
func small(parts []steno.Content) bool {
	return !slices.ContainsFunc(parts, func(p steno.Content) bool {
		return len(p.Data) > 0 || len(p.Text) > MaxBody
	})
}

func (r *Recorder) contents(ctx context.Context, parts []steno.Content) ([]steno.Content, error) {
	out := slices.Clone(parts)
	for i := range out {
		p := &out[i]
		var err error
		switch {
		case len(p.Data) > 0:
			p.Blob, err = r.put(ctx, bytes.NewReader(p.Data))
			p.Data = nil
		case len(p.Text) > MaxBody:
			p.Blob, err = r.put(ctx, strings.NewReader(p.Text))
			p.Text = beginning(p.Text, MaxBody)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *Recorder) put(ctx context.Context, from io.Reader) (string, error) {
	return r.opts.Blobs.Put(ctx, from)
}

// beginning returns at most n bytes of s, ending at a character.
func beginning(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
