package formats

import (
	"bytes"
	"io"
)

const (
	// blockSize is the size of the read buffer: large enough to make read calls
	// rare, small enough to stay in the second-level cache while it is parsed.
	blockSize = 256 << 10

	// maxLine bounds the memory that one line can take. Comments may be longer.
	maxLine = 8 << 20
)

// blocks cuts a stream into blocks of whole lines. The text is never held: each
// block reuses the buffer of the one before.
type blocks struct {
	r          io.Reader
	buf        []byte
	start, end int   // what was read and not yet given out
	err        error // of r, io.EOF included
}

func newBlocks(r io.Reader, size int) *blocks {
	return &blocks{r: r, buf: newBuffer(size)}
}

// newBuffer returns a buffer whose blocks have slack.
func newBuffer(size int) []byte { return make([]byte, size, size+slack) }

// next returns the next block. It is never empty and always ends in a newline,
// one being added to a last line that has none. It is valid until the next call,
// or as long as the caller likes after a call of swap.
func (s *blocks) next() ([]byte, error) {
	s.end = copy(s.buf, s.buf[s.start:s.end])
	s.start = 0
	searched := 0
	for {
		if i := bytes.LastIndexByte(s.buf[searched:s.end], '\n'); i >= 0 {
			s.start = searched + i + 1
			return s.buf[:s.start], nil
		}
		searched = s.end
		if s.err == io.EOF && s.end > 0 {
			s.buf[s.end] = '\n'
			s.end++
			continue
		}
		if s.err != nil {
			return nil, s.err
		}
		if s.end == len(s.buf)-1 { // one byte stays free for the added newline
			s.buf[s.end] = '\n' // stops skipBlanks
			if len(s.buf) >= blockSize && s.buf[skipBlanks(s.buf, 0)] == '%' {
				s.dropLine()
				searched = 0
				continue
			}
			if len(s.buf) >= maxLine {
				return nil, &ParseError{Class: ClassLimit, Token: shorten(s.buf[:s.end]),
					Expected: "expected a line of at most 8 MiB"}
			}
			s.swap(newBuffer(2 * len(s.buf)))
		}
		s.fill()
	}
}

// nextFull is like next, but reads until the block is worth a goroutine.
func (s *blocks) nextFull() ([]byte, error) {
	s.swap(s.buf)
	for s.err == nil && s.end < len(s.buf)/2 {
		s.fill()
	}
	return s.next()
}

// shrink goes back to a buffer of the given size after a line that took more.
func (s *blocks) shrink(size int) {
	if s.end-s.start < size {
		s.swap(newBuffer(size))
	}
}

// swap goes on in another buffer and returns the old one. It takes along what was
// not yet given out, for which the new buffer must be large enough.
func (s *blocks) swap(buf []byte) (old []byte) {
	s.end = copy(buf, s.buf[s.start:s.end])
	s.start = 0
	old, s.buf = s.buf, buf
	return old
}

// fill reads once into the free part of the buffer.
func (s *blocks) fill() {
	for range 100 {
		n, err := s.r.Read(s.buf[s.end : len(s.buf)-1])
		s.end += n
		s.err = err
		if n > 0 || err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}

// dropLine cuts the comment that fills the buffer to its start, and leaves in the
// buffer what follows the cut-off part, newline first.
func (s *blocks) dropLine() {
	const keep = blockSize / 4
	for s.err == nil {
		s.end = keep
		s.fill()
		if i := bytes.IndexByte(s.buf[keep:s.end], '\n'); i >= 0 {
			s.end = keep + copy(s.buf[keep:], s.buf[keep+i:s.end])
			return
		}
	}
	s.end = keep
}
