package catalogue

import "net/http"

// The codes.
const (
	Usage         Code = "usage"
	BadConfig     Code = "bad-config"
	BadRequest    Code = "bad-request"
	BadInput      Code = "bad-input"
	EmptyInput    Code = "empty-input"
	NotFound      Code = "not-found"
	Conflict      Code = "conflict"
	Changing      Code = "changing"
	Gap           Code = "gap"
	Closed        Code = "closed"
	TooLarge      Code = "too-large"
	Unsupported   Code = "unsupported"
	Incomplete    Code = "incomplete"
	Corrupt       Code = "corrupt"
	Damaged       Code = "damaged"
	Running       Code = "already-running"
	PortInUse     Code = "port-in-use"
	NoServer      Code = "no-server"
	Locked        Code = "locked"
	OpenToOthers  Code = "open-to-others"
	SignedOut     Code = "signed-out"
	Scope         Code = "scope"
	BadCode       Code = "bad-code"
	HostRefused   Code = "host-refused"
	OriginRefused Code = "origin-refused"
	RateLimit     Code = "rate-limit"
	StreamLimit   Code = "stream-limit"
	Overload      Code = "overload"
	Draining      Code = "draining"
	DiskFull      Code = "disk-full"
	ReadOnly      Code = "read-only"
	WrongPath     Code = "wrong-path"
	BadOwnFile    Code = "bad-own-file"
	Interrupted   Code = "interrupted"
	Unavailable   Code = "unavailable"
	Internal      Code = "internal"
)

// statusClientClosed is what proxies log for a request its client gave up.
const statusClientClosed = 499

