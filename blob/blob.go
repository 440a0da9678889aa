// Package blob keeps bytes under the hash of their content: files, large tool
// results, and provider answers exactly as they came.
//
// What Put or Seal has named is on disk when they return, so an event may name
// it. A blob is never changed, only made and deleted. What a reader gets was
// checked against its name.
//
// # Concurrency
//
// A [Store] may be used from any goroutine and its blobs read by any process.
// One process at a time writes: the owner of the journals that name the blobs.
// A [Stream] and a [Reader] belong to one goroutine each.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/stenolog/steno"
)

const (
	packedExt = ".zst"   // a packed blob is a zstd stream, a plain one has no extension
	tempDir   = "temp"   // files that have no name yet
	openDir   = "stream" // streams that are not sealed
	dirMode   = 0o700
	fileMode  = 0o600
)

// Store is a directory of blobs.
type Store struct {
	root string
	disk disk
	tidy sync.Once
}

// New returns the store in the directory root. Nothing is made before the first
// write. Files are for their owner only.
func New(root string) *Store { return &Store{root: root, disk: osDisk{}} }

// Put stores all that r gives and returns the SHA-256 of it in hexadecimal, the
// blob's name from then on. It is packed if that makes it smaller. Memory does
// not grow with its length. On an error, r's included, nothing was stored.
func (s *Store) Put(ctx context.Context, r io.Reader) (name string, err error) {
	name, err = s.put(ctx, r)
	if err != nil {
		return "", fmt.Errorf("put blob: %w", err)
	}
	return name, nil
}

func (s *Store) put(ctx context.Context, r io.Reader) (string, error) {
	f, path, err := s.temp()
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	packed, err := pack(f, io.TeeReader(contextReader{ctx, r}, digest))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, s.disk.Remove(path))
	}
	name := hex.EncodeToString(digest.Sum(nil))
	if err := s.settle(path, name, packed); err != nil {
		return "", errors.Join(err, ignoreMissing(s.disk.Remove(path)))
	}
	return name, nil
}

// temp makes an empty file to write to. Before the first one it removes those
// that a killed process has left.
func (s *Store) temp() (file, string, error) {
	dir := filepath.Join(s.root, tempDir)
	s.tidy.Do(func() { _ = os.RemoveAll(dir) }) // what stays costs space only
	if err := s.disk.MkdirAll(dir); err != nil {
		return nil, "", err
	}
	return s.disk.CreateTemp(dir)
}

// settle gives the file at path its name, for good.
func (s *Store) settle(path, name string, packed bool) error {
	target := s.path(name, packed)
	dir := filepath.Dir(target)
	if err := s.disk.MkdirAll(dir); err != nil {
		return err
	}
	if err := s.disk.Rename(path, target); err != nil {
		return err
	}
	// The name must survive a power cut too, and that of the directory.
	return errors.Join(s.disk.SyncDir(dir), s.disk.SyncDir(s.root))
}

func (s *Store) path(name string, packed bool) string {
	path := filepath.Join(s.root, name[:2], name)
	if packed {
		path += packedExt
	}
	return path
}

// checkName makes sure that a name is one, so that no name leads elsewhere.
func checkName(name string) error {
	if len(name) != sha256.Size*2 || strings.Trim(name, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is no hash: %w", name, steno.ErrNotFound)
	}
	return nil
}

// Get opens a blob. The caller closes it. It returns [steno.ErrNotFound] if
// there is none of that name.
func (s *Store) Get(ctx context.Context, name string) (*Reader, error) {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	for _, packed := range []bool{true, false} {
		f, err := os.Open(s.path(name, packed))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get blob %s: %w", name, err)
		}
		return newReader(ctx, f, name, packed)
	}
	return nil, fmt.Errorf("get blob %s: %w", name, steno.ErrNotFound)
}

// Delete removes a blob. It returns [steno.ErrNotFound] if there is none of
// that name.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	found := false
	for _, packed := range []bool{true, false} {
		err := s.disk.Remove(s.path(name, packed))
		if err == nil {
			found = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete blob %s: %w", name, err)
		}
	}
	if !found {
		return fmt.Errorf("delete blob %s: %w", name, steno.ErrNotFound)
	}
	return nil
}

// Reader reads a blob and checks it on the way: where its bytes turn out not to
// be what its name says, Read returns [steno.ErrCorrupt] in the place of
// [io.EOF]. Who must not act on damaged bytes reads to the end first.
type Reader struct {
	name   string
	file   *os.File
	unpack *zstd.Decoder // nil for a plain blob
	in     io.Reader
	digest hash.Hash
}

func newReader(ctx context.Context, f *os.File, name string, packed bool) (*Reader, error) {
	r := &Reader{name: name, file: f, digest: sha256.New()}
	r.in = contextReader{ctx, f}
	if packed {
		d, err := zstd.NewReader(r.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		r.unpack, r.in = d, d
	}
	return r, nil
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.digest.Write(p[:n])
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		if hex.EncodeToString(r.digest.Sum(nil)) == r.name {
			return n, io.EOF
		}
		err = errors.New("its bytes are not those of its name")
	case r.unpack == nil, isOfSystem(err):
		return n, fmt.Errorf("read blob %s: %w", r.name, err)
	}
	return n, fmt.Errorf("read blob %s: %w: %w", r.name, steno.ErrCorrupt, err)
}

// Close implements [io.Closer].
func (r *Reader) Close() error {
	if r.unpack != nil {
		r.unpack.Close()
	}
	return r.file.Close()
}

// isOfSystem tells a failing disk, or a reader that was told to stop, from
// bytes that cannot be unpacked.
func isOfSystem(err error) bool {
	var pathErr *fs.PathError
	return errors.As(err, &pathErr) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
