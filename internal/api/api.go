// Package api is what the program can do with a store, as one interface and
// the plain values that cross it. The server serves it, the client speaks it
// over HTTP and the local store implements it, so a command does not know, and
// its output does not show, which of the two it uses.
package api

import (
	"context"
	"io"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno"
	"github.com/stenolog/steno/transcript"
)

// JSON are the options every value of this package is written and read with.
// In it stands JSON that providers and tools sent: what is sloppy there, a name
// given twice or a broken character, must not keep the rest from being seen, and
// an escape that nobody needs comes out as it was.
var JSON = json.JoinOptions(
	jsontext.PreserveRawStrings(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	json.Deterministic(true),
)

// Store is an open store of conversations.
//
// Every method may be called from any goroutine. Errors match the sentinels of
// the root package; ids that name nothing give [steno.ErrNotFound].
type Store interface {
	Conversations
	Recorder
	Player
	// Verify reads every journal and checks it. Damage is not an error but
	// stands in the report.
	Verify(ctx context.Context) (*Report, error)
	// Blob opens the bytes with a hash. The caller closes it.
	Blob(ctx context.Context, hash string) (io.ReadCloser, error)
}

// Conversations is the list and its members.
type Conversations interface {
	// List returns every conversation, the one changed last first.
	List(ctx context.Context) ([]Conversation, error)
	// Create makes an empty conversation.
	Create(ctx context.Context, c NewConversation) (*Conversation, error)
	// Get returns one.
	Get(ctx context.Context, id string) (*Conversation, error)
	// Delete removes one with all its branches.
	Delete(ctx context.Context, id string) error
	// DeleteDemos removes the conversations the player made and returns how
	// many there were.
	DeleteDemos(ctx context.Context) (int, error)
	// Messages returns the fold of a conversation's selected branch.
	Messages(ctx context.Context, id string) (*Folded, error)
	// Events yields the events of the selected branch after seq after. With
	// follow it goes on with those that come until ctx ends. The event is
	// borrowed until the next is asked for; an error is terminal.
	Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[*steno.Event, error]
	// Changes tells of every change of the list until ctx ends, and then
	// closes the channel. A reader that lags misses no conversation's last
	// state, but may miss states in between.
	Changes(ctx context.Context) <-chan Change
}

// Recorder takes recorded answers in.
type Recorder interface {
	// Record appends one provider answer to a conversation, live, as it is
	// read from r, and returns when all of it is durable. What came before an
	// error of r is kept.
	Record(ctx context.Context, id, format string, r io.Reader) (*Recorded, error)
}

// Player feeds recorded answers through the same path as a live one.
type Player interface {
	// Recordings returns the built-in ones.
	Recordings(ctx context.Context) ([]Recording, error)
	// Play starts a demo conversation and returns it; with Wait it returns
	// when all was played.
	Play(ctx context.Context, p PlayRequest) (*Conversation, error)
}

// Conversation describes one conversation.
type Conversation struct {
	ID        string `json:"id"`
	Title     string `json:"title,omitzero"`
	Model     string `json:"model,omitzero"`
	Directory string `json:"directory,omitzero"`
	// Branch is the selected branch, Head its last seq.
	Branch string `json:"branch,omitzero"`
	Head   int64  `json:"head"`
	// Created and Updated are in milliseconds since the Unix epoch.
	Created int64 `json:"created"`
	Updated int64 `json:"updated"`
	// Turns is how many turns there are.
	Turns int `json:"turns,omitzero"`
	// Bytes is what it takes in the store.
	Bytes   int64 `json:"bytes,omitzero"`
	Running bool  `json:"running,omitzero"`
	Demo    bool  `json:"demo,omitzero"`
	Pin     bool  `json:"pin,omitzero"`
	Archive bool  `json:"archive,omitzero"`
	// Damaged says that it refuses writes.
	Damaged bool `json:"damaged,omitzero"`
}

// NewConversation is what a conversation is made with.
type NewConversation struct {
	Title     string `json:"title,omitzero"`
	Model     string `json:"model,omitzero"`
	Directory string `json:"directory,omitzero"`
}

// Change says that the list changed. Conversation is nil when it was deleted.
type Change struct {
	ID           string        `json:"id"`
	Conversation *Conversation `json:"conversation,omitzero"`
}

// Folded is the fold of a branch, in the form `steno fold` prints.
type Folded = transcript.FoldReport

// Message is one folded message.
type Message = transcript.FoldMessage

// Recorded is what became of a recorded answer.
type Recorded struct {
	Conversation string `json:"conversation"`
	Format       string `json:"format"`
	// First and Last are the seqs of its first and last event.
	First  int64        `json:"first"`
	Last   int64        `json:"last"`
	Bytes  int64        `json:"bytes"`
	Finish steno.Finish `json:"finish,omitzero"`
	// Errors holds the messages of the first error events in it, Failures
	// counts them all.
	Errors   []string `json:"errors,omitzero"`
	Failures int      `json:"failures,omitzero"`
}

// Recording is one of the built-in ones.
type Recording struct {
	Name   string `json:"name"`
	Format string `json:"format,omitzero"`
	Title  string `json:"title"`
	About  string `json:"about,omitzero"`
}

// PlayRequest says what to play: the named built-in recordings, the files, or
// where both are empty every built-in one.
type PlayRequest struct {
	Names []string   `json:"names,omitzero"`
	Files []PlayFile `json:"files,omitzero"`
	// Speed multiplies the pace of the timing file; 0 is 1.
	Speed float64 `json:"speed,omitzero"`
	// Wait says to return only when all was played.
	Wait bool `json:"wait,omitzero"`
}

// PlayFile is a recorded answer of the user's.
type PlayFile struct {
	Name   string `json:"name"`
	Format string `json:"format,omitzero"` // "" or "auto" guesses
	Data   []byte `json:"data"`
	// Timing is the content of the timing file beside it, if there is one.
	Timing []byte `json:"timing,omitzero"`
}

// Report is what Verify found.
type Report struct {
	Branches []BranchReport `json:"branches"`
	Events   int64          `json:"events"`
	Bytes    int64          `json:"bytes"`
	// Damaged counts the branches with damage.
	Damaged int `json:"damaged"`
}

// BranchReport is what Verify found in one branch.
type BranchReport struct {
	Conversation string `json:"conversation,omitzero"`
	Branch       string `json:"branch"`
	Events       int64  `json:"events"`
	Bytes        int64  `json:"bytes"`
	// Damage says what is wrong, "" if nothing is; At is the seq of the first
	// event that cannot be read.
	Damage string `json:"damage,omitzero"`
	At     int64  `json:"at,omitzero"`
}