var entries = []Entry{
	{
		Usage, http.StatusBadRequest, ExitUsage, "the command cannot be understood",
		"A flag or an argument is missing, unknown or has a wrong value.",
		"Run the command with --help.",
	},
	{
		BadConfig, http.StatusInternalServerError, ExitUsage, "a setting has a wrong value",
		"The named flag, variable or line of the config file cannot be used.",
		"Correct it; `steno config show` gives every value and where it came from.",
	},
	{
		BadRequest, http.StatusBadRequest, ExitUsage, "the request cannot be understood",
		"A parameter or the body is missing or malformed.",
		"Compare the request with docs/api.md.",
	},
	{
		BadInput, http.StatusUnprocessableEntity, ExitFailure, "the input cannot be read",
		"It is not in the form it should be at the place named.",
		"Correct it there, or leave that line out.",
	},
	{
		EmptyInput, http.StatusUnprocessableEntity, ExitFailure, "there is nothing to record",
		"The input is empty.",
		"Look at what should have written it: a command in a pipe may have failed.",
	},
	{
		NotFound, http.StatusNotFound, ExitNotFound, "not found",
		"There is nothing of this name here.",
		"`steno list` gives what there is.",
	},
	{
		Conflict, http.StatusConflict, ExitFailure, "somebody else wrote first",
		"What was to be changed is not what it was when it was read.",
		"Read it again and repeat.",
	},
	{
		Changing, http.StatusConflict, ExitFailure, "this can still change",
		"A page is given out only when its turn is over.",
		"Read the snapshot, which holds it.",
	},
	{
		Gap, http.StatusConflict, ExitFailure, "a position does not follow the one before it",
		"Events are missing or came twice.",
		"Run `steno verify`.",
	},
	{
		Closed, http.StatusServiceUnavailable, ExitFailure, "it was closed meanwhile",
		"The conversation or the store was closed while it was used.",
		"Repeat the command.",
	},
	{
		TooLarge, http.StatusRequestEntityTooLarge, ExitFailure, "too large",
		"The input is above the stated limit; nothing of the part above it was kept.",
		"Send less at once.",
	},
	{
		Unsupported, http.StatusUnprocessableEntity, ExitFailure, "not supported by this build",
		"The format is unknown, or the store was written by a newer steno. Nothing was touched.",
		"Use a newer steno, or name another format with --from.",
	},
	{
		Incomplete, http.StatusUnprocessableEntity, ExitFailure, "the input ended in the middle",
		"What came before the end was kept.",
		"Send the rest, or accept what there is.",
	},
	{
		Corrupt, http.StatusInternalServerError, ExitFailure, "stored bytes fail their check",
		"The conversation is damaged on disk. What stands before the damage can be read; it refuses writes.",
		"Run `steno verify` and restore the file from a backup; other conversations are not touched.",
	},
	{
		Damaged, http.StatusOK, ExitFailure, "damage was found",
		"At least one conversation fails its check; the report names it and the place.",
		"Restore the store from a backup; the conversations not named are sound.",
	},
	{
		Running, http.StatusConflict, ExitRunning, "already running",
		"Another steno serves this store; a store has one owner.",
		"Use the one that runs (`steno open`), stop it, or give another --data.",
	},
	{
		PortInUse, http.StatusServiceUnavailable, ExitFailure, "the address is in use",
		"Another program listens there. steno does not move by itself, because clients point at its address.",
		"Stop that program, or choose another address with --listen HOST:PORT.",
	},
	{
		NoServer, http.StatusServiceUnavailable, ExitFailure, "no server is running",
		"This command needs one, and none answers for this store.",
		"Start it with `steno serve`.",
	},
	{
		Locked, http.StatusServiceUnavailable, ExitFailure, "the store is locked",
		"Another steno command is writing to it.",
		"Wait until it has ended and repeat.",
	},
	{
		OpenToOthers, http.StatusInternalServerError, ExitFailure, "other users could read this directory",
		"steno keeps its data where only its owner can read it, and does not change a directory that holds other things.",
		"Run chmod 700 on it, or choose another directory with --data.",
	},
	{
		SignedOut, http.StatusUnauthorized, ExitFailure, "not signed in",
		"The request carried no token or cookie, or one that is not valid any more.",
		"Run `steno open` for a new sign-in link, or send `Authorization: Bearer TOKEN` (`steno token add`).",
	},
	{
		Scope, http.StatusForbidden, ExitFailure, "the token's scope does not allow this",
		"Tokens are read, write, ingest or admin, and may do only that.",
		"Make one with the scope named: `steno token add NAME --scope SCOPE`.",
	},
	{
		BadCode, http.StatusForbidden, ExitFailure, "the sign-in link is not valid any more",
		"A link works once and for 10 minutes.",
		"Run `steno open` for a new one.",
	},
	{
		HostRefused, http.StatusForbidden, ExitFailure, "this host name is not allowed",
		"The server answers only to names it was told, so that a web page cannot reach it under a name of its own.",
		"Start it with --allow-host NAME, or with --public-url URL if it stands behind a proxy.",
	},
	{
		OriginRefused, http.StatusForbidden, ExitFailure, "requests from this web page are not allowed",
		"The page that sent the request does not belong to this server.",
		"If it is served under another name, start steno with --allow-host NAME or --public-url URL.",
	},
	{
		RateLimit, http.StatusTooManyRequests, ExitFailure, "too many requests",
		"More came in a second than the stated limit.",
		"Wait as long as Retry-After says and repeat.",
	},
	{
		StreamLimit, http.StatusTooManyRequests, ExitFailure, "too many open streams",
		"This token or cookie holds as many streams as it may.",
		"Close one.",
	},
	{
		Overload, http.StatusServiceUnavailable, ExitFailure, "the server is busy",
		"It works on as many requests as it may at once.",
		"Wait as long as Retry-After says and repeat.",
	},
	{
		Draining, http.StatusServiceUnavailable, ExitFailure, "the server is shutting down",
		"It takes no new requests; nothing that was recorded is lost.",
		"Repeat when it runs again.",
	},
	{
		DiskFull, http.StatusInsufficientStorage, ExitFailure, "the disk is full",
		"Nothing more can be recorded; what is stored can be read.",
		"Make space and repeat.",
	},
	{
		ReadOnly, http.StatusInternalServerError, ExitFailure, "a file or directory cannot be written",
		"Its permissions, or those of the disk, do not allow it; what is stored can be read.",
		"Correct the permissions, or choose another directory with --data.",
	},
	{
		WrongPath, http.StatusInternalServerError, ExitFailure, "a path names the wrong kind of thing",
		"There is a directory where a file is needed, or a file where a directory is.",
		"Correct the path: --data takes a directory, --config and what is read are files.",
	},
	{
		BadOwnFile, http.StatusInternalServerError, ExitFailure, "a file of steno's own cannot be understood",
		"Its content is not what steno wrote: it was changed or damaged. No conversation is touched by that.",
		"Restore it from a backup, or move it away and make anew what it held (tokens, sign-ins).",
	},
	{
		Interrupted, statusClientClosed, ExitInterrupted, "interrupted",
		"What was recorded until then is kept.",
		"Repeat the command if it was not meant to stop.",
	},
	{
		Unavailable, http.StatusNotImplemented, ExitFailure, "not available in this build",
		"This steno was built without what the command needs.",
		"Use a released build.",
	},
	{
		Internal, http.StatusInternalServerError, ExitFailure, "something went wrong inside steno",
		"This is a fault of steno or of the machine, not of the request.",
		"See the server's log for the request id; if it happens again, report it with `steno version`.",
	},
}
