package dist

import (
	"fmt"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse/vec"
)

// schedule orders the rows of a product by whole blocks of the vectors, which are
// what dot products go by and what the stored form of a matrix likes: first the
// blocks of interior rows only, while the ghosts are under way, then all others.
type schedule struct {
	block       int
	early, late []Span
}

// newSchedule makes the schedule of n rows.
func newSchedule(interior []Span, n, block int) schedule {
	s := schedule{block: block}
	done := 0 // rows before it are in early or late
	add := func(to *[]Span, lo, hi int) {
		if lo < hi {
			*to = append(*to, Span{lo, hi})
		}
	}
	for _, in := range interior {
		lo, hi := (in.Lo+block-1)/block*block, in.Hi/block*block
		if in.Hi == n { // the last block may be short
			hi = n
		}
		if lo < hi {
			add(&s.late, done, lo)
			add(&s.early, lo, hi)
			done = hi
		}
	}
	add(&s.late, done, n)
	return s
}

// MulDot sets y = A x as [Matrix.Mul] does and returns x·y, which it sums while y
// is in the cache: 16 bytes a row less than [Space.Dot] after Mul, with the same
// bits. The matrix is square.
func (m *Matrix) MulDot(y, x *Vector) (float64, error) {
	if m.rows != m.cols {
		return 0, fmt.Errorf("dist: MulDot: the matrix is not square")
	}
	out, err := m.start(y, x)
	if err != nil {
		return 0, err
	}
	m.sum[0].Reset()
	m.multiplyDot(out, x, m.schedule.early)
	if err := m.pe.Quiet(); err != nil {
		return 0, err
	}
	m.multiplyDot(out, x, m.schedule.late)
	if _, err := shmem.SumExact(m.pe.World(), m.sum[:], 0); err != nil {
		return 0, err
	}
	return m.sum[0].Float64(), nil
}

// piece is the number of rows after which multiplyDot sums: the longest block, a
// multiple of all others. Products like long ranges.
const piece = 2048

// multiplyDot multiplies piece by piece, and adds x·y of each.
func (m *Matrix) multiplyDot(out []float64, x *Vector, rows []Span) {
	own, block := x.Local(), m.schedule.block
	for _, s := range rows {
		for lo, hi := s.Lo, 0; lo < s.Hi; lo = hi {
			hi = min((lo/piece+1)*piece, s.Hi)
			m.product.MulRows(out, x.data, lo, hi)
			vec.AddDot(&m.sum[0], block, own[lo:hi], out[lo:hi])
		}
	}
}
