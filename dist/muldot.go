package dist

import (
	"fmt"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse/vec"
)

// dotPlan orders a product so that x·y is summed while y is still in the cache.
// A dot product goes by blocks, and a block's rows may be interior in part: such
// blocks are summed at the end.
type dotPlan struct {
	block int
	early []Span // rows in whole blocks of interior rows: multiply and sum
	rest  []Span // the other interior rows: multiply only
	late  []Span // rows in all other blocks: sum after the boundary
}

func newDotPlan(h *Halo, block int) *dotPlan {
	p := &dotPlan{block: block}
	n, done := h.Own(), 0 // rows before done are in early or late
	for _, s := range h.interior {
		lo, hi := (s.Lo+block-1)/block*block, s.Hi/block*block
		if s.Hi == n { // the last block may be short
			hi = n
		}
		if lo >= hi {
			p.rest = append(p.rest, s)
			continue
		}
		for _, piece := range []struct {
			to *[]Span
			s  Span
		}{{&p.rest, Span{s.Lo, lo}}, {&p.early, Span{lo, hi}}, {&p.rest, Span{hi, s.Hi}}, {&p.late, Span{done, lo}}} {
			if piece.s.Lo < piece.s.Hi {
				*piece.to = append(*piece.to, piece.s)
			}
		}
		done = hi
	}
	if done < n {
		p.late = append(p.late, Span{done, n})
	}
	return p
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
	if m.dot == nil {
		m.dot = newDotPlan(m.halo, vec.Block(m.cols.N()))
	}
	own, sum := x.Local(), &m.sum[0]
	sum.Reset()
	for _, s := range m.dot.early {
		for lo := s.Lo; lo < s.Hi; lo += m.dot.block {
			hi := min(lo+m.dot.block, s.Hi)
			m.product.MulRows(out, x.data, lo, hi)
			vec.AddDot(sum, m.dot.block, own[lo:hi], out[lo:hi])
		}
	}
	m.multiply(out, x, m.dot.rest)
	if err := m.pe.Quiet(); err != nil {
		return 0, err
	}
	m.multiply(out, x, m.halo.boundary)
	for _, s := range m.dot.late {
		vec.AddDot(sum, m.dot.block, own[s.Lo:s.Hi], out[s.Lo:s.Hi])
	}
	if _, err := shmem.SumExact(m.pe.World(), m.sum[:], 0); err != nil {
		return 0, err
	}
	return sum.Float64(), nil
}
