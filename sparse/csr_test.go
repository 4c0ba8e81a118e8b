package sparse_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse"
)

func newCSR(t testing.TB, rows, cols int, ptr []int64, col []int32, val []float64) *sparse.CSR {
	t.Helper()
	a, err := sparse.NewCSR(rows, cols, ptr, col, val)
	require.NoError(t, err)
	return a
}

// small returns the 3 x 4 matrix
//
//	1 0 2 0
//	0 0 0 0
//	0 3 0 0 (with a stored zero at the end)
func small(t testing.TB) *sparse.CSR {
	return newCSR(t, 3, 4, []int64{0, 2, 2, 4}, []int32{0, 2, 1, 3}, []float64{1, 2, 3, 0})
}

func TestNewCSRNamesEveryFault(t *testing.T) {
	ptr := func(p ...int64) []int64 { return p }
	col := func(c ...int32) []int32 { return c }
	one := []float64{1, 1, 1}
	for _, c := range []struct {
		rows, cols int
		ptr        []int64
		col        []int32
		val        []float64
		want       sparse.StructureError
	}{
		{2, 2, nil, nil, nil, sparse.StructureError{Fault: sparse.FaultLength, Row: -1, Entry: -1}},
		{2, 2, ptr(0, 1), col(0), one[:1], sparse.StructureError{Fault: sparse.FaultLength, Row: -1, Entry: -1}},
		{1, 2, ptr(0, 1, 1), col(0), one[:1], sparse.StructureError{Fault: sparse.FaultLength, Row: -1, Entry: -1}},
		{1, 2, ptr(0, 1), col(0), one[:2], sparse.StructureError{Fault: sparse.FaultLength, Row: -1, Entry: -1}},
		{1, 2, ptr(1, 1), col(0), one[:1], sparse.StructureError{Fault: sparse.FaultStart, Row: 0, Entry: -1}},
		{2, 2, ptr(0, 2, 1), col(0), one[:1], sparse.StructureError{Fault: sparse.FaultOrder, Row: 1, Entry: -1}},
		{2, 2, ptr(0, -1, 1), col(0), one[:1], sparse.StructureError{Fault: sparse.FaultOrder, Row: 0, Entry: -1}},
		{1, 2, ptr(0, 1), col(0, 1), one[:2], sparse.StructureError{Fault: sparse.FaultEnd, Row: 1, Entry: -1}},
		{1, 2, ptr(0, 1<<40), col(0, 1), one[:2], sparse.StructureError{Fault: sparse.FaultEnd, Row: 1, Entry: -1}},
		{2, 2, ptr(0, 1, 2), col(0, 7), one[:2], sparse.StructureError{Fault: sparse.FaultRange, Row: 1, Entry: 1}},
		{2, 2, ptr(0, 1, 2), col(0, -1), one[:2], sparse.StructureError{Fault: sparse.FaultRange, Row: 1, Entry: 1}},
		{2, 2, ptr(0, 0, 2), col(1, 0), one[:2], sparse.StructureError{Fault: sparse.FaultUnsorted, Row: 1, Entry: 1}},
		{2, 2, ptr(0, 0, 2), col(1, 1), one[:2], sparse.StructureError{Fault: sparse.FaultDuplicate, Row: 1, Entry: 1}},
		{1, 0, ptr(0, 1), col(0), one[:1], sparse.StructureError{Fault: sparse.FaultRange, Row: 0, Entry: 0}},
	} {
		_, err := sparse.NewCSR(c.rows, c.cols, c.ptr, c.col, c.val)
		var got *sparse.StructureError
		require.ErrorAs(t, err, &got, "%v", c.want)
		require.NotEmpty(t, got.Detail)
		require.Contains(t, err.Error(), got.Fault.String())
		got.Detail = ""
		require.Equal(t, c.want, *got)
	}
	_, err := sparse.NewCSR(2, 2, []int64{0, 1, 2}, []int32{0, 7}, []float64{1, 1})
	require.EqualError(t, err, "sparse: row 1: entry 1: entry outside of the matrix: column 7 of 2")
	require.PanicsWithValue(t, mat.ErrNegativeDimension, func() { _, _ = sparse.NewCSR(-1, 2, nil, nil, nil) })
}

func TestNewCSRLimit(t *testing.T) {
	for _, dims := range [][2]int{{math.MaxInt32 + 1, 1}, {1, math.MaxInt32 + 1}} {
		_, err := sparse.NewCSR(dims[0], dims[1], []int64{0, 0}, nil, nil)
		var limit *sparse.LimitError
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, math.MaxInt32, limit.Limit)
		require.ErrorContains(t, err, "cannot be a CSR: at most 2147483647 rows and columns")
	}
	a := newCSR(t, 1, math.MaxInt32, []int64{0, 1}, []int32{math.MaxInt32 - 1}, []float64{5})
	require.Equal(t, 5.0, a.At(0, math.MaxInt32-1))
}

