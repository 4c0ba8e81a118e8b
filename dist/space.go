package dist

import (
	"fmt"
	"math"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse/vec"
)

// Space is the vectors that a square [Matrix] can be multiplied with, and the
// passes over them that Krylov methods are made of (it is a
// solvers.Space[*Vector], where the methods are documented). The passes allocate
// nothing; each reduction is one sync.
type Space struct {
	pe    *shmem.PE
	part  *Partition
	room  int
	block int

	err     error // of an update, for the next call that can return it
	sums    []vec.Sum
	vs      [][]float64
	pending uint64 // votes for the next reduction
	votes   uint64 // of the last
}

// Space returns the space of m's vectors.
func (m *Matrix) Space() (*Space, error) {
	if m.rows != m.cols {
		return nil, fmt.Errorf("dist: a %d x %d matrix has no space of its own: it is not square", m.rows.N(), m.cols.N())
	}
	return &Space{pe: m.pe, part: m.cols, room: m.room, block: vec.Block(m.cols.N()), sums: make([]vec.Sum, 2)}, nil
}

func (s *Space) New() (*Vector, error) { return newVector(s.pe, s.part, s.room, 1) }

// Check returns an error if b and x are not two vectors of the space.
func (s *Space) Check(b, x *Vector) error {
	for _, v := range []*Vector{b, x} {
		if v == nil || !v.part.Equal(s.part) || len(v.data) < s.room {
			return fmt.Errorf("dist: a vector does not belong to the space: it must come from New, or from the matrix's NewVector")
		}
	}
	if b == x {
		return fmt.Errorf("dist: b and x are the same vector")
	}
	return nil
}

// Free gives a vector of the space back.
func (s *Space) Free(v *Vector) { s.note(v.Free()) }

func (s *Space) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// out returns v's own elements for writing. After an error it returns a private
// buffer, so that the pass has something to work on; the error is reported by
// the next reduction.
func (s *Space) out(v *Vector, keep bool) []float64 {
	own, err := v.write(keep)
	if err != nil {
		s.note(err)
		return make([]float64, v.own)
	}
	return own
}

func (s *Space) Zero(x *Vector)        { clear(s.out(x, false)) }
func (s *Space) Copy(dst, src *Vector) { copy(s.out(dst, false), src.Local()) }
func (s *Space) Scale(y *Vector, alpha float64, x *Vector) {
	vec.Scale(s.out(y, x == y), alpha, x.Local())
}
func (s *Space) Sub(z, x, y *Vector) { vec.Sub(s.out(z, z == x || z == y), x.Local(), y.Local()) }
func (s *Space) Mul(z, x, y *Vector) { vec.Mul(s.out(z, z == x || z == y), x.Local(), y.Local()) }

func (s *Space) Reciprocal(z, x *Vector) (int64, error) {
	bad := []int64{math.MaxInt64}
	if i := vec.Reciprocal(s.out(z, z == x), x.Local()); i >= 0 {
		lo, _ := s.part.Range(s.pe.ID())
		bad[0] = lo + int64(i)
	}
	if s.err != nil {
		return 0, s.err
	}
	if err := shmem.Min(s.pe.World(), bad, bad); err != nil {
		return 0, err
	}
	if bad[0] == math.MaxInt64 {
		return -1, nil
	}
	return bad[0], nil
}

// start returns n empty sums.
func (s *Space) start(n int) []vec.Sum {
	for len(s.sums) < n {
		s.sums = append(s.sums, vec.Sum{})
	}
	for i := range s.sums[:n] {
		s.sums[i].Reset()
	}
	return s.sums[:n]
}

// reduce merges the sums of all PEs, and their votes.
func (s *Space) reduce(sums []vec.Sum) error {
	if s.err != nil {
		return s.err
	}
	votes, err := shmem.SumExact(s.pe.World(), sums, s.pending)
	s.votes, s.pending = votes, 0
	return err
}

func (s *Space) Vote(votes uint64) { s.pending |= votes }
func (s *Space) Votes() uint64     { return s.votes }

// locals collects the own elements of vs.
func (s *Space) locals(vs []*Vector) [][]float64 {
	s.vs = s.vs[:0]
	for _, v := range vs {
		s.vs = append(s.vs, v.Local())
	}
	return s.vs
}

func (s *Space) one(sums []vec.Sum) (float64, error) {
	if err := s.reduce(sums); err != nil {
		return 0, err
	}
	return sums[0].Float64(), nil
}

func (s *Space) Dot(x, y *Vector) (float64, error) {
	sums := s.start(1)
	vec.AddDot(&sums[0], s.block, x.Local(), y.Local())
	return s.one(sums)
}

func (s *Space) Norm(x *Vector) (float64, error) {
	var votes uint64 // of all reductions that it takes
	norm, err := vec.NormBy(x.Local(), s.block,
		func(sum vec.Sum) (float64, error) {
			sums := s.start(1)
			sums[0] = sum
			v, err := s.one(sums)
			votes |= s.votes
			return v, err
		},
		func(m float64) (float64, error) {
			v := []float64{m}
			err := shmem.Max(s.pe.World(), v, v)
			return v[0], err
		})
	s.votes = votes
	return norm, err
}

func (s *Space) Dots(dst []float64, vs []*Vector, w *Vector) error {
	sums := s.start(len(vs))
	vec.AddDots(sums, s.block, s.locals(vs), w.Local())
	return s.all(dst, sums)
}

func (s *Space) all(dst []float64, sums []vec.Sum) error {
	if err := s.reduce(sums); err != nil {
		return err
	}
	for j := range sums {
		dst[j] = sums[j].Float64()
	}
	return nil
}

func (s *Space) AxpyDot(alpha float64, x, y *Vector) (float64, error) {
	sums := s.start(1)
	vec.AxpyDot(&sums[0], s.block, alpha, x.Local(), s.out(y, true))
	return s.one(sums)
}

func (s *Space) AxpyScaledDot(alpha float64, x, y, d *Vector) (yy, yz float64, err error) {
	sums := s.start(2)
	vec.AxpyScaledDot(&sums[0], &sums[1], s.block, alpha, x.Local(), s.out(y, true), d.Local())
	if err := s.reduce(sums); err != nil {
		return 0, 0, err
	}
	return sums[0].Float64(), sums[1].Float64(), nil
}

func (s *Space) AxpyXpby(alpha float64, p, x *Vector, beta float64, z *Vector) {
	vec.AxpyXpby(alpha, s.out(p, true), s.out(x, true), beta, z.Local())
}

func (s *Space) AxpyXpbyScaled(alpha float64, p, x *Vector, beta float64, d, r *Vector) {
	vec.AxpyXpbyScaled(alpha, s.out(p, true), s.out(x, true), beta, d.Local(), r.Local())
}

func (s *Space) Axpys(c []float64, vs []*Vector, w *Vector) (float64, error) {
	sums := s.start(1)
	vec.Axpys(&sums[0], s.block, c, s.locals(vs), s.out(w, true))
	return s.one(sums)
}

func (s *Space) AxpysDots(dst, c []float64, vs []*Vector, w *Vector) error {
	sums := s.start(len(vs))
	vec.AxpysDots(sums, s.block, c, s.locals(vs), s.out(w, true))
	return s.all(dst, sums)
}
