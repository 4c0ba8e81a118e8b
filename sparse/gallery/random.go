package gallery

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/symsparse/symsparse/sparse"
)

// uniform returns a generator of numbers in [0, 1), multiples of 2^-53. Unlike
// math/rand's Float64 it cannot change with a release of Go.
func uniform(seed uint64) func() float64 {
	p := rand.NewPCG(seed, 0)
	return func() float64 { return float64(p.Uint64()>>11) * 0x1p-53 }
}

// RandomCoefficients returns the twin of a matrix whose coefficients vary: each
// pair of entries (i, j) and (j, i) is multiplied by a random number from
// [0.5, 1.5), and the diagonal changes so that it exceeds the sum of the
// magnitudes beside it by as much as before. Hence what is symmetric, positive
// definite by diagonal dominance, or an M-matrix, remains so, up to rounding.
//
// The matrix must be square, its structure symmetric and with a full diagonal,
// as that of all grids here is; else an error names a row. The twin shares row
// pointers and columns with a.
func RandomCoefficients(a *sparse.CSR, seed uint64) (*sparse.CSR, error) {
	raw := a.RawCSR()
	if raw.Rows != raw.Cols {
		return nil, errors.New("gallery: random coefficients of a matrix that is not square")
	}
	random := uniform(seed)
	val := make([]float64, len(raw.Val))
	// Row i visits its entries above the diagonal and sets their mirror images
	// too. The images that fall into one row do so in ascending order; next is the
	// first that is not set.
	next := slices.Clone(raw.Ptr)
	for i := range raw.Rows {
		diagonal := int64(-1)
		var before, after float64
		for k := raw.Ptr[i]; k < raw.Ptr[i+1]; k++ {
			j := int(raw.Col[k])
			if j == i {
				diagonal = k
				continue
			}
			if j > i {
				m := next[j]
				if m == raw.Ptr[j+1] || int(raw.Col[m]) != i {
					return nil, fmt.Errorf("gallery: random coefficients: row %d lacks column %d", j, i)
				}
				next[j]++
				f := 0.5 + random()
				val[k], val[m] = raw.Val[k]*f, raw.Val[m]*f
			} else if k >= next[i] {
				return nil, fmt.Errorf("gallery: random coefficients: row %d lacks column %d", j, i)
			}
			before += math.Abs(raw.Val[k])
			after += math.Abs(val[k])
		}
		if diagonal < 0 {
			return nil, fmt.Errorf("gallery: random coefficients: row %d has no diagonal entry", i)
		}
		val[diagonal] = raw.Val[diagonal] - before + after
	}
	return sparse.NewCSR(raw.Rows, raw.Cols, raw.Ptr, raw.Col, val)
}

// DiagonallyDominant returns an unsymmetric n x n matrix with up to perRow random
// entries from [-1, 1) in random columns beside the diagonal of each row, and a
// diagonal that exceeds the sum of their magnitudes by 1.
func DiagonallyDominant(n, perRow int, seed uint64) (*sparse.CSR, error) {
	if n < 1 || n > math.MaxInt32 || perRow < 0 || perRow > math.MaxInt32 {
		return nil, fmt.Errorf("gallery: %d entries beside the diagonal of %d rows: want at least 0 and 1, at most %d", perRow, n, math.MaxInt32)
	}
	random := uniform(seed)
	ptr := make([]int64, 1, n+1)
	var col []int32
	var val []float64
	for i := range n {
		first := len(col)
		col = append(col, int32(i))
		for range perRow {
			col = append(col, int32(random()*float64(n)))
		}
		slices.Sort(col[first:])
		col = col[:first+len(slices.Compact(col[first:]))]
		diagonal, sum := 0, 1.0
		for k, j := range col[first:] {
			v := random()*2 - 1
			val = append(val, v)
			if int(j) == i {
				diagonal = first + k
			} else {
				sum += math.Abs(v)
			}
		}
		val[diagonal] = sum
		ptr = append(ptr, int64(len(col)))
	}
	return sparse.NewCSR(n, n, ptr, col, val)
}

// RMATLaplacian returns the Laplacian of an undirected random graph, degrees on
// the diagonal and -1 for each edge, plus shift times the identity. It is
// symmetric, singular without a shift and positive definite with a positive one.
//
// The graph has 2^scale vertices and at most edgeFactor * 2^scale edges, drawn as
// by Graph500: recursively into quadrants with probabilities 0.57, 0.19, 0.19 and
// 0.05 (R-MAT: Chakrabarti, Zhan and Faloutsos 2004), so that a few rows are very
// long and many are nearly empty. Loops and multiple edges are dropped.
func RMATLaplacian(scale, edgeFactor int, shift float64, seed uint64) (*sparse.CSR, error) {
	if scale < 0 || scale > 30 || edgeFactor < 0 || edgeFactor > 1024 {
		return nil, fmt.Errorf("gallery: R-MAT graph of scale %d with edge factor %d: want a scale in [0, 30] and a factor in [0, 1024]", scale, edgeFactor)
	}
	n := 1 << scale
	random := uniform(seed)
	entries := make([]uint64, 0, n+2*n*edgeFactor) // row<<32 | column
	for i := range uint64(n) {
		entries = append(entries, i<<32|i)
	}
	for range n * edgeFactor {
		var i, j uint64
		for range scale {
			u := random()
			i, j = 2*i, 2*j
			switch {
			case u < 0.57:
			case u < 0.76:
				j++
			case u < 0.95:
				i++
			default:
				i, j = i+1, j+1
			}
		}
		entries = append(entries, i<<32|j, j<<32|i)
	}
	slices.Sort(entries)
	entries = slices.Compact(entries)

	ptr := make([]int64, n+1)
	col := make([]int32, len(entries))
	val := make([]float64, len(entries))
	for k, e := range entries {
		ptr[e>>32+1]++
		col[k], val[k] = int32(uint32(e)), -1
	}
	for i := range n {
		degree := float64(ptr[i+1] - 1) // all entries but the diagonal
		ptr[i+1] += ptr[i]
		k, _ := slices.BinarySearch(col[ptr[i]:ptr[i+1]], int32(i))
		val[ptr[i]+int64(k)] = degree + shift
	}
	return sparse.NewCSR(n, n, ptr, col, val)
}
