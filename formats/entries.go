package formats

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// body reads everything after the size line. What parallel leaves to do, be it all
// or the start, the calling goroutine does, block by block.
func (p *parser) body() error {
	p.m.lines.start(0, p.line+1)
	var err error
	for block := p.rest; err == nil; block, err = p.src.next() {
		if err := p.block(block); err != nil {
			return err
		}
		if procs := p.procs(); procs > 1 {
			err = p.parallel(procs)
			break
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

// block parses the lines of b after those before.
func (p *parser) block(b []byte) error {
	p.reserve(p.m.mostEntries(b))
	p.bytes += len(b)
	return p.entries(b)
}

// mostEntries returns how many entries the text could have.
func (m *Matrix) mostEntries(text []byte) int {
	shortest := len("1 1\n")
	if m.Format == Array {
		shortest = len("1\n")
	}
	return min(bytes.Count(text, []byte("\n")), len(text)/shortest+1)
}

// entries parses the lines of b, for whose entries there is room.
func (p *parser) entries(b []byte) error {
	if p.m.Format == Array {
		return p.array(b)
	}
	return p.coordinate(b)
}

// coordinate parses the entry lines of b.
func (p *parser) coordinate(b []byte) error {
	m := p.m
	rows, cols := uint64(m.Rows), uint64(m.Cols)
	I, J := m.I, m.J
	for start := 0; start < len(b); {
		if m.Field == Real {
			if start = p.plainReals(b, start); start == len(b) {
				break
			}
		}
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

// reserve makes room for that many more entries, less those that would be too
// many. The room follows what has been read; the promise of the size line only
// caps it. Once an eighth of it has been kept, all of it is reserved, so that an
// honest file is hardly ever copied. A matrix that is not general gets room for its
// mirror image too, where COO will put it.
func (p *parser) reserve(more int) {
	need := p.n + int(min(int64(more), p.want-int64(p.n)))
	if need <= p.room {
		return
	}
	limit := p.want
	if p.m.Format == Coordinate && p.m.Symmetry != General {
		limit += min(limit, math.MaxInt64-limit)
	}
	room := max(int64(need), 4*int64(p.room))
	if limit/8 <= room {
		room = limit
	}
	p.resize(int(min(room, limit)))
}

// resize moves the entries to slices of another length.
func (p *parser) resize(room int) {
	p.placing.Wait()
	p.room = room
	m := p.m
	if m.Format == Coordinate {
		m.I, m.J = resize(m.I, p.n, room), resize(m.J, p.n, room)
	}
	switch m.Field {
	case Real:
		m.Real = resize(m.Real, p.n, room)
	case Integer:
		m.Integer = resize(m.Integer, p.n, room)
	case Complex:
		m.Complex = resize(m.Complex, p.n, room)
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
