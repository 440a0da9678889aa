package sse

import (
	"bytes"
	"errors"
	"strconv"
	"time"
)

// ErrLine is returned for a field that cannot stand on one line. A CR and an
// LF would come back alike, or forge a field, so a payload is written as one
// line of JSON.
var ErrLine = errors.New("server-sent event field is not one line")

// Append appends e to dst as one event and returns the longer slice. Name and
// id are written if they are not empty; an id stays in force for the events
// after it. On an error dst is returned as it was.
//
// Data, name and id must hold neither CR nor LF, the id no NUL; else the error
// is [ErrLine].
func Append(dst []byte, e Event) ([]byte, error) {
	if !oneLine(e.Data) || !oneLine(e.Name) || !oneLine(e.ID) || bytes.IndexByte(e.ID, 0) >= 0 {
		return dst, ErrLine
	}
	if len(e.ID) > 0 {
		dst = appendField(dst, "id: ", e.ID)
	}
	if len(e.Name) > 0 {
		dst = appendField(dst, "event: ", e.Name)
	}
	dst = appendField(dst, "data: ", e.Data)
	return append(dst, '\n'), nil
}

// AppendComment appends a comment, which a reader ignores: it keeps a
// connection alive. Line ends in text become spaces.
func AppendComment(dst []byte, text string) []byte {
	dst = append(dst, ": "...)
	start := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[start:] {
		if c == '\n' || c == '\r' {
			dst[start+i] = ' '
		}
	}
	return append(dst, "\n\n"...)
}

// AppendRetry appends the pause a reader is asked to make before it connects
// again, in whole milliseconds.
func AppendRetry(dst []byte, d time.Duration) []byte {
	dst = append(dst, "retry: "...)
	dst = strconv.AppendInt(dst, max(d.Milliseconds(), 0), 10)
	return append(dst, "\n\n"...)
}

func appendField(dst []byte, name string, value []byte) []byte {
	dst = append(dst, name...)
	dst = append(dst, value...)
	return append(dst, '\n')
}

func oneLine(p []byte) bool {
	return bytes.IndexByte(p, '\n') < 0 && bytes.IndexByte(p, '\r') < 0
}
