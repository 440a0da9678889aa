// Package steno is the domain of an agent transcript: the events a journal
// keeps, and the messages, parts and chunks they fold into.
//
// The package holds no behaviour beyond encoding. An [Event] is what was
// heard; the journal numbers events and keeps them; package transcript folds
// them. Everything else, views, requests, search, is made from that fold.
//
// The vocabulary: a conversation is a tree of branches; a branch is a journal;
// a turn runs from a user's message to the agent's last word; a step is one
// provider answer within a turn and an attempt one try at a step; a message
// has ordered parts; a chunk is a part as it is stored, sent and shown.
package steno
