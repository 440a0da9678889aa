// Package client speaks to a running server. It implements the same interface
// as the local store, so a command's output does not show which it used.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/stenolog/steno/internal/api"
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
)

// maxErrorBody bounds what is read of an error answer.
const maxErrorBody = 64 << 10

// Client is a server somewhere.
//
// All methods may be called from any goroutine.
type Client struct {
	base  string
	token string
	http  *http.Client
}

var _ api.Store = (*Client)(nil)

// New returns a client of the server at base, such as http://127.0.0.1:7836.
// Answers may take as long as they need; connecting may not.
func New(base, token string) *Client {
	return &Client{
		base:  strings.TrimSuffix(base, "/"),
		token: token,
		http: &http.Client{
			Transport: &http.Transport{
				// No proxy: the server is this machine's or one the user named.
				DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
				TLSHandshakeTimeout: 10 * time.Second,
				IdleConnTimeout:     30 * time.Second,
				ForceAttemptHTTP2:   true,
			},
			// A redirect would carry the token to where nobody meant it to go.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close lets go of idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Base returns the URL of the server.
func (c *Client) Base() string { return c.base }

// do sends a request and returns its answer, or the error the server gave.
func (c *Client) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	res, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, catalogue.Wrap(catalogue.NoServer, c.base+" does not answer", err)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	if res.StatusCode < 400 {
		// The server redirects only from an address that is none, such as that
		// of the conversation "..".
		return nil, catalogue.New(catalogue.NotFound, "no such address")
	}
	data, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	return nil, answerError(res.Status, data)
}

// answerError is the error of an answer. Only code and detail are read: the rest
// comes from the catalogue here, as a server may be of another version.
func answerError(status string, data []byte) error {
	var b api.ErrorBody
	if json.Unmarshal(data, &b) != nil || b.Error.Code == "" {
		return catalogue.New(catalogue.Internal, "the server answered "+status)
	}
	return catalogue.New(b.Error.Code, b.Error.Detail)
}

// call sends in as JSON, if it is not nil, and reads the answer into out, if
// that is not nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in, api.JSON)
		if err != nil {
			return fmt.Errorf("%s %s: encode: %w", method, path, err)
		}
		body = bytes.NewReader(data)
	}
	res, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.UnmarshalRead(res.Body, out, api.JSON); err != nil {
		return fmt.Errorf("%s %s: decode the answer: %w", method, path, err)
	}
	return nil
}

func conversation(id string) string { return "/v1/conversations/" + url.PathEscape(id) }

// List implements api.Conversations.
func (c *Client) List(ctx context.Context) (list []api.Conversation, err error) {
	err = c.call(ctx, "GET", "/v1/conversations", nil, &list)
	return list, err
}

// Create implements api.Conversations.
func (c *Client) Create(ctx context.Context, n api.NewConversation) (*api.Conversation, error) {
	return result[api.Conversation](c, ctx, "POST", "/v1/conversations", n)
}

// Get implements api.Conversations.
func (c *Client) Get(ctx context.Context, id string) (*api.Conversation, error) {
	return result[api.Conversation](c, ctx, "GET", conversation(id), nil)
}

// Delete implements api.Conversations.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", conversation(id), nil, nil)
}

// DeleteDemos implements api.Conversations.
func (c *Client) DeleteDemos(ctx context.Context) (int, error) {
	var d api.Deleted
	err := c.call(ctx, "DELETE", "/v1/demos", nil, &d)
	return d.Deleted, err
}

// Messages implements api.Conversations.
func (c *Client) Messages(ctx context.Context, id string) (*api.Folded, error) {
	return result[api.Folded](c, ctx, "GET", conversation(id)+"/messages", nil)
}

// Record implements api.Recorder. The bytes leave as they are read, so the
// answer is live on the server.
func (c *Client) Record(ctx context.Context, id, format string, r io.Reader) (*api.Recorded, error) {
	body := &notingReader{r: r}
	res, err := c.do(ctx, "POST", conversation(id)+"/record?from="+url.QueryEscape(format), body)
	if err != nil {
		return nil, body.blame(err)
	}
	defer res.Body.Close()
	out := new(api.Recorded)
	if err := json.UnmarshalRead(res.Body, out, api.JSON); err != nil {
		return nil, fmt.Errorf("record: decode the answer: %w", err)
	}
	return out, nil
}

// notingReader notes the error that a read failed by: the transport says of it
// only that the request failed.
type notingReader struct {
	r io.Reader

	mu  sync.Mutex
	err error
}

func (n *notingReader) Read(p []byte) (int, error) {
	count, err := n.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.mu.Lock()
		n.err = err
		n.mu.Unlock()
	}
	return count, err
}

// blame returns the error a request failed by: its body's, if that had one.
func (n *notingReader) blame(err error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return fmt.Errorf("record: %w", n.err)
	}
	return err
}

// Recordings implements api.Player.
func (c *Client) Recordings(ctx context.Context) (list []api.Recording, err error) {
	err = c.call(ctx, "GET", "/v1/play", nil, &list)
	return list, err
}

// Play implements api.Player.
func (c *Client) Play(ctx context.Context, p api.PlayRequest) (*api.Conversation, error) {
	return result[api.Conversation](c, ctx, "POST", "/v1/play", p)
}

// Verify implements api.Store.
func (c *Client) Verify(ctx context.Context) (*api.Report, error) {
	return result[api.Report](c, ctx, "GET", "/v1/verify", nil)
}

// Blob implements api.Store.
func (c *Client) Blob(ctx context.Context, hash string) (io.ReadCloser, error) {
	res, err := c.do(ctx, "GET", "/v1/blobs/"+url.PathEscape(hash), nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Tokens returns the server's tokens.
func (c *Client) Tokens(ctx context.Context) (list []config.Token, err error) {
	err = c.call(ctx, "GET", "/v1/tokens", nil, &list)
	return list, err
}

// AddToken makes a token and returns its secret.
func (c *Client) AddToken(ctx context.Context, name string, scope config.Scope) (string, error) {
	var out api.NewToken
	err := c.call(ctx, "POST", "/v1/tokens", api.NewToken{Name: name, Scope: scope}, &out)
	return out.Secret, err
}

// RevokeToken ends a token and the streams it holds.
func (c *Client) RevokeToken(ctx context.Context, name string) error {
	return c.call(ctx, "DELETE", "/v1/tokens/"+url.PathEscape(name), nil, nil)
}

// SignInLink makes a link that signs a browser in, once.
func (c *Client) SignInLink(ctx context.Context) (string, error) {
	var out api.SignInLink
	err := c.call(ctx, "POST", "/v1/sign-in-links", nil, &out)
	return out.URL, err
}

// Healthy reports whether a server answers and takes the token.
func (c *Client) Healthy(ctx context.Context) error {
	res, err := c.do(ctx, "GET", "/v1/play", nil)
	if err != nil {
		var e *catalogue.Error
		if errors.As(err, &e) && e.Code == catalogue.Scope {
			return nil // it answers; what the token may do each call finds out
		}
		return err
	}
	return res.Body.Close()
}

// result is call for an answer that is one value. Where it is an error there
// is no value.
func result[T any](c *Client, ctx context.Context, method, path string, in any) (*T, error) {
	out := new(T)
	if err := c.call(ctx, method, path, in, out); err != nil {
		return nil, err
	}
	return out, nil
}
