package sparse

import (
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
)

// CSR is a matrix in compressed sparse row form. Each row's entries are in
// strictly ascending columns; a position without an entry is zero. An entry may
// have the value zero: it is stored, counted and multiplied like any other.
//
// A CSR is made by [COO.ToCSR], [NewCSR], [FromMatrix] or package gallery, all
// of which see to these invariants. Its structure does not change afterwards.
// Methods that do not say otherwise only read, and may be called by several
// goroutines at once. The zero value is an empty 0 x 0 matrix.
type CSR struct {
	rows, cols int
	ptr        []int64 // row i is entries ptr[i] to ptr[i+1]; may be nil if rows is 0
	col        []int32
	val        []float64

	tall atomic.Uint32 // what is known about the columns' lengths, see isTall
}

var (
	_ mat.Matrix         = (*CSR)(nil)
	_ mat.NonZeroDoer    = (*CSR)(nil)
	_ mat.RowNonZeroDoer = (*CSR)(nil)
	_ mat.Normer         = (*CSR)(nil)
	_ mat.Tracer         = (*CSR)(nil)
)

// RawCSR is the content of a [CSR]: the entries of row i have the columns
// Col[Ptr[i]:Ptr[i+1]] and the values Val[Ptr[i]:Ptr[i+1]].
type RawCSR struct {
	Rows, Cols int
	Ptr        []int64
	Col        []int32
	Val        []float64
}

// NewCSR returns the rows x cols matrix that the slices hold, as [RawCSR] says.
// It keeps the slices. It reads them once, and returns a [*StructureError] for
// the first broken invariant and a [*LimitError] for dimensions above 2^31-1.
// It panics with mat.ErrNegativeDimension if rows or cols is negative.
func NewCSR(rows, cols int, ptr []int64, col []int32, val []float64) (*CSR, error) {
	if rows < 0 || cols < 0 {
		panic(errNegativeDimension)
	}
	a := &CSR{rows: rows, cols: cols, ptr: ptr, col: col, val: val}
	if err := a.Check(); err != nil {
		return nil, err
	}
	return a, nil
}

// RawCSR returns the content of a without copying. Values may be changed through
// it, as in
//
//	floats.Scale(-1, a.RawCSR().Val)
//
// but not row pointers and columns: a relies on what was checked when it was
// made.
func (a *CSR) RawCSR() RawCSR {
	r := RawCSR{Rows: a.rows, Cols: a.cols, Ptr: a.ptr, Col: a.col, Val: a.val}
	if r.Ptr == nil {
		r.Ptr = []int64{0}
	}
	return r
}

// Dims returns the number of rows and columns.
func (a *CSR) Dims() (rows, cols int) { return a.rows, a.cols }

// NNZ returns the number of entries, those with value zero included.
func (a *CSR) NNZ() int { return len(a.val) }

// At returns element (i, j), in time logarithmic in the length of the row. It
// panics with mat.ErrRowAccess or mat.ErrColAccess if there is none.
func (a *CSR) At(i, j int) float64 {
	col, val := a.Row(i)
	if uint(j) >= uint(a.cols) {
		panic(errColAccess)
	}
	if k, ok := slices.BinarySearch(col, int32(j)); ok {
		return val[k]
	}
	return 0
}

// Row returns the columns and values of row i without copying. Columns must not
// be changed. It panics with mat.ErrRowAccess if there is no such row.
func (a *CSR) Row(i int) (col []int32, val []float64) {
	if uint(i) >= uint(a.rows) {
		panic(errRowAccess)
	}
	b, e := a.ptr[i], a.ptr[i+1]
	return a.col[b:e:e], a.val[b:e:e]
}

// Rows returns the matrix of rows lo to hi-1. It shares columns and values with
// a, and copies the row pointers. It panics with mat.ErrRowAccess unless
// 0 <= lo <= hi <= rows.
func (a *CSR) Rows(lo, hi int) *CSR {
	if lo < 0 || lo > hi || hi > a.rows {
		panic(errRowAccess)
	}
	s := &CSR{rows: hi - lo, cols: a.cols}
	if lo < hi {
		b, e := a.ptr[lo], a.ptr[hi]
		s.ptr = slices.Clone(a.ptr[lo : hi+1])
		for i := range s.ptr {
			s.ptr[i] -= b
		}
		s.col, s.val = a.col[b:e:e], a.val[b:e:e]
	}
	return s
}

// DoNonZero calls fn for each element that is not zero, row by row.
func (a *CSR) DoNonZero(fn func(i, j int, v float64)) {
	for i := range a.rows {
		a.DoRowNonZero(i, fn)
	}
}

// DoRowNonZero calls fn for each element of row i that is not zero. It panics
// with mat.ErrRowAccess if there is no such row.
func (a *CSR) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	col, val := a.Row(i)
	for k, v := range val {
		if v != 0 {
			fn(i, int(col[k]), v)
		}
	}
}

// Equal reports whether a and b have the same dimensions and the same entries,
// with values of the same bits: a NaN equals itself, and -0 differs from +0.
func (a *CSR) Equal(b *CSR) bool {
	same := func(u, v float64) bool { return math.Float64bits(u) == math.Float64bits(v) }
	return a.rows == b.rows && a.cols == b.cols && slices.Equal(a.RawCSR().Ptr, b.RawCSR().Ptr) &&
		slices.Equal(a.col, b.col) && slices.EqualFunc(a.val, b.val, same)
}
