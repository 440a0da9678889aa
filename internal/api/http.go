package api

import (
	"github.com/stenolog/steno/internal/catalogue"
	"github.com/stenolog/steno/internal/config"
)

// What follows crosses HTTP and nothing else: server and client read and write
// the same values.

// ErrorBody is the JSON form of an error, as an answer and as the last line of
// a stream.
type ErrorBody struct {
	Error ErrorFields `json:"error"`
}

// ErrorFields is an entry of the catalogue with its detail.
type ErrorFields struct {
	Code    catalogue.Code `json:"code"`
	What    string         `json:"what"`
	Means   string         `json:"means"`
	Do      string         `json:"do"`
	Detail  string         `json:"detail,omitzero"`
	Request string         `json:"request,omitzero"`
}

// Deleted is the answer to DELETE /v1/demos.
type Deleted struct {
	Deleted int `json:"deleted"`
}

// NewToken is the body of POST /v1/tokens and, with the secret, its answer.
type NewToken struct {
	Name   string       `json:"name"`
	Scope  config.Scope `json:"scope"`
	Secret string       `json:"secret,omitzero"`
}

// SignInLink is the answer to POST /v1/sign-in-links.
type SignInLink struct {
	URL     string `json:"url"`
	Expires int64  `json:"expires"` // milliseconds since the Unix epoch
}
