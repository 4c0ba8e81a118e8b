package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
)

// parser turns blocks of lines into a matrix. The parsing of a block of entries
// depends on nothing but the block, m, n, want and line, so that several parsers
// can work on several blocks of one file.
type parser struct {
	m    *Matrix
	src  *blocks
	rest []byte // of the block in which the header ended
	line int64  // lines begun so far

	want  int64 // entries promised
	n     int   // entries read
	room  int   // entries that the slices of m have room for
	bytes int   // of the text of the entries read, up to where parallel takes over

	placing sync.WaitGroup // goroutines that write to the slices of m
	faulty  atomic.Bool    // one of the blocks given out has a fault
}

// parse reads one uncompressed Matrix Market text to its end.
func parse(r io.Reader, name string) (*Matrix, error) {
	p := &parser{m: &Matrix{name: name}, src: newBlocks(r, tuning.block)}
	err := p.header()
	if err == nil {
		err = p.body()
	}
	if err == nil {
		err = p.m.checkSymmetry()
	}
	if err == nil {
		return p.m, nil
	}
	if e, ok := errors.AsType[*ParseError](err); ok {
		if e.Name == "" {
			e.Name = name
		}
		if e.Line == 0 {
			e.Line = p.line + 1
		}
		return nil, e
	}
	return nil, fmt.Errorf("formats: %s: reading line %d: %w", name, p.line+1, err)
}

// fail describes the fault of the token at b[pos]; start is the start of its line.
func (p *parser) fail(b []byte, start, pos int, class Class, expected string) error {
	token := b[pos:tokenEnd(b, pos)]
	if bytes.IndexByte(token, 0) >= 0 {
		class, expected = ClassEncoding, "expected text without NUL bytes (the file is damaged, or not text)"
	}
	return &ParseError{Line: p.line, Col: pos - start + 1, Class: class, Token: shorten(token), Expected: expected}
}

// atEOF describes what is missing at the end of the text; other errors of the
// source are passed on.
func (p *parser) atEOF(err error, class Class, expected string) error {
	if err != io.EOF {
		return err
	}
	return &ParseError{Line: max(p.line, 1), Class: class, Expected: expected}
}

func (p *parser) badIndex(b []byte, start, pos int, ok verdict, what string, limit int64) error {
	switch {
	case b[pos] == '\n':
		return p.fail(b, start, pos, ClassEntry, "expected a "+what+" index before the end of the line")
	case ok == malformed:
		return p.fail(b, start, pos, ClassEntry, "expected a "+what+" index, a decimal integer")
	case limit == 0:
		return p.fail(b, start, pos, ClassIndex, "expected no entries in a matrix without a "+what)
	}
	return p.fail(b, start, pos, ClassIndex, fmt.Sprintf("expected a %s index from 1 to %d", what, limit))
}

func (p *parser) badValue(b []byte, start, pos int, ok verdict) error {
	expected := map[Field]string{
		Real:    "expected a decimal number",
		Integer: "expected a decimal integer (or the field real in the banner)",
		Complex: "expected a complex value as two decimal numbers",
	}[p.m.Field]
	switch {
	case b[pos] == '\n':
		return p.fail(b, start, pos, ClassEntry, expected+" before the end of the line")
	case ok == tooLarge:
		kind := "float64"
		if p.m.Field == Integer {
			kind = "int64"
		}
		err := p.fail(b, start, pos, ClassValue, "expected a value in the range of "+kind).(*ParseError)
		err.Err = strconv.ErrRange
		return err
	case p.m.Field == Complex && b[pos] == '(':
		return p.fail(b, start, pos, ClassEntry, expected+" without parentheses")
	}
	return p.fail(b, start, pos, ClassValue, expected)
}
