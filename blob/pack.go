package blob

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// sampleSize is how much of a blob is looked at to tell whether packing helps.
const sampleSize = 64 << 10

// packer packs single blocks and samples. EncodeAll is safe for concurrent use.
var packer = func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(sampleSize))
	if err != nil {
		panic(err) // the options are constants
	}
	return w
}()

// pack writes all of r to w, packed if the first bytes get smaller by a tenth,
// and reports whether it did.
func pack(w io.Writer, r io.Reader) (packed bool, err error) {
	sample := make([]byte, sampleSize)
	n, err := io.ReadFull(r, sample)
	whole := isShort(err)
	if err != nil && !whole {
		return false, err
	}
	sample = sample[:n]
	small := packer.EncodeAll(sample, nil)
	switch {
	case len(small) >= n-n/10: // also of nothing
		if _, err = w.Write(sample); err == nil && !whole {
			_, err = io.Copy(w, r)
		}
		return false, err
	case whole:
		_, err = w.Write(small)
		return true, err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return false, err
	}
	_, err = io.Copy(z, io.MultiReader(bytes.NewReader(sample), r))
	return true, errors.Join(err, z.Close())
}
