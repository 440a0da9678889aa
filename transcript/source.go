package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
)

// MaxLine is the longest line that ReadSource takes, in bytes.
const MaxLine = 64 << 20

// SourceError says where a file of source events cannot be read. It wraps what
// is wrong: [steno.ErrTooLarge] for a line above MaxLine.
type SourceError struct {
	// Line and Column count from 1; the column is in bytes.
	Line, Column int
	Err          error
}

func (e *SourceError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong at that place.
func (e *SourceError) Unwrap() error { return e.Err }

// ReadSource reads source events as JSON lines, passes each to emit and returns
// the first error, a [SourceError] unless r failed. Events before it were
// emitted. A line is either an event in its own JSON form or one in the loose
// names that recordings of other programs use:
//
//   - id names the call of a tool event and the question of a permission;
//   - arguments and result stand for the text of a tool-call and tool-result;
//   - message is the text of an error;
//   - shell-output is tool-output, permission-denied a result that says so;
//   - step-finish is step-end and takes what is queued;
//   - at is a number of milliseconds or an RFC 3339 time.
//
// Unknown fields are ignored, unknown types kept. Blank lines mean nothing. A
// character that two deltas of a part share is held back until it is whole
// (A15). The event is borrowed: it is valid until emit returns.
func ReadSource(r io.Reader, emit func(*steno.Event)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	h := halves{emit: emit}
	defer h.flushAll()
	var line []byte
	for number := 1; ; number++ {
		var err error
		line, err = readLine(br, line[:0])
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			if errors.Is(err, steno.ErrTooLarge) {
				return &SourceError{Line: number, Column: MaxLine + 1, Err: err}
			}
			return err
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if column, perr := parseLine(line, &h); perr != nil {
				return &SourceError{Line: number, Column: column, Err: perr}
			}
		}
		if ended {
			return nil
		}
	}
}

// readLine appends the next line to buf. At the end of input it returns what is
// left and io.EOF.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		piece, err := r.ReadSlice('\n')
		buf = append(buf, piece...)
		if len(buf) > MaxLine {
			return buf, fmt.Errorf("line longer than %d bytes: %w", MaxLine, steno.ErrTooLarge)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// loose is a string that may also be given as a number, a boolean or null.
type loose string

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (l *loose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*l = loose(plain(v))
	return nil
}

// plain returns the text of a JSON string, nothing for null, and any other
// value as it is written.
func plain(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		b, _ := jsontext.AppendUnquote(nil, v)
		return string(b)
	case 'n', 0:
		return ""
	}
	return string(v)
}

// sourceLine is a line in either form.
type sourceLine struct {
	Seq     int64          `json:"seq"`
	At      jsontext.Value `json:"at"`
	Type    string         `json:"type"`
	Choice  uint32         `json:"choice"`
	Turn    uint32         `json:"turn"`
	Step    uint32         `json:"step"`
	Attempt uint32         `json:"attempt"`
	Message loose          `json:"message"`
	Part    loose          `json:"part"`
	Block   loose          `json:"block"`
	Call    loose          `json:"call"`
	Name    loose          `json:"name"`
	Text    jsontext.Value `json:"text"`
	Whole   bool           `json:"whole"`
	Body    jsontext.Value `json:"body"`

	ID         loose          `json:"id"`
	Arguments  jsontext.Value `json:"arguments"`
	Result     jsontext.Value `json:"result"`
	IsError    bool           `json:"isError"`
	Outcome    steno.Outcome  `json:"outcome"`
	Queued     bool           `json:"queued"`
	Takes      loose          `json:"takes"`
	By         loose          `json:"by"`
	N          uint32         `json:"n"`
	Retryable  bool           `json:"retryable"`
	StatusCode int            `json:"statusCode"`
	Reason     steno.Finish   `json:"reason"`
	Finish     steno.Finish   `json:"finish"`
	Stop       string         `json:"stop"`
	Provider   string         `json:"provider"`
	Model      string         `json:"model"`
	Usage      jsontext.Value `json:"usage"`
	Stream     string         `json:"stream"`
	Opaque     jsontext.Value `json:"opaque"`
	Kind       string         `json:"kind"`
	Raw        jsontext.Value `json:"raw"`
	What       string         `json:"what"`
	Choose     string         `json:"answer"`
}

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// parseLine emits the events of one line. With an error it returns the column.
func parseLine(line []byte, h *halves) (int, error) {
	var l sourceLine
	if err := json.Unmarshal(line, &l, lenient); err != nil {
		return columnOf(err), err
	}
	e := steno.Event{
		Seq: l.Seq, Type: steno.TypeNamed(l.Type), Choice: l.Choice, Turn: l.Turn, Step: l.Step, Attempt: l.Attempt,
		Message: string(l.Message), Part: string(l.Part), Block: string(l.Block),
		Call: string(l.Call), Name: string(l.Name), Whole: l.Whole,
	}
	e.Text = plain(l.Text)
	at, err := timeOf(l.At)
	if err != nil {
		return 1 + max(0, bytes.Index(line, []byte(`"at"`))), err
	}
	e.At = at
	switch {
	case l.Type == "":
		return 1, errors.New("an event has no type")
	case len(l.Body) > 0 && l.Body.Kind() != 'n':
		err = withBody(&e, &l)
	default:
		l.fill(&e, line)
	}
	if err != nil {
		return 1 + max(0, bytes.Index(line, []byte(`"body"`))), err
	}
	h.event(&e, l.raw())
	l.follow(&e, h.emit)
	return 0, nil
}

// columnOf returns the column of a JSON error.
func columnOf(err error) int {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return int(syntactic.ByteOffset) + 1
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return int(semantic.ByteOffset) + 1
	}
	return 1
}

// timeOf reads a time in milliseconds or in RFC 3339.
func timeOf(v jsontext.Value) (int64, error) {
	switch v.Kind() {
	case 0, 'n':
		return 0, nil
	case '"':
		t, err := time.Parse(time.RFC3339Nano, plain(v))
		if err != nil {
			return 0, fmt.Errorf("at: %w", err)
		}
		return t.UnixMilli(), nil
	}
	var ms float64
	if err := json.Unmarshal(v, &ms); err != nil {
		return 0, fmt.Errorf("at: %w", err)
	}
	return int64(ms), nil
}

// withBody takes the body of the event's own form.
func withBody(e *steno.Event, l *sourceLine) error {
	if e.Type == steno.Unknown {
		e.Body = &steno.Unrecognised{Name: l.Type, Raw: l.Body.Clone()}
		return nil
	}
	b := steno.NewBody(e.Type)
	if b == nil {
		return nil
	}
	if err := json.Unmarshal(l.Body, b, lenient); err != nil {
		return fmt.Errorf("%s: body: %w", l.Type, err)
	}
	e.Body = b
	return nil
}
