package sparse

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// FromMatrix returns the elements of m that are not zero; NaN is not zero, -0 is.
// A *CSR is copied, entries with value zero included. Matrices that implement
// mat.NonZeroDoer, as gonum's banded and triangular ones do, take time
// proportional to their storage, others a call of At for each element. Dimensions
// above 2^31-1 are a [*LimitError].
func FromMatrix(m mat.Matrix) (*CSR, error) {
	switch m := m.(type) {
	case *CSR:
		return &CSR{rows: m.rows, cols: m.cols, ptr: slices.Clone(m.ptr), col: slices.Clone(m.col), val: slices.Clone(m.val)}, nil
	case mat.Untransposer:
		a, err := FromMatrix(m.Untranspose())
		if err != nil {
			return nil, err
		}
		return a.Transpose(), nil
	}
	r, c := m.Dims()
	a := NewCOO(int64(r), int64(c), 0)
	add := func(i, j int, v float64) {
		if v != 0 {
			a.Append(int64(i), int64(j), v)
		}
	}
	if d, ok := m.(mat.NonZeroDoer); ok {
		d.DoNonZero(add)
		return a.ToCSR()
	}
	for i := range r {
		for j := range c {
			add(i, j, m.At(i, j))
		}
	}
	return a.ToCSR()
}

// ToDense returns a as a dense matrix. As gonum has no matrix without rows or
// columns, it panics with mat.ErrZeroLength for those.
func (a *CSR) ToDense() *mat.Dense {
	d := mat.NewDense(a.rows, a.cols, nil)
	raw := d.RawMatrix()
	for i := range a.rows {
		col, val := a.Row(i)
		row := raw.Data[i*raw.Stride:]
		for k, j := range col {
			row[j] = val[k]
		}
	}
	return d
}

// ToCOO returns a list of all entries, row by row.
func (a *CSR) ToCOO() *COO {
	c := NewCOO(int64(a.rows), int64(a.cols), a.NNZ())
	for i := range a.rows {
		col, val := a.Row(i)
		for k, j := range col {
			c.I, c.J, c.V = append(c.I, int64(i)), append(c.J, int64(j)), append(c.V, val[k])
		}
	}
	return c
}
