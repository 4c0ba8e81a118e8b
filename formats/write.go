package formats

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/symsparse/symsparse/sparse"
)

// FromVector returns x as an array of size len(x) x 1, sharing memory with x.
func FromVector(x []float64) *Matrix {
	return &Matrix{Format: Array, Rows: int64(len(x)), Cols: 1, Real: x}
}

// FromCOO returns a as a general real matrix in coordinate format, sharing memory
// with a.
func FromCOO(a *sparse.COO) *Matrix {
	return &Matrix{Rows: a.Rows, Cols: a.Cols, I: a.I, J: a.J, Real: a.V}
}

// Write writes m as Matrix Market text. Floats are written with the fewest digits
// that read back as the same bits, so that reading restores m exactly; only the
// sign and payload of a NaN are not kept. Nothing is written if m is not a
// matrix that [Read] would return: the error is then a [*ParseError].
func Write(w io.Writer, m *Matrix) error {
	if err := m.check(); err != nil {
		return err
	}
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString("%%MatrixMarket matrix " + m.Format.String() + " " + m.Field.String() + " " + m.Symmetry.String() + "\n")
	for _, c := range m.Comments {
		bw.WriteString("%" + strings.NewReplacer("\n", "\n%", "\x00", "").Replace(c) + "\n")
	}
	b := bw.AvailableBuffer()
	b = append(strconv.AppendInt(b, m.Rows, 10), ' ')
	b = strconv.AppendInt(b, m.Cols, 10)
	if m.Format == Coordinate {
		b = strconv.AppendInt(append(b, ' '), int64(len(m.I)), 10)
	}
	bw.Write(append(b, '\n'))
	for k := range m.Len() {
		b := bw.AvailableBuffer()
		if m.Format == Coordinate {
			b = append(strconv.AppendInt(b, m.I[k]+1, 10), ' ')
			b = strconv.AppendInt(b, m.J[k]+1, 10)
			if m.Field != Pattern {
				b = append(b, ' ')
			}
		}
		switch m.Field {
		case Real:
			b = appendFloat(b, m.Real[k])
		case Integer:
			b = strconv.AppendInt(b, m.Integer[k], 10)
		case Complex:
			b = append(appendFloat(b, real(m.Complex[k])), ' ')
			b = appendFloat(b, imag(m.Complex[k]))
		}
		if _, err := bw.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return bw.Flush() // reports the first error of all writes
}

func appendFloat(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

// check reports what would keep m from being read back.
func (m *Matrix) check() error {
	if int(m.Format) >= len(formatNames) || int(m.Field) >= len(fieldNames) || int(m.Symmetry) >= len(symmetryNames) {
		return m.errorAt(-1, ClassBanner, "expected a known format, field and symmetry")
	}
	if what := m.illegal(); what != "" {
		return m.errorAt(-1, ClassBanner, "%s", what)
	}
	if m.Rows < 0 || m.Cols < 0 {
		return m.errorAt(-1, ClassSize, "expected dimensions that are not negative, found %d x %d", m.Rows, m.Cols)
	}
	if m.Symmetry != General && m.Rows != m.Cols {
		return m.errorAt(-1, ClassSymmetry, "expected a square matrix under a %s banner, found %d x %d", m.Symmetry, m.Rows, m.Cols)
	}
	n := int64(len(m.I))
	if m.Format == Array {
		var ok bool
		if n, ok = arrayLen(m.Rows, m.Cols, m.Symmetry); !ok {
			return m.errorAt(-1, ClassLimit, "expected an array of fewer than 2^63 values")
		}
	}
	values := map[Field]int{Real: len(m.Real), Integer: len(m.Integer), Complex: len(m.Complex), Pattern: len(m.I)}[m.Field]
	if int64(values) != n || m.Format == Coordinate && len(m.J) != len(m.I) {
		return m.errorAt(-1, ClassCount, "expected %d entries, found %d values and %d columns", n, values, len(m.J))
	}
	for k, i := range m.I {
		if j := m.J[k]; m.Format == Coordinate && (uint64(i) >= uint64(m.Rows) || uint64(j) >= uint64(m.Cols)) {
			return m.errorAt(k, ClassIndex, "expected a position in a %d x %d matrix, found (%d,%d) (from 1)", m.Rows, m.Cols, i+1, j+1)
		}
	}
	return m.checkSymmetry()
}
