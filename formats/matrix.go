package formats

import "fmt"

// Format is how a file lists its elements.
type Format uint8

// The two formats of Matrix Market.
const (
	Coordinate Format = iota // one line an entry: row, column, value
	Array                    // every element, column by column, one line a value
)

// Field is the kind of a file's values.
type Field uint8

// The fields of Matrix Market.
const (
	Real Field = iota
	Integer
	Complex
	Pattern // positions without values
)

// Symmetry says which elements a file leaves out because others determine them.
type Symmetry uint8

// The symmetries of Matrix Market.
const (
	General       Symmetry = iota
	Symmetric              // a(j,i) = a(i,j)
	SkewSymmetric          // a(j,i) = -a(i,j), zero diagonal
	Hermitian              // a(j,i) = conj(a(i,j)), complex only
)

var (
	formatNames   = [...]string{"coordinate", "array"}
	fieldNames    = [...]string{"real", "integer", "complex", "pattern"}
	symmetryNames = [...]string{"general", "symmetric", "skew-symmetric", "hermitian"}
)

// String returns the banner's word.
func (f Format) String() string { return word(formatNames[:], int(f)) }

// String returns the banner's word.
func (f Field) String() string { return word(fieldNames[:], int(f)) }

// String returns the banner's word.
func (s Symmetry) String() string { return word(symmetryNames[:], int(s)) }

func word(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// Matrix is the exact content of a file: nothing expanded, converted or summed.
// [Matrix.COO] and [Matrix.Vector] give the forms to compute with.
//
// In coordinate format entry k is element (I[k], J[k]), zero-based, in the order
// of the file. In array format I and J are nil, and the values follow each other
// column by column: all rows if general, else rows j..Rows-1 of column j, or
// j+1..Rows-1 if skew-symmetric.
//
// One value slice, chosen by Field, has one element for each entry; the others
// are nil, and all three are for Pattern.
//
// The zero value is an empty 0 x 0 real coordinate matrix.
type Matrix struct {
	Format     Format
	Field      Field
	Symmetry   Symmetry
	Rows, Cols int64

	// Comments are the comment lines between banner and size line, without the
	// leading % and the line end. Reading keeps the first 64 KiB of them.
	Comments []string

	I, J    []int64
	Real    []float64
	Integer []int64
	Complex []complex128

	name  string // for messages
	lines lineMap
}

// Len returns the number of stored entries.
func (m *Matrix) Len() int {
	switch {
	case m.Format == Coordinate:
		return len(m.I)
	case m.Field == Real:
		return len(m.Real)
	case m.Field == Integer:
		return len(m.Integer)
	}
	return len(m.Complex)
}

// errorAt describes a fault of entry k, or of the whole matrix if k is negative.
func (m *Matrix) errorAt(k int, class Class, expected string, args ...any) error {
	e := &ParseError{Name: m.name, Class: class, Expected: fmt.Sprintf(expected, args...)}
	if k >= 0 {
		if e.Line = m.lines.of(k); e.Line == 0 {
			e.Expected = fmt.Sprintf("entry %d: ", k+1) + e.Expected
		}
	}
	return e
}

// lineMap finds the line of an entry. Entries usually stand on consecutive
// lines, so it holds one element for each run of such entries.
type lineMap []struct {
	entry int
	line  int64
}

// start records that entry, and with it those that follow, starts at line.
func (l *lineMap) start(entry int, line int64) {
	if n := len(*l); n > 0 && (*l)[n-1].entry == entry {
		(*l)[n-1].line = line
		return
	}
	*l = append(*l, struct {
		entry int
		line  int64
	}{entry, line})
}

// of returns the line of an entry, 0 if the matrix was not read from a file.
func (l lineMap) of(entry int) int64 {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].entry <= entry {
			return l[i].line + int64(entry-l[i].entry)
		}
	}
	return 0
}