func TestCheckSeesWhatWasWrittenThroughRaw(t *testing.T) {
	a := small(t)
	require.NoError(t, a.Check())
	a.RawCSR().Col[1] = 0
	require.Error(t, a.Check())
}

func TestZeroValue(t *testing.T) {
	var a sparse.CSR
	require.NoError(t, a.Check())
	require.Equal(t, []int64{0}, a.RawCSR().Ptr)
	a.Mul(nil, nil)
	a.MulTrans(nil, nil)
	empty := newCSR(t, 0, 0, []int64{0}, nil, nil)
	for _, b := range []*sparse.CSR{a.Transpose(), a.Rows(0, 0), empty} {
		require.True(t, a.Equal(b))
	}
	require.True(t, a.IsSymmetric())
	require.Zero(t, a.Trace())
	for _, p := range []float64{1, 2, math.Inf(1)} {
		require.Zero(t, a.Norm(p))
	}
	b, err := a.ToCOO().ToCSR()
	require.NoError(t, err)
	require.True(t, a.Equal(b))
}

func TestAccess(t *testing.T) {
	a := small(t)
	require.Equal(t, 4, a.NNZ())
	require.Equal(t, []float64{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0}, a.ToDense().RawMatrix().Data)
	col, val := a.Row(2)
	require.Equal(t, []int32{1, 3}, col)
	require.Equal(t, []float64{3, 0}, val)
	col, val = a.Row(0)
	_, _ = append(col, 9), append(val, 9)
	require.Equal(t, 3.0, a.At(2, 1), "an append to a row must not reach the next")

	for _, access := range []struct {
		want error
		f    func()
	}{
		{mat.ErrRowAccess, func() { a.At(3, 0) }},
		{mat.ErrRowAccess, func() { a.At(-1, 0) }},
		{mat.ErrColAccess, func() { a.At(0, 4) }},
		{mat.ErrColAccess, func() { a.At(1, -1) }},
		{mat.ErrRowAccess, func() { a.T().At(4, 0) }},
		{mat.ErrColAccess, func() { a.T().At(0, 3) }},
		{mat.ErrRowAccess, func() { a.Row(3) }},
		{mat.ErrRowAccess, func() { a.DoRowNonZero(-1, nil) }},
		{mat.ErrRowAccess, func() { a.Rows(2, 1) }},
		{mat.ErrRowAccess, func() { a.Rows(0, 4) }},
		{mat.ErrShape, func() { a.Diagonal(make([]float64, 4)) }},
		{mat.ErrSquare, func() { a.Trace() }},
		{mat.ErrNormOrder, func() { a.Norm(3) }},
	} {
		require.PanicsWithValue(t, access.want, access.f)
	}
}

func TestDoNonZeroSkipsStoredZeros(t *testing.T) {
	var got []float64
	a := small(t)
	a.DoNonZero(func(i, j int, v float64) {
		require.Equal(t, a.At(i, j), v)
		got = append(got, v)
	})
	require.Equal(t, []float64{1, 2, 3}, got)
}

func TestEqualComparesBits(t *testing.T) {
	one := func(v float64) *sparse.CSR { return newCSR(t, 1, 2, []int64{0, 1}, []int32{0}, []float64{v}) }
	require.True(t, one(math.NaN()).Equal(one(math.NaN())))
	require.False(t, one(0).Equal(one(math.Copysign(0, -1))))
	require.False(t, one(0).Equal(newCSR(t, 1, 2, []int64{0, 0}, nil, nil)))
	require.False(t, one(1).Equal(newCSR(t, 1, 3, []int64{0, 1}, []int32{0}, []float64{1})))
}

func TestTransposeViewIsCoherent(t *testing.T) {
	a := small(t)
	v := a.T()
	a.RawCSR().Val[1] = 8
	require.Equal(t, 8.0, v.At(2, 0))
	require.Same(t, a, v.T())
	require.Same(t, a, v.(mat.Untransposer).Untranspose())
	require.True(t, mat.Equal(v, a.ToDense().T()))
	require.True(t, mat.Equal(v, a.Transpose()))
	for _, p := range []float64{1, 2, math.Inf(1)} { // gonum leads the view to CSR.Norm
		require.Equal(t, a.Transpose().Norm(p), mat.Norm(v, p))
	}
}

