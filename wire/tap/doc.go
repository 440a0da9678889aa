// Package tap records what a program and a model provider say to each other,
// as it passes: a [Transport] stands between an [net/http.Client] and its
// network and hands a copy of the bytes to a recorder. [Into] makes that a
// recorder of package recorder.
//
// The program notices nothing. It gets the same response, the same bytes and
// the same errors as without a tap, and a recorder that fails is told to
// [Transport.Report] and left alone from then on: the call goes on, what is
// lost is the record of the rest of it.
//
// # Order and back-pressure
//
// Bytes are written to the recorder before the program reads them, so nothing
// is seen that was not recorded first. A recorder that blocks therefore holds
// up the program's Read, and by that, as the connection's buffers fill, the
// provider. Nothing is queued in between; a recorder that wants a queue has
// its own.
//
// # What is handed on
//
// The answer's bytes, with a gzip content encoding undone, the request's body,
// the status, and of addresses and headers only what is on a list of harmless
// ones. Keys, tokens and cookies are never on it, by whatever name a provider
// calls them. What a program writes into a request's body is part of the
// record.
package tap
