package vec

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/internal/exact"
	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// Sum is the exact sum of float64 values. The zero value is an empty sum.
type Sum = exact.Acc

// Block returns the block length of vectors of n elements: a power of two in
// [8, 2048] that depends on n alone.
func Block(n int64) int { return kernel.BlockLen(n) }

// Dot returns x·y for whole vectors: exact over blocks, rounded once. 16n bytes.
func Dot(x, y []float64) float64 {
	var s Sum
	AddDot(&s, Block(int64(len(x))), x, y)
	return s.Float64()
}

// Norm returns the 2-norm of x without overflow or underflow, see [NormBy].
func Norm(x []float64) float64 {
	norm, _ := NormBy(x, Block(int64(len(x))),
		func(s Sum) (float64, error) { return s.Float64(), nil },
		func(m float64) (float64, error) { return m, nil })
	return norm
}

// NormBy returns the 2-norm of a vector of which x is one part: sum rounds the
// sum over all parts, largest finds the maximum over all parts, NaN if one is.
// Only if x·x is outside of [2^-900, 2^900] are the elements scaled, by the power
// of two of the largest, and their rounded squares added exactly. 8n bytes, or
// 24n with scaling.
func NormBy(x []float64, block int, sum func(Sum) (float64, error), largest func(float64) (float64, error)) (float64, error) {
	var s Sum
	AddDot(&s, block, x, x)
	xx, err := sum(s)
	if err != nil {
		return 0, err
	}
	if xx >= 0x1p-900 && xx <= 0x1p900 || math.IsNaN(xx) {
		return math.Sqrt(xx), nil
	}
	m, err := largest(MaxAbs(x))
	if err != nil || m == 0 || math.IsInf(m, 0) || math.IsNaN(m) {
		return m, err
	}
	e := math.Ilogb(m)
	s.Reset()
	for _, v := range x {
		v = math.Ldexp(v, -e)
		s.Add(float64(v * v))
	}
	xx, err = sum(s)
	return math.Ldexp(math.Sqrt(xx), e), err
}

func check(n int, vs ...[]float64) {
	for _, v := range vs {
		if len(v) != n {
			panic(mat.ErrShape)
		}
	}
}

// each calls f for the blocks [lo, hi) of n elements.
func each(n, block int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += block {
		f(lo, min(lo+block, n))
	}
}

// AddDot adds x·y to s. 16n bytes, 8n if x and y are the same vector.
func AddDot(s *Sum, block int, x, y []float64) {
	check(len(x), y)
	each(len(x), block, func(lo, hi int) { s.Add(kernel.Dot(x[lo:hi], y[lo:hi])) })
}

// AddDots adds vs[j]·w to s[j] for each j; w is read from memory once. 8n bytes
// for each of the vs and for w.
func AddDots(s []Sum, block int, vs [][]float64, w []float64) {
	check(len(w), vs...)
	each(len(w), block, func(lo, hi int) {
		for j, v := range vs {
			s[j].Add(kernel.Dot(v[lo:hi], w[lo:hi]))
		}
	})
}

// AxpyDot sets y = fma(alpha, x, y) and adds y·y to s. 24n bytes.
func AxpyDot(s *Sum, block int, alpha float64, x, y []float64) {
	check(len(x), y)
	each(len(x), block, func(lo, hi int) { s.Add(kernel.AxpyDot(alpha, x[lo:hi], y[lo:hi])) })
}

// AxpyScaledDot sets y = fma(alpha, x, y), adds y·y to yy and y·(d*y) to yz. It
// is an update of a residual that is preconditioned by a diagonal. 32n bytes.
func AxpyScaledDot(yy, yz *Sum, block int, alpha float64, x, y, d []float64) {
	check(len(x), y, d)
	each(len(x), block, func(lo, hi int) {
		a, b := kernel.AxpyScaledDot(alpha, x[lo:hi], y[lo:hi], d[lo:hi])
		yy.Add(a)
		yz.Add(b)
	})
}

// AxpyXpby sets x = fma(alpha, p, x), then p = fma(beta, p, z). 40n bytes.
func AxpyXpby(alpha float64, p, x []float64, beta float64, z []float64) {
	check(len(p), x, z)
	kernel.AxpyXpby(alpha, p, x, beta, z)
}

// AxpyXpbyScaled sets x = fma(alpha, p, x), then p = fma(beta, p, d*r). 48n bytes.
func AxpyXpbyScaled(alpha float64, p, x []float64, beta float64, d, r []float64) {
	check(len(p), x, d, r)
	kernel.AxpyXpbyScaled(alpha, p, x, beta, d, r)
}

// Axpys sets w = fma(c[j], vs[j], w) for each j in order and adds w·w to s.
// 8n bytes for each of the vs, 16n for w.
func Axpys(s *Sum, block int, c []float64, vs [][]float64, w []float64) {
	check(len(w), vs...)
	each(len(w), block, func(lo, hi int) {
		kernel.Axpys(c, vs, lo, w[lo:hi])
		s.Add(kernel.Dot(w[lo:hi], w[lo:hi]))
	})
}

// AxpysDots does [Axpys], and adds vs[j]·w of the updated w to s[j]. The vs are
// read from memory once for both. 8n bytes for each of the vs, 16n for w.
func AxpysDots(s []Sum, block int, c []float64, vs [][]float64, w []float64) {
	check(len(w), vs...)
	each(len(w), block, func(lo, hi int) {
		kernel.Axpys(c, vs, lo, w[lo:hi])
		for j, v := range vs {
			s[j].Add(kernel.Dot(v[lo:hi], w[lo:hi]))
		}
	})
}

// Scale sets y = alpha*x; x and y may be the same. 16n bytes.
func Scale(y []float64, alpha float64, x []float64) {
	check(len(x), y)
	kernel.Scale(y, alpha, x)
}

// Sub sets z = x-y; z may be x or y. 24n bytes.
func Sub(z, x, y []float64) {
	check(len(x), y, z)
	kernel.Sub(z, x, y)
}

// Mul sets z = x*y, element by element; z may be x or y. 24n bytes.
func Mul(z, x, y []float64) {
	check(len(x), y, z)
	kernel.Mul(z, x, y)
}

// MaxAbs returns the largest magnitude in x: 0 if x is empty, NaN if it has one.
// 8n bytes.
func MaxAbs(x []float64) float64 { return kernel.MaxAbs(x) }

// Reciprocal sets z = 1/x, element by element; z may be x. It returns the
// smallest index whose reciprocal is zero or not finite, or -1; the elements of
// z are then unspecified. 16n bytes.
func Reciprocal(z, x []float64) int {
	check(len(x), z)
	bad := -1
	for i, v := range x {
		r := 1 / v
		if (r == 0 || math.IsInf(r, 0) || math.IsNaN(r)) && bad < 0 {
			bad = i
		}
		z[i] = r
	}
	return bad
}
