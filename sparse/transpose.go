package sparse

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// T returns a view of the transpose: values changed in a change in it, and
// mat.Untransposer leads back to a. It has the method MulVecTo. See
// [CSR.Transpose] for a transpose of its own.
func (a *CSR) T() mat.Matrix { return transposed{a} }

// transposed is a CSR seen by columns.
type transposed struct{ a *CSR }

var _ mat.Untransposer = transposed{}

func (t transposed) Dims() (rows, cols int)  { return t.a.cols, t.a.rows }
func (t transposed) T() mat.Matrix           { return t.a }
func (t transposed) Untranspose() mat.Matrix { return t.a }

func (t transposed) At(i, j int) float64 {
	// A bad row here is not to be called a bad column of a, nor the reverse.
	if uint(i) >= uint(t.a.cols) {
		panic(errRowAccess)
	}
	if uint(j) >= uint(t.a.rows) {
		panic(errColAccess)
	}
	return t.a.At(j, i)
}

func (t transposed) MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector) {
	t.a.MulVecTo(dst, !trans, x)
}

// Transpose returns the transpose as a matrix of its own. Time and memory are
// proportional to rows, columns and entries.
func (a *CSR) Transpose() *CSR {
	t := &CSR{rows: a.cols, cols: a.rows, col: make([]int32, len(a.col)), val: make([]float64, len(a.val))}
	next := rowStarts(t.rows, a.col)
	for i := range a.rows {
		for k := a.ptr[i]; k < a.ptr[i+1]; k++ {
			p := &next[a.col[k]+1]
			t.col[*p], t.val[*p] = int32(i), a.val[k]
			*p++
		}
	}
	t.ptr = next[:t.rows+1]
	return t
}

// IsSymmetric reports whether a equals its transpose, entry by entry: an entry
// whose mirror image is not stored makes a unsymmetric, even if its value is
// zero, and so does a NaN. It takes 8 bytes a row of scratch, and stops at the
// first difference.
func (a *CSR) IsSymmetric() bool {
	if a.rows != a.cols {
		return false
	}
	// Rows are visited in ascending order, so the mirror images that fall into
	// one row are met in the order in which that row holds them.
	next := slices.Clone(a.ptr)
	for i := range a.rows {
		for k := a.ptr[i]; k < a.ptr[i+1]; k++ {
			j := a.col[k]
			m := next[j]
			if m == a.ptr[j+1] || a.col[m] != int32(i) || a.val[m] != a.val[k] {
				return false
			}
			next[j]++
		}
	}
	return true
}
