package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
)

// Info is what a running server leaves in its data directory, in server.json,
// for the commands on this machine.
type Info struct {
	PID     int    `json:"pid"`
	Address string `json:"address"` // HOST:PORT
	Token   string `json:"token"`   // admin, for as long as this server runs
}

func infoPath(dir string) string { return filepath.Join(dir, "server.json") }

// WriteInfo leaves the file, mode 0600.
func WriteInfo(dir string, i Info) error {
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return config.WriteFile(infoPath(dir), append(data, '\n'))
}

// ReadInfo reads the file a server left; [fs.ErrNotExist] if there is none.
func ReadInfo(dir string) (Info, error) {
	data, err := config.ReadFile(infoPath(dir))
	if err != nil {
		return Info{}, err
	}
	var i Info
	if err := json.Unmarshal(data, &i); err != nil {
		return Info{}, fmt.Errorf("%s: %w", infoPath(dir), err)
	}
	return i, nil
}

// RemoveInfo removes the file if the process pid left it.
func RemoveInfo(dir string, pid int) error {
	if i, err := ReadInfo(dir); err == nil && i.PID == pid {
		return os.Remove(infoPath(dir))
	}
	return nil
}

// findTimeout is how long a server may take to say that it is there.
const findTimeout = 3 * time.Second

// Find returns a client of the server that serves dir, or nil if none does: no
// file, one a killed server left, or an address at which nobody answers to its
// token. A server that holds the lock and does not answer, or that answers but is too busy is an error, not nothing: its
// store must not be opened behind its back. The client uses token instead of
// the server's own if it is not "".
func Find(ctx context.Context, dir, token string) (*Client, error) {
	i, err := ReadInfo(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if err != nil || i.Address == "" {
		return nil, nil
	}
	c := New("http://"+i.Address, i.Token)
	probe, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	err = c.Healthy(probe)
	if err == nil {
		if token != "" {
			c.token = token
		}
		return c, nil
	}
	_ = c.Close()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if probe.Err() != nil {
		return nil, silent(ctx, dir, i.Address, err)
	}
	var e *catalogue.Error
	if errors.As(err, &e) {
		switch e.Code {
		case catalogue.NoServer, catalogue.SignedOut, catalogue.NotFound, catalogue.Internal, catalogue.HostRefused:
			return nil, nil // nobody, or another program at a port that was ours
		}
	}
	return nil, err
}

// silent says what it means that the address a server left takes connections
// and answers nothing: a server that holds its lock is stuck or stopped, else
// another program sits at a port that was ours.
func silent(ctx context.Context, dir, address string, err error) error {
	lock, lockErr := config.Acquire(ctx, dir, 0)
	if lockErr == nil {
		return lock.Close()
	}
	return catalogue.Wrap(catalogue.Overload, "the server at "+address+" does not answer", errors.Join(err, lockErr))
}
