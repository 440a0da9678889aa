package openaichat

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stenolog/steno/wire/internal/raw"
	"github.com/stenolog/steno/wire/internal/scan"
)

// details are the reasoning details of a gateway: the provider's own form of
// the reasoning with its signatures and encrypted data, in pieces. They have
// to come back unchanged with the reasoning, and are never part of its text.
type details struct {
	list  []*grown
	byKey map[string]*grown
}

// add takes the next piece. Pieces of one type and index are one detail,
// unless they have different ids. key is room to work in; it is returned.
func (ds *details) add(piece, key []byte) []byte {
	id := scan.Member(piece, "id")
	key = append(key[:0], scan.Member(piece, "type")...)
	key = append(key, 0)
	key = append(key, scan.Member(piece, "index")...)
	g := ds.byKey[string(key)]
	if g != nil && len(id) > len(`""`) && scan.IsString(id) {
		if had := g.field("id"); scan.IsString(had) && !bytes.Equal(had, id) {
			g = nil
		}
	}
	if g == nil {
		if ds.byKey == nil {
			ds.byKey = make(map[string]*grown)
		}
		g = new(grown)
		ds.byKey[string(key)] = g
		ds.list = append(ds.list, g)
	}
	g.add(piece)
	return key
}

// detailsObject writes details as the member of an object that they were.
func detailsObject(list []*grown) jsontext.Value {
	return append(detailsArray([]byte(`{"reasoning_details":`), list), '}')
}

func detailsArray(dst []byte, list []*grown) []byte {
	dst = append(dst, '[')
	for i, g := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = g.append(dst)
	}
	return append(dst, ']')
}

// grown is an object that came in pieces.
type grown struct {
	fields []member
	byName map[string]int
}

// add takes the next piece of the object: its growing strings go on, anything
// else is replaced by what is not null.
func (g *grown) add(piece []byte) {
	scan.Object(piece, func(name, value []byte) bool {
		g.addMember(name, value)
		return true
	})
}

func (g *grown) addMember(name, value []byte) {
	if scan.IsNull(value) {
		return
	}
	name = validName(name)
	i, known := g.byName[string(name)]
	switch {
	case !known:
		if g.byName == nil {
			g.byName = make(map[string]int)
		}
		g.byName[string(name)] = len(g.fields)
		g.fields = append(g.fields, member{bytes.Clone(name), bytes.Clone(value)})
	case grows(name) && scan.IsString(value) && scan.IsString(g.fields[i].value):
		g.fields[i].value = joinStrings(g.fields[i].value, value)
	default:
		g.fields[i].value = append(g.fields[i].value[:0], value...)
	}
}

func (g *grown) field(name string) []byte {
	if i, known := g.byName[name]; known {
		return g.fields[i].value
	}
	return nil
}

// append writes the object as one valid JSON object.
func (g *grown) append(dst []byte) []byte {
	dst = append(dst, '{')
	for _, f := range g.fields {
		dst = raw.Member(dst, string(f.name), f.value)
	}
	return append(dst, '}')
}

// validName makes a name UTF-8 before it is looked up, so that two that become
// the same are one.
func validName(name []byte) []byte {
	if utf8.Valid(name) {
		return name
	}
	return bytes.ToValidUTF8(name, []byte("\uFFFD"))
}

// grows reports whether the string of this name comes in pieces.
func grows(name []byte) bool {
	switch string(name) {
	case "text", "summary", "data", "signature", "transcript":
		return true
	}
	return false
}
