package view

import (
	"net/http"

	"github.com/stenolog/steno/slot"
	"github.com/stenolog/steno/transcript"
)

// ServeSnapshot answers the state of a window alone: see docs/protocol.md.
func (l *Live) ServeSnapshot(w http.ResponseWriter, r *http.Request) {
	turns, err := Window(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, data := l.Snapshot(turns)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	// A client that is gone needs no answer.
	_, _ = w.Write(withID(id, data))
}

// Page returns one turn of a transcript that was folded apart, in the form of
// one frame's JSON with the id it is complete to. It costs O(turn).
func Page(branch string, u transcript.Update, turn uint32) []byte {
	w := encoder{buf: appendWindow(append(make([]byte, 0, 4096), '{'), turn)}
	for i := range u.Changes {
		if c := &u.Changes[i]; c.Turn == turn {
			w.insert(c.Collection, newEntry(c, u.Seq), "")
		}
	}
	w.buf = append(w.buf, "]}"...)
	return withID(formatID(branch, u.Seq), w.buf)
}

func withID(id string, data []byte) []byte {
	out := append(make([]byte, 0, len(data)+len(id)+16), `{"id":`...)
	out = slot.AppendString(out, id)
	out = append(out, ',')
	return append(out, data[1:]...)
}
