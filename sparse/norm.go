package sparse

import (
	"math"

	"github.com/symsparse/symsparse/internal/exact"
	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// Norm returns a norm of the matrix, as mat.Norm names them: 1 is the largest
// column sum of magnitudes, 2 the Frobenius norm, Inf the largest row sum. It
// panics with mat.ErrNormOrder for any other. A matrix that holds a NaN has the
// norm NaN; one without rows or columns has norm 0.
//
// No square overflows or underflows on the way to the Frobenius norm. Norm 1
// takes 8 bytes a column of scratch.
func (a *CSR) Norm(norm float64) float64 {
	switch norm {
	case 1:
		sum := make([]float64, a.cols)
		for k, j := range a.col {
			sum[j] += math.Abs(a.val[k])
		}
		return kernel.MaxAbs(sum)
	case 2:
		return frobenius(a.val)
	case math.Inf(1):
		var most float64
		for i := range a.rows {
			var sum float64
			_, val := a.Row(i)
			for _, v := range val {
				sum += math.Abs(v)
			}
			most = max(most, sum)
		}
		return most
	}
	panic(errNormOrder)
}

// frobenius returns the square root of the sum of squares of x.
func frobenius(x []float64) float64 {
	most := kernel.MaxAbs(x)
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return most
	}
	// Scale by a power of two, which is exact, to squares near 1. The exponent is
	// kept so small that the scale itself is a normal number.
	_, e := math.Frexp(most)
	e = min(max(e, -1000), 1000)
	scale := math.Ldexp(1, -e)
	var sum exact.Acc
	for _, v := range x {
		v *= scale
		sum.Add(v * v)
	}
	return math.Ldexp(math.Sqrt(sum.Float64()), e)
}

// Trace returns the sum of the diagonal, rounded once. It panics with
// mat.ErrSquare if the matrix is not square.
func (a *CSR) Trace() float64 {
	if a.rows != a.cols {
		panic(errSquare)
	}
	var sum exact.Acc
	for i := range a.rows {
		sum.Add(a.At(i, i))
	}
	return sum.Float64()
}

// Diagonal sets dst[i] to element (i, i), zero where there is no entry. It panics
// with mat.ErrShape unless len(dst) is the smaller of rows and columns.
func (a *CSR) Diagonal(dst []float64) {
	if len(dst) != min(a.rows, a.cols) {
		panic(errShape)
	}
	for i := range dst {
		dst[i] = a.At(i, i)
	}
}
