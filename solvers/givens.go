package solvers

import "math"

// leastSquares is the small problem of a GMRES cycle: it finds the y of k
// elements that minimises ||beta*e_1 - H y|| for the (k+1) x k Hessenberg matrix
// H, which gains a column an iteration. Givens rotations keep H upper
// triangular, and give the minimum at once.
//
// It is computed by every PE, and on machines whose compilers and libraries
// differ, so that every rounding is written out: no math.Hypot, no product that
// could be fused with a sum.
type leastSquares struct {
	h    [][]float64 // h[j] is column j: j+2 elements, in the end j+1 of R
	c, s []float64   // the rotations
	g    []float64   // beta*e_1, rotated
	y    []float64
}

// negligible is the part of a column below which it is taken for rounding errors.
const negligible = 0x1p-46

func newLeastSquares(m int) *leastSquares {
	q := &leastSquares{h: make([][]float64, m), c: make([]float64, m), s: make([]float64, m),
		g: make([]float64, m+1), y: make([]float64, m)}
	for j := range q.h {
		q.h[j] = make([]float64, j+2)
	}
	return q
}

func (q *leastSquares) start(beta float64) { q.g[0] = beta }

// add takes column j, which the caller has put into h[j], and returns the minimum.
// It says that the column is dependent if H has lost its rank with it; that
// column must not be used. A negligible last element is taken as zero.
func (q *leastSquares) add(j int) (norm float64, dependent bool) {
	h := q.h[j]
	var size float64
	for _, v := range h {
		size = hypot(size, v)
	}
	if math.Abs(h[j+1]) <= negligible*size {
		h[j+1] = 0
	}
	for i := range j {
		a, b := h[i], h[i+1]
		h[i] = math.FMA(q.c[i], a, float64(q.s[i]*b))
		h[i+1] = math.FMA(q.c[i], b, -float64(q.s[i]*a))
	}
	d := hypot(h[j], h[j+1])
	if d <= negligible*size {
		return math.Abs(q.g[j]), true
	}
	q.c[j], q.s[j] = h[j]/d, h[j+1]/d
	h[j], h[j+1] = d, 0
	g := q.g[j]
	q.g[j] = float64(q.c[j] * g)
	q.g[j+1] = -float64(q.s[j] * g)
	return min(math.Abs(q.g[j+1]), math.Abs(g)), false
}

// solve returns the minimiser of the first k columns.
func (q *leastSquares) solve(k int) []float64 {
	for i := k - 1; i >= 0; i-- {
		t := q.g[i]
		for j := i + 1; j < k; j++ {
			t = math.FMA(-q.h[j][i], q.y[j], t)
		}
		q.y[i] = t / q.h[i][i]
	}
	return q.y[:k]
}

// hypot returns sqrt(a*a + b*b) without overflow or underflow.
func hypot(a, b float64) float64 {
	a, b = math.Abs(a), math.Abs(b)
	if a < b {
		a, b = b, a
	}
	if b == 0 {
		return a
	}
	t := b / a
	return float64(a * math.Sqrt(1+float64(t*t)))
}