func TestIsSymmetric(t *testing.T) {
	for _, c := range []struct {
		name string
		ptr  []int64
		col  []int32
		val  []float64
		want bool
	}{
		{"symmetric", []int64{0, 2, 4, 5}, []int32{0, 1, 0, 2, 1}, []float64{1, 2, 2, 3, 3}, true},
		{"a value differs", []int64{0, 2, 4, 5}, []int32{0, 1, 0, 2, 1}, []float64{1, 2, 2, 3, math.Nextafter(3, 4)}, false},
		{"upper entry without image", []int64{0, 1, 1, 1}, []int32{2}, []float64{1}, false},
		{"lower entry without image", []int64{0, 0, 0, 1}, []int32{0}, []float64{1}, false},
		{"zero without image", []int64{0, 1, 1, 1}, []int32{1}, []float64{0}, false},
		{"zeros of both signs", []int64{0, 1, 2, 2}, []int32{1, 0}, []float64{0, math.Copysign(0, -1)}, true},
		{"NaN", []int64{0, 1, 1, 1}, []int32{0}, []float64{math.NaN()}, false},
		{"no entries", []int64{0, 0, 0, 0}, nil, nil, true},
	} {
		require.Equal(t, c.want, newCSR(t, 3, 3, c.ptr, c.col, c.val).IsSymmetric(), c.name)
	}
	require.False(t, newCSR(t, 1, 2, []int64{0, 0}, nil, nil).IsSymmetric())
}

func TestNormsOfExtremeValues(t *testing.T) {
	row := func(v ...float64) *sparse.CSR {
		return newCSR(t, 1, 4, []int64{0, int64(len(v))}, []int32{0, 1, 2, 3}[:len(v)], v)
	}
	inf := math.Inf(1)
	require.Equal(t, 5e300, row(3e300, -4e300).Norm(2))
	require.Equal(t, 5*0x1p-1070, row(3*0x1p-1070, 4*0x1p-1070).Norm(2))
	require.Equal(t, 5e-324, row(5e-324).Norm(2))
	require.Equal(t, math.MaxFloat64, row(math.MaxFloat64, 1).Norm(2))
	require.Equal(t, inf, row(math.MaxFloat64, math.MaxFloat64).Norm(2))
	require.Equal(t, inf, row(1, -inf).Norm(2))
	require.Zero(t, row(0, 0).Norm(2))
	for _, p := range []float64{1, 2, inf} {
		require.True(t, math.IsNaN(row(1, math.NaN(), inf).Norm(p)), "norm %v", p)
	}
	a := newCSR(t, 3, 3, []int64{0, 1, 2, 3}, []int32{0, 1, 2}, []float64{1e16, 1, -1e16})
	require.Equal(t, 1.0, a.Trace(), "rounded once")
}

func TestFromMatrix(t *testing.T) {
	band := mat.NewBandDense(3, 4, 1, 1, []float64{-1, 1, 2, 3, 4, 5, 6, 7, 0})
	dense := mat.NewDense(2, 3, []float64{1, math.NaN(), 0, math.Copysign(0, -1), 0, math.Inf(-1)})
	for _, m := range []mat.Matrix{band, band.T(), dense, dense.T(), small(t).T(), mat.NewVecDense(3, []float64{1, 0, 2})} {
		a, err := sparse.FromMatrix(m)
		require.NoError(t, err)
		require.NoError(t, a.Check())
		requireElements(t, m, a)
	}
	a, err := sparse.FromMatrix(dense)
	require.NoError(t, err)
	require.Equal(t, 3, a.NNZ())

	a = small(t)
	b, err := sparse.FromMatrix(a)
	require.NoError(t, err)
	require.True(t, a.Equal(b))
	b.RawCSR().Val[0] = 9
	require.Equal(t, 1.0, a.At(0, 0))

	require.PanicsWithValue(t, mat.ErrZeroLength, func() { newCSR(t, 0, 3, []int64{0}, nil, nil).ToDense() })
}

// requireElements compares element by element; a NaN equals a NaN.
func requireElements(t testing.TB, want, got mat.Matrix) {
	t.Helper()
	r, c := want.Dims()
	gr, gc := got.Dims()
	require.Equal(t, []int{r, c}, []int{gr, gc})
	for i := range r {
		for j := range c {
			if u, v := want.At(i, j), got.At(i, j); u != v && !(math.IsNaN(u) && math.IsNaN(v)) {
				require.Equal(t, u, v, "element (%d, %d)", i, j)
			}
		}
	}
}
