package sparse

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// Mul sets y = A x. The bits of the result depend on A and x alone, as the
// package comment says. It panics with mat.ErrShape unless len(x) is the number
// of columns and len(y) that of rows, and if y and x overlap. It allocates
// nothing.
func (a *CSR) Mul(y, x []float64) {
	a.checkVectors(y, x, a.rows, a.cols)
	kernel.Rows(y, a.ptr, a.col, a.val, x, 0, a.rows)
}

// MulTrans sets y = A^T x, with the bits of the product with [CSR.Transpose]. It
// panics with mat.ErrShape unless len(x) is the number of rows and len(y) that
// of columns, and if y and x overlap.
//
// It reads A once, but reads and writes y for each entry, and hence is slower
// than the product with a transposed matrix: transpose if you multiply often. A
// matrix with more than 256 entries in some column takes 10 bytes a column of
// scratch in each call; for all others the first call takes 2 bytes a column,
// and later ones allocate nothing.
func (a *CSR) MulTrans(y, x []float64) {
	a.checkVectors(y, x, a.cols, a.rows)
	clear(y)
	if a.isTall() {
		a.mulTransTall(y, x)
		return
	}
	for i, xi := range x {
		b, e := a.ptr[i], a.ptr[i+1]
		col, val := a.col[b:e], a.val[b:e]
		val = val[:len(col)]
		for k, j := range col {
			y[j] = math.FMA(val[k], xi, y[j])
		}
	}
}

// mulTransTall keeps, for each column, the sum of the finished segments, and in
// y that of the segment that is being summed.
func (a *CSR) mulTransTall(y, x []float64) {
	sum := make([]float64, a.cols)
	for j := range sum {
		sum[j] = math.Copysign(0, -1) // adding to -0 keeps every bit
	}
	n := make([]uint16, a.cols) // entries in the segment
	for i, xi := range x {
		for k := a.ptr[i]; k < a.ptr[i+1]; k++ {
			j := a.col[k]
			if n[j] == kernel.Segment {
				sum[j] += y[j]
				y[j], n[j] = 0, 0
			}
			y[j] = math.FMA(a.val[k], xi, y[j])
			n[j]++
		}
	}
	for j, s := range sum {
		y[j] = s + y[j]
	}
}

// isTall reports whether a column has more entries than a segment. The answer is
// kept; several goroutines may find it at once.
func (a *CSR) isTall() bool {
	const no, yes = 1, 2
	if a.rows <= kernel.Segment {
		return false
	}
	if known := a.tall.Load(); known != 0 {
		return known == yes
	}
	n := make([]uint16, a.cols)
	for _, j := range a.col {
		if n[j]++; n[j] > kernel.Segment {
			a.tall.Store(yes)
			return true
		}
	}
	a.tall.Store(no)
	return false
}

// MulVecTo sets dst = A x, or A^T x if trans, with the bits of [CSR.Mul] and
// [CSR.MulTrans]. As in gonum, an empty dst gets the right length, whatever dst
// held is overwritten, a wrong length panics with mat.ErrShape, and an empty dst
// for a matrix without rows with mat.ErrZeroLength. dst and x may overlap.
//
// Vectors other than *mat.VecDense, those with gaps, and overlaps cost a copy.
func (a *CSR) MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector) {
	m, n := a.rows, a.cols
	mul := a.Mul
	if trans {
		m, n = n, m
		mul = a.MulTrans
	}
	if x.Len() != n {
		panic(errShape)
	}
	from := contiguous(x)
	if dst.IsEmpty() {
		dst.ReuseAsVec(m)
	} else if dst.Len() != m {
		panic(errShape)
	}
	raw := dst.RawVector()
	if raw.Inc == 1 && !overlap(raw.Data, from) {
		mul(raw.Data[:m], from)
		return
	}
	y := make([]float64, m)
	mul(y, from)
	for i, v := range y {
		raw.Data[i*raw.Inc] = v
	}
}

// contiguous returns the elements of x, without copying if it can.
func contiguous(x mat.Vector) []float64 {
	if d, ok := x.(*mat.VecDense); ok {
		if raw := d.RawVector(); raw.Inc == 1 {
			return raw.Data[:raw.N]
		}
	}
	y := make([]float64, x.Len())
	for i := range y {
		y[i] = x.AtVec(i)
	}
	return y
}

func (a *CSR) checkVectors(y, x []float64, ny, nx int) {
	if len(y) != ny || len(x) != nx {
		panic(errShape)
	}
	if overlap(y, x) {
		panic("sparse: y and x overlap")
	}
}

func overlap(a, b []float64) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	at := func(x []float64, i int) uintptr { return uintptr(unsafe.Pointer(&x[i])) }
	return at(a, 0) <= at(b, len(b)-1) && at(b, 0) <= at(a, len(a)-1)
}
