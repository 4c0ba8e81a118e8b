package formats

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

// maxComments is how much of the comments a [Matrix] keeps, in bytes.
const maxComments = 64 << 10

// nextLine returns the next line, newline included.
func (p *parser) nextLine() ([]byte, error) {
	if len(p.rest) == 0 {
		block, err := p.src.next()
		if err != nil {
			return nil, err
		}
		p.rest = block
	}
	n := bytes.IndexByte(p.rest, '\n') + 1
	line := p.rest[:n]
	p.rest = p.rest[n:]
	p.line++
	return line, nil
}

// header reads everything up to the size line.
func (p *parser) header() error {
	line, err := p.nextLine()
	for err == nil && line[skipBlanks(line, 0)] == '\n' {
		line, err = p.nextLine()
	}
	if err != nil {
		return p.atEOF(err, ClassEmpty, "expected a Matrix Market file, found no text at all")
	}
	if err := p.banner(line); err != nil {
		return err
	}
	noSize := "expected a size line, found the end of the file"
	if bytes.Count(line, []byte("\r")) > 1 {
		noSize += " (lines end in carriage returns alone: convert them to newlines)"
	}
	kept := 0
	for {
		line, err := p.nextLine()
		if err != nil {
			return p.atEOF(err, ClassSize, noSize)
		}
		start := skipBlanks(line, 0)
		switch line[start] {
		case '\n':
		case '%':
			if err := p.comment(line, 0, start); err != nil {
				return err
			}
			if kept += len(line); kept <= maxComments {
				p.m.Comments = append(p.m.Comments, strings.TrimRight(string(line[start+1:]), "\r\n"))
			}
		default:
			return p.size(line)
		}
	}
}

// banner reads the first line: tag, object, format, field, symmetry.
func (p *parser) banner(line []byte) error {
	if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) || bytes.IndexByte(line, 0) >= 0 {
		return &ParseError{Line: p.line, Class: ClassEncoding,
			Expected: "expected plain text, found UTF-16 or binary data (convert the file to UTF-8)"}
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))

	// words are in lower case; word i starts at at[i]. There could be millions.
	var words []string
	var at []int
	for pos := skipBlanks(line, 0); line[pos] != '\n' && len(words) < 32; pos = skipBlanks(line, pos) {
		end := tokenEnd(line, pos)
		words, at = append(words, lower(line[pos:end])), append(at, pos)
		pos = end
	}
	bad := func(i int, class Class, expected string) error {
		if i >= len(words) {
			return p.fail(line, 0, len(line)-1, class, expected)
		}
		return p.fail(line, 0, at[i], class, expected)
	}
	choose := func(i int, into *uint8, names []string, expected string) error {
		k := -1
		if i < len(words) {
			k = slices.Index(names, words[i])
		}
		if k < 0 {
			return bad(i, ClassBanner, expected)
		}
		*into = uint8(k)
		return nil
	}

	if len(words) == 0 || words[0] != "%%matrixmarket" {
		return bad(0, ClassBanner, "expected a first line that starts with %%MatrixMarket"+bannerHint(words))
	}
	if len(words) > 1 && words[1] == "vector" {
		return bad(1, ClassUnsupported, "expected the object matrix (store a vector as a matrix with one column)")
	}
	var none, format, field, symmetry uint8
	if err := choose(1, &none, []string{"matrix"}, "expected the object matrix"); err != nil {
		return err
	}
	if err := choose(2, &format, formatNames[:], "expected coordinate or array"); err != nil {
		return err
	}
	if err := choose(3, &field, append(fieldNames[:], "double", "unsigned-integer"),
		"expected real, integer, complex or pattern"); err != nil {
		return err
	}
	if err := choose(4, &symmetry, symmetryNames[:],
		"expected general, symmetric, skew-symmetric or hermitian"); err != nil {
		return err
	}
	for i, w := range words[5:] { // other extra words say nothing about the content
		if strings.HasPrefix(w, "0-base") || strings.HasPrefix(w, "zero-base") {
			return bad(5+i, ClassUnsupported, "expected indices that start at 1 (add 1 to each index and drop the word)")
		}
	}
	m := p.m
	m.Format, m.Symmetry = Format(format), Symmetry(symmetry)
	switch int(field) {
	case len(fieldNames): // double
		m.Field = Real
	case len(fieldNames) + 1: // unsigned-integer
		m.Field = Integer
	default:
		m.Field = Field(field)
	}
	if what := m.illegal(); what != "" {
		return bad(3, ClassBanner, what)
	}
	return nil
}

