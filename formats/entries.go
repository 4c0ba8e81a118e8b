package formats

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// entries reads everything after the size line.
func (p *parser) entries() error {
	parse := p.coordinate
	if p.m.Format == Array {
		parse = p.array
	}
	p.m.lines.start(0, p.line+1)
	block := p.rest
	var err error
	for ; err == nil; block, err = p.src.next() {
		p.reserve(len(block))
		if err := parse(block); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return err
	}
	if int64(p.n) < p.want {
		return p.atEOF(err, ClassCount, fmt.Sprintf("expected %d entries, found %d and the end of the file", p.want, p.n))
	}
	p.trim()
	return nil
}

// coordinate parses the entry lines of b.
func (p *parser) coordinate(b []byte) error {
	m := p.m
	rows, cols := uint64(m.Rows), uint64(m.Cols)
	I, J := m.I, m.J
	for start := 0; start < len(b); {
		p.line++
		pos := skipBlanks(b, start)
		if b[pos] == '\n' || b[pos] == '%' || int64(p.n) == p.want {
			var err error
			if start, err = p.skip(b, start, pos); err != nil {
				return err
			}
			continue
		}
		i, end, ok := scanInt(b, pos)
		if ok != good || uint64(i-1) >= rows {
			return p.badIndex(b, start, pos, ok, "row", m.Rows)
		}
		pos = skipBlanks(b, end)
		j, end, ok := scanInt(b, pos)
		if ok != good || uint64(j-1) >= cols {
			return p.badIndex(b, start, pos, ok, "column", m.Cols)
		}
		I[p.n], J[p.n] = i-1, j-1
		if m.Field != Pattern {
			var err error
			if end, err = p.value(b, start, skipBlanks(b, end)); err != nil {
				return err
			}
		}
		if pos = skipBlanks(b, end); b[pos] != '\n' {
			return p.fail(b, start, pos, ClassEntry, "expected "+entryForm[m.Field]+" on the line of a "+m.Field.String()+" entry")
		}
		start = pos + 1
		p.n++
	}
	return nil
}

// entryForm describes an entry line of each field.
var entryForm = [...]string{
	Real:    "row, column and one value",
	Integer: "row, column and one value",
	Complex: "row, column, real and imaginary part",
	Pattern: "row and column, no value,",
}

// array parses the value lines of b.
func (p *parser) array(b []byte) error {
	for start := 0; start < len(b); {
		p.line++
		pos := skipBlanks(b, start)
		if b[pos] == '\n' || b[pos] == '%' || int64(p.n) == p.want {
			var err error
			if start, err = p.skip(b, start, pos); err != nil {
				return err
			}
			continue
		}
		end, err := p.value(b, start, pos)
		if err != nil {
			return err
		}
		if pos = skipBlanks(b, end); b[pos] != '\n' {
			return p.fail(b, start, pos, ClassEntry, "expected one value a line (arrays are written column by column)")
		}
		start = pos + 1
		p.n++
	}
	return nil
}

// value parses the value at pos into entry n and returns where it ends.
func (p *parser) value(b []byte, start, pos int) (end int, err error) {
	var ok verdict
	switch m := p.m; m.Field {
	case Real:
		if m.Real[p.n], end, ok = scanFloat(b, pos); ok == good {
			return end, nil
		}
	case Integer:
		if m.Integer[p.n], end, ok = scanInt(b, pos); ok == good {
			return end, nil
		}
	case Complex:
		var re, im float64
		if re, end, ok = scanFloat(b, pos); ok == good {
			pos = skipBlanks(b, end)
			if im, end, ok = scanFloat(b, pos); ok == good {
				m.Complex[p.n] = complex(re, im)
				return end, nil
			}
		}
	}
	return 0, p.badValue(b, start, pos, ok)
}

// skip passes over a line without an entry, blank or comment, and returns the
// start of the next. Any other line is one too many.
func (p *parser) skip(b []byte, start, pos int) (next int, err error) {
	next = pos + bytes.IndexByte(b[pos:], '\n') + 1
	p.m.lines.start(p.n, p.line+1)
	const banner = "%%MatrixMarket"
	switch {
	case b[pos] == '\n':
		return next, nil
	case b[pos] != '%':
		return 0, p.fail(b, start, pos, ClassCount,
			fmt.Sprintf("expected the end of the file after %d entries, as the size line says", p.want))
	case next-pos > len(banner) && bytes.EqualFold(b[pos:pos+len(banner)], []byte(banner)):
		return 0, p.fail(b, start, pos, ClassCount,
			fmt.Sprintf("expected one matrix in the file, found a second banner after %d of %d entries", p.n, p.want))
	}
	return next, p.comment(b[:next], start, pos)
}

// comment refuses comments with NUL bytes: they are the trace of a damaged file.
func (p *parser) comment(line []byte, start, pos int) error {
	if i := bytes.IndexByte(line[pos:], 0); i >= 0 {
		return p.fail(line, start, pos+i, ClassEncoding, "")
	}
	return nil
}

// reserve makes room for the entries that a block of so many bytes can hold. The
// room follows what has been read; the promise of the size line only caps it.
// Once an eighth of it has been kept, all of it is reserved, so that an honest
// file is hardly ever copied. A matrix that is not general gets room for its
// mirror image too, where COO will put it.
func (p *parser) reserve(size int) {
	m, shortest := p.m, len("1 1\n")
	if m.Format == Array {
		shortest = len("1\n")
	}
	need := p.n + int(min(int64(size/shortest+1), p.want-int64(p.n)))
	if need <= p.room {
		return
	}
	limit := p.want
	if m.Format == Coordinate && m.Symmetry != General {
		limit += min(limit, math.MaxInt64-limit)
	}
	room := max(int64(need), 4*int64(p.room))
	if limit/8 <= room {
		room = limit
	}
	p.room = int(min(room, limit))
	if m.Format == Coordinate {
		m.I, m.J = resize(m.I, p.n, p.room), resize(m.J, p.n, p.room)
	}
	switch m.Field {
	case Real:
		m.Real = resize(m.Real, p.n, p.room)
	case Integer:
		m.Integer = resize(m.Integer, p.n, p.room)
	case Complex:
		m.Complex = resize(m.Complex, p.n, p.room)
	}
}

func resize[T any](s []T, n, room int) []T {
	t := make([]T, room)
	copy(t, s[:n])
	return t
}

// trim cuts the slices to the entries that were read.
func (p *parser) trim() {
	m, n := p.m, p.n
	if m.Format == Coordinate {
		m.I, m.J = m.I[:n], m.J[:n]
	}
	switch m.Field {
	case Real:
		m.Real = m.Real[:n]
	case Integer:
		m.Integer = m.Integer[:n]
	case Complex:
		m.Complex = m.Complex[:n]
	}
}
