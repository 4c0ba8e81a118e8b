package gallery

import (
	"fmt"
	"math"

	"github.com/symsparse/symsparse/sparse"
)

// Tridiagonal returns the n x n Toeplitz matrix with sub below, diag on and super
// above the diagonal.
func Tridiagonal(n int, sub, diag, super float64) (*sparse.CSR, error) {
	return stencil([3]int{n, 1, 1}, []point{{[3]int{-1}, sub}, {[3]int{}, diag}, {[3]int{1}, super}})
}

// TridiagonalEigenvalues returns the n eigenvalues of [Tridiagonal] in ascending
// order: diag + 2 sqrt(sub*super) cos(k pi/(n+1)) for k = n, ..., 1. They are NaN
// if sub*super is negative, as the eigenvalues are not real then.
func TridiagonalEigenvalues(n int, sub, diag, super float64) []float64 {
	e := make([]float64, n)
	for i := range e {
		e[i] = diag + 2*math.Sqrt(sub*super)*math.Cos(float64(n-i)*math.Pi/float64(n+1))
	}
	return e
}

// Arrow returns the n x n matrix with n at (0, 0), 2 on the rest of the diagonal
// and -1 in the rest of the first row and column. It is symmetric positive
// definite, and a factorisation without reordering fills it.
func Arrow(n int) (*sparse.CSR, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("gallery: an arrow of %d rows: want 1 to %d", n, math.MaxInt32)
	}
	ptr := make([]int64, 1, n+1)
	col := make([]int32, 0, 3*n-2)
	val := make([]float64, 0, 3*n-2)
	for j := range n {
		col, val = append(col, int32(j)), append(val, -1)
	}
	val[0] = float64(n)
	ptr = append(ptr, int64(n))
	for i := 1; i < n; i++ {
		col, val = append(col, 0, int32(i)), append(val, -1, 2)
		ptr = append(ptr, int64(len(col)))
	}
	return sparse.NewCSR(n, n, ptr, col, val)
}