// illegal says why the combination of format, field and symmetry does not exist.
func (m *Matrix) illegal() string {
	switch {
	case m.Format == Array && m.Field == Pattern:
		return "expected a field with values in an array"
	case m.Symmetry == Hermitian && m.Field != Complex:
		return "expected the field complex in a hermitian matrix (a real one is symmetric)"
	case m.Symmetry == SkewSymmetric && m.Field == Pattern:
		return "expected a field with values in a skew-symmetric matrix"
	}
	return ""
}

// bannerHint recognises what people mistake for a Matrix Market file.
func bannerHint(words []string) string {
	if len(words) == 0 {
		return ""
	}
	w := words[0]
	switch {
	case w == "%matrixmarket":
		return " (two per cent signs)"
	case w == "version" && len(words) > 1 && strings.Contains(words[1], "git-lfs"):
		return " (this is a Git LFS pointer: fetch the file with git lfs pull)"
	case w[0] == '<':
		return " (this looks like a web page: check the download)"
	case w[0]-'0' <= 9 && len(words) <= 3:
		return " (if this is the size line, put %%MatrixMarket matrix coordinate real general above it)"
	}
	return ""
}

// size reads the size line.
func (p *parser) size(line []byte) error {
	dims := []*int64{&p.m.Rows, &p.m.Cols, &p.want}
	expected := "expected the size line: rows, columns and entries, three integers"
	if p.m.Format == Array {
		dims, expected = dims[:2], "expected the size line of an array: rows and columns, two integers"
	}
	pos := 0
	for _, d := range dims {
		pos = skipBlanks(line, pos)
		v, end, ok := scanInt(line, pos)
		switch {
		case ok == tooLarge:
			return p.fail(line, 0, pos, ClassLimit, "expected a size below 2^63")
		case ok == malformed || v < 0:
			return p.fail(line, 0, pos, ClassSize, expected)
		}
		*d, pos = v, end
	}
	if pos = skipBlanks(line, pos); line[pos] != '\n' {
		return p.fail(line, 0, pos, ClassSize, expected)
	}
	if p.m.Symmetry != General && p.m.Rows != p.m.Cols {
		return p.fail(line, 0, 0, ClassSymmetry, "expected a square matrix under a "+p.m.Symmetry.String()+" banner")
	}
	if p.m.Format == Array {
		n, ok := arrayLen(p.m.Rows, p.m.Cols, p.m.Symmetry)
		if !ok {
			return p.fail(line, 0, 0, ClassLimit, "expected an array of fewer than 2^63 values")
		}
		p.want = n
	}
	return nil
}

// arrayLen returns how many values an array stores; ok is false if they are 2^63
// or more. A matrix that is not general must be square.
func arrayLen(rows, cols int64, s Symmetry) (n int64, ok bool) {
	a, b := uint64(rows), uint64(cols)
	switch s {
	case SkewSymmetric:
		b-- // n(n-1)/2; wraps for n = 0, where the product is 0 all the same
	case Symmetric, Hermitian:
		b++ // n(n+1)/2
	}
	if s != General { // one of two neighbours is even
		if a%2 == 0 {
			a /= 2
		} else {
			b /= 2
		}
	}
	hi, lo := bits.Mul64(a, b)
	return int64(lo), hi == 0 && lo < 1<<63
}
