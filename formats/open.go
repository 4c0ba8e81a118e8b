package formats

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip" // a quarter faster than the standard library's
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// maxWindow bounds the memory that the header of a zstd or xz file can ask for:
// it is what xz -9 takes, and eight times what zstd -19 does.
const maxWindow = 64 << 20

// sniff is how much of a file's start decides what it is: the tag of a tar
// archive ends there.
const sniff = 262

// opened is a stream of text or of a tar archive, decompressed.
type opened struct {
	*bufio.Reader
	tar   bool
	close func()
}

// open looks at the first bytes of r and decompresses accordingly.
func open(r io.Reader) (*opened, error) {
	raw := &watched{r: r}
	br := bufio.NewReaderSize(raw, 64<<10)
	o := &opened{Reader: br, close: func() {}}
	head, _ := br.Peek(sniff)
	var err error
	var plain io.Reader
	var what string
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		what = "gzip"
		plain, err = gzip.NewReader(br)
	case bytes.HasPrefix(head, []byte("BZh")):
		what = "bzip2"
		plain = bzip2.NewReader(br)
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		what = "zstd"
		var d *zstd.Decoder
		if d, err = zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			plain, o.close = d, d.Close
		}
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		what = "xz"
		if err = checkXZ(head); err == nil {
			plain, err = xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(br)
		}
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return nil, &ParseError{Class: ClassEncoding, Expected: "expected text, found a zip archive (unpack it)"}
	}
	if what != "" {
		d := &decompressed{r: plain, raw: raw, what: what}
		if err != nil {
			return nil, d.wrap(err)
		}
		o.Reader = bufio.NewReaderSize(d, 64<<10)
		head, _ = o.Peek(sniff)
	}
	o.tar = len(head) == sniff && string(head[sniff-5:]) == "ustar"
	return o, nil
}

// checkXZ refuses a dictionary so large that the decompressor, which allocates it
// at once, would take more than maxWindow. It sees the first block; the tools that
// write xz use one size throughout.
func checkXZ(head []byte) error {
	h := append(bytes.Clone(head), make([]byte, 64)...)
	// After the stream header of 12 bytes: the size of the block header, flags that
	// say which of two optional sizes follow, the filter's identity, length, property.
	p := 14
	for flags := h[13] >> 6; flags != 0; flags &= flags - 1 {
		for ; p < 40 && h[p] >= 0x80; p++ {
		}
		p++
	}
	if h[p] == 0x21 && h[p+1] == 1 {
		if n, err := lzma.DecodeDictCap(h[p+2]); err == nil && n > maxWindow {
			return fmt.Errorf("its dictionary of %d bytes exceeds %d", n, maxWindow)
		}
	}
	return nil
}

// watched remembers an error of the caller's reader, which is no fault of the
// file, however the decompressor words it; and the last bytes, padding aside.
type watched struct {
	r    io.Reader
	err  error
	last [2]byte
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	for _, c := range bytes.TrimRight(p[max(0, n-64):n], "\x00") {
		w.last = [2]byte{w.last[1], c}
	}
	return n, err
}

// decompressed gives the decompressor's errors the class compress.
type decompressed struct {
	r    io.Reader
	raw  *watched
	what string
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err == io.EOF && d.what == "xz" && string(d.raw.last[:]) != "YZ" {
		err = io.ErrUnexpectedEOF // the decompressor does not miss the footer of a file cut after a block
	}
	if err != nil && err != io.EOF {
		err = d.wrap(err)
	}
	return n, err
}

func (d *decompressed) wrap(err error) error {
	if d.raw.err != nil {
		return d.raw.err
	}
	return &ParseError{Class: ClassCompress, Err: err,
		Expected: "expected intact " + d.what + " data (the file is damaged or cut short)"}
}

// isFault reports whether err is about content, not about reading.
func isFault(err error) bool {
	_, ok := errors.AsType[*ParseError](err)
	return ok
}
