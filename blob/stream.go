package blob

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/klauspost/compress/zstd"

	"github.com/stenolog/steno"
)

// BlockSize is how many bytes of a stream are packed and synced together: what
// a crash loses at most.
const BlockSize = 64 << 10

// A stream's file is a row of blocks. A block is a zstd frame behind a header
// that zstd readers skip, so the file is also one zstd stream:
//
//	magic     4 bytes  blockMagic, little endian like all that follow
//	length    4 bytes  of the rest of the header: 12
//	plain     4 bytes  length of the block's bytes
//	packed    4 bytes  length of the frame
//	checksum  4 bytes  CRC-32C of the frame
const (
	blockMagic  = 0x184d2a5e // one of zstd's skippable frames
	headerLen   = 20
	maxFrameLen = BlockSize + 1<<10 // what cannot be packed grows a little
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// unpacker unpacks single blocks. DecodeAll is safe for concurrent use.
var unpacker = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*BlockSize))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}()

var streamName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$`)

// Stream is a blob that is still being written, such as a provider's answer
// while it comes. Its hash is not known before its end, so it has a name of the
// caller's until Seal gives it its own. It survives a crash but for the bytes
// since the last whole block or Sync.
//
// After an error of Write or Sync the stream must be closed; opened again it
// has what was on disk.
type Stream struct {
	store  *Store
	path   string
	file   file
	digest hash.Hash
	size   int64
	block  []byte
	frame  []byte
	err    error
}

// Stream opens the stream with a name, of at most 128 letters, digits, '.', '_'
// and '-' and not beginning with '.', and makes it if there is none. What a
// crash has torn off its last block is cut; damage before that is
// [steno.ErrCorrupt].
func (s *Store) Stream(name string) (*Stream, error) {
	if !streamName.MatchString(name) {
		return nil, fmt.Errorf("open stream: %q is no name: %w", name, steno.ErrNotFound)
	}
	w, err := s.openStream(filepath.Join(s.root, openDir, name))
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", name, err)
	}
	return w, nil
}

func (s *Store) openStream(path string) (*Stream, error) {
	dir := filepath.Dir(path)
	if err := s.disk.MkdirAll(dir); err != nil {
		return nil, err
	}
	f, err := s.disk.OpenFile(path)
	if err != nil {
		return nil, err
	}
	w := &Stream{store: s, path: path, file: f, digest: sha256.New(), block: make([]byte, 0, BlockSize)}
	if err := errors.Join(w.recover(), s.disk.SyncDir(dir)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Streams returns the names of the streams that were not sealed: those that are
// open now and those that a crash has left.
func (s *Store) Streams() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.root, openDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list streams: %w", err)
	}
	var names []string
	for _, e := range entries {
		if streamName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// recover reads the blocks that are there and cuts what is behind the last.
func (w *Stream) recover() error {
	end := int64(0)
	for {
		n, plain, err := w.readBlock()
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		end += n
		w.size += int64(len(plain))
		w.digest.Write(plain)
	}
	rest, err := w.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if rest-end > headerLen+maxFrameLen {
		return fmt.Errorf("block at byte %d: %w", end, steno.ErrCorrupt) // more than a torn tail
	}
	if rest > end {
		if err := w.file.Truncate(end); err != nil {
			return err
		}
	}
	_, err = w.file.Seek(end, io.SeekStart)
	return err
}

// readBlock reads the next block and returns its length in the file, 0 if there
// is no whole one.
func (w *Stream) readBlock() (n int64, plain []byte, err error) {
	var header [headerLen]byte
	if err := readFull(w.file, header[:]); err != nil {
		return 0, nil, ignoreShort(err)
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(header[4*i:]) }
	size := field(3)
	if field(0) != blockMagic || field(1) != headerLen-8 || field(2) > BlockSize || size > maxFrameLen {
		return 0, nil, nil
	}
	frame := make([]byte, size)
	if err := readFull(w.file, frame); err != nil {
		return 0, nil, ignoreShort(err)
	}
	if crc32.Checksum(frame, castagnoli) != field(4) {
		return 0, nil, nil
	}
	if plain, err = unpacker.DecodeAll(frame, nil); err != nil || len(plain) != int(field(2)) {
		return 0, nil, nil //nolint:nilerr // a block that cannot be unpacked is no whole one
	}
	return headerLen + int64(size), plain, nil
}

func readFull(r io.Reader, p []byte) error {
	_, err := io.ReadFull(r, p)
	return err
}

func ignoreShort(err error) error {
	if isShort(err) {
		return nil
	}
	return err
}

// isShort reports whether a read ended because there was no more.
func isShort(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// Size returns how many bytes the stream has.
func (w *Stream) Size() int64 { return w.size + int64(len(w.block)) }

// Write appends p. It returns when all whole blocks are on disk.
func (w *Stream) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 && w.err == nil {
		n := min(len(p), BlockSize-len(w.block))
		w.block = append(w.block, p[:n]...)
		p = p[n:]
		written += n
		if len(w.block) == BlockSize {
			if err := w.Sync(); err != nil {
				return written, err
			}
		}
	}
	return written, w.err
}

// Sync makes all bytes so far durable, in a block that may be short.
func (w *Stream) Sync() error {
	if w.err != nil || len(w.block) == 0 {
		return w.err
	}
	w.frame = packer.EncodeAll(w.block, append(w.frame[:0], make([]byte, headerLen)...))
	frame := w.frame[headerLen:]
	for i, v := range [...]uint32{
		blockMagic, headerLen - 8, uint32(len(w.block)), uint32(len(frame)), crc32.Checksum(frame, castagnoli),
	} {
		binary.LittleEndian.PutUint32(w.frame[4*i:], v)
	}
	_, err := w.file.Write(w.frame)
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.err = fmt.Errorf("write stream %s: %w", filepath.Base(w.path), err)
		return w.err
	}
	w.digest.Write(w.block)
	w.size += int64(len(w.block))
	w.block = w.block[:0]
	return nil
}

// Seal ends the stream: its bytes become a blob, whose name is returned, and
// the stream is closed and its name free. If it returns an error the stream is
// closed; under its name is what was on disk, or nothing if only the sync of
// its new name failed.
func (w *Stream) Seal(ctx context.Context) (name string, err error) {
	err = errors.Join(ctx.Err(), w.Sync())
	if err = errors.Join(err, w.Close()); err != nil {
		return "", fmt.Errorf("seal stream %s: %w", filepath.Base(w.path), err)
	}
	name = hex.EncodeToString(w.digest.Sum(nil))
	if err := w.store.settle(w.path, name, true); err != nil {
		return "", fmt.Errorf("seal stream %s: %w", filepath.Base(w.path), err)
	}
	return name, nil
}

// Close leaves the stream as it is, to be opened again. Bytes since the last
// whole block are kept if they can be.
func (w *Stream) Close() error {
	if errors.Is(w.err, steno.ErrClosed) {
		return nil
	}
	broken := w.err != nil
	err := w.Sync()
	if broken {
		err = nil // it was returned before
	}
	w.err = fmt.Errorf("stream %s: %w", filepath.Base(w.path), steno.ErrClosed)
	return errors.Join(err, w.file.Close())
}

// Discard closes the stream and forgets its bytes.
func (w *Stream) Discard() error {
	w.block = w.block[:0]
	return errors.Join(w.Close(), w.store.disk.Remove(w.path))
}
