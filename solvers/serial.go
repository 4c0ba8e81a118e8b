package solvers

import (
	"fmt"

	"github.com/symsparse/symsparse/sparse/vec"
)

// Serial is the space of vectors of n elements in this process's memory. Its
// passes allocate nothing. It serves one solve at a time.
type Serial struct {
	n              int
	sums           []vec.Sum
	pending, votes Votes
}

var _ Space[[]float64] = (*Serial)(nil)

// NewSerial returns the space of vectors of n elements.
func NewSerial(n int) *Serial { return &Serial{n: n, sums: make([]vec.Sum, 2)} }

// Check says what is wrong with the vectors of a solve.
func (s *Serial) Check(b, x []float64) error {
	if len(b) != s.n || len(x) != s.n {
		return fmt.Errorf("b has %d elements and x %d, not %d", len(b), len(x), s.n)
	}
	if s.n > 0 && &b[0] == &x[0] {
		return fmt.Errorf("b and x are the same vector")
	}
	return nil
}

func (s *Serial) New() ([]float64, error) { return make([]float64, s.n), nil }
func (s *Serial) Free([]float64)          {}

func (s *Serial) Zero(x []float64)                              { clear(x) }
func (s *Serial) Copy(dst, src []float64)                       { copy(dst, src) }
func (s *Serial) Scale(y []float64, alpha float64, x []float64) { vec.Scale(y, alpha, x) }
func (s *Serial) Sub(z, x, y []float64)                         { vec.Sub(z, x, y) }
func (s *Serial) Mul(z, x, y []float64)                         { vec.Mul(z, x, y) }

func (s *Serial) Reciprocal(z, x []float64) (int64, error) {
	return int64(vec.Reciprocal(z, x)), nil
}

// start returns the block length and k empty sums.
func (s *Serial) start(k int) (int, []vec.Sum) {
	for len(s.sums) < k {
		s.sums = append(s.sums, vec.Sum{})
	}
	clear(s.sums[:k])
	return vec.Block(int64(s.n)), s.sums[:k]
}

// reduce ends a reduction.
func (s *Serial) reduce() { s.votes, s.pending = s.pending, 0 }

func (s *Serial) one(sum *vec.Sum) (float64, error) {
	s.reduce()
	return sum.Float64(), nil
}

func (s *Serial) all(dst []float64, sums []vec.Sum) error {
	s.reduce()
	for j := range sums {
		dst[j] = sums[j].Float64()
	}
	return nil
}

func (s *Serial) Dot(x, y []float64) (float64, error) {
	block, sums := s.start(1)
	vec.AddDot(&sums[0], block, x, y)
	return s.one(&sums[0])
}

func (s *Serial) Norm(x []float64) (float64, error) {
	s.reduce()
	return vec.Norm(x), nil
}

func (s *Serial) Dots(dst []float64, vs [][]float64, w []float64) error {
	block, sums := s.start(len(vs))
	vec.AddDots(sums, block, vs, w)
	return s.all(dst, sums)
}

func (s *Serial) AxpyDot(alpha float64, x, y []float64) (float64, error) {
	block, sums := s.start(1)
	vec.AxpyDot(&sums[0], block, alpha, x, y)
	return s.one(&sums[0])
}

func (s *Serial) AxpyScaledDot(alpha float64, x, y, d []float64) (yy, yz float64, err error) {
	block, sums := s.start(2)
	vec.AxpyScaledDot(&sums[0], &sums[1], block, alpha, x, y, d)
	s.reduce()
	return sums[0].Float64(), sums[1].Float64(), nil
}

func (s *Serial) AxpyXpby(alpha float64, p, x []float64, beta float64, z []float64) {
	vec.AxpyXpby(alpha, p, x, beta, z)
}

func (s *Serial) AxpyXpbyScaled(alpha float64, p, x []float64, beta float64, d, r []float64) {
	vec.AxpyXpbyScaled(alpha, p, x, beta, d, r)
}

func (s *Serial) Axpys(c []float64, vs [][]float64, w []float64) (float64, error) {
	block, sums := s.start(1)
	vec.Axpys(&sums[0], block, c, vs, w)
	return s.one(&sums[0])
}

func (s *Serial) AxpysDots(dst, c []float64, vs [][]float64, w []float64) error {
	block, sums := s.start(len(vs))
	vec.AxpysDots(sums, block, c, vs, w)
	return s.all(dst, sums)
}

func (s *Serial) Vote(votes Votes) { s.pending |= votes }
func (s *Serial) Votes() Votes     { return s.votes }
