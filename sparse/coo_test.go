package sparse_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse"
)

// entry is one entry of a COO.
type entry struct {
	i, j int64
	v    float64
}

func coo(rows, cols int64, entries ...entry) *sparse.COO {
	a := sparse.NewCOO(rows, cols, len(entries))
	for _, e := range entries {
		a.Append(e.i, e.j, e.v)
	}
	return a
}

func toCSR(t testing.TB, a *sparse.COO) *sparse.CSR {
	t.Helper()
	c, err := a.ToCSR()
	require.NoError(t, err)
	require.NoError(t, c.Check())
	return c
}

func TestAppendOutside(t *testing.T) {
	a := coo(2, 3)
	for _, i := range []int64{-1, 2, 1 << 32} {
		require.PanicsWithValue(t, mat.ErrRowAccess, func() { a.Append(i, 0, 1) })
	}
	for _, j := range []int64{-1, 3, 1 << 32} {
		require.PanicsWithValue(t, mat.ErrColAccess, func() { a.Append(0, j, 1) })
	}
	require.PanicsWithValue(t, mat.ErrNegativeDimension, func() { sparse.NewCOO(1, -1, 0) })
}

func TestDuplicates(t *testing.T) {
	leading := toCSR(t, coo(2, 2, entry{0, 0, 1}, entry{0, 0, 2}, entry{1, 1, 4}))
	require.Equal(t, []float64{3, 4}, leading.RawCSR().Val)

	// Every way to look at the matrix sees the sum.
	a := toCSR(t, coo(2, 2, entry{1, 0, 2}, entry{0, 1, 1}, entry{1, 0, 3.5}))
	require.Equal(t, 2, a.NNZ())
	require.Equal(t, 5.5, a.At(1, 0))
	require.Equal(t, 5.5, a.ToDense().At(1, 0))
	require.Equal(t, 5.5, a.Transpose().At(0, 1))
	y := make([]float64, 2)
	a.Mul(y, []float64{1, 0})
	require.Equal(t, []float64{0, 5.5}, y)
	a.MulTrans(y, []float64{0, 1})
	require.Equal(t, []float64{5.5, 0}, y)
	d := toCSR(t, coo(1, 1, entry{0, 0, 2}, entry{0, 0, 3.5}))
	d.Diagonal(y[:1])
	require.Equal(t, 5.5, y[0])
}

func TestDuplicatesAreSummedInOrder(t *testing.T) {
	// 1e16 + 1 + -1e16 is 0, any other order is not; columns arrive unsorted.
	a := toCSR(t, coo(1, 3, entry{0, 2, 1e16}, entry{0, 0, 5}, entry{0, 2, 1}, entry{0, 1, 6}, entry{0, 2, -1e16}))
	require.Equal(t, []float64{5, 6, 0}, a.RawCSR().Val)
}

func TestValuesKeepTheirBits(t *testing.T) {
	nan := math.Float64frombits(0xfff8_0000_dead_beef)
	want := []float64{0, math.Copysign(0, -1), nan, 5e-324}
	a := coo(1, 4)
	for j := 3; j >= 0; j-- {
		a.Append(0, int64(j), want[j])
	}
	got := toCSR(t, a).RawCSR().Val
	for j := range want {
		require.Equal(t, math.Float64bits(want[j]), math.Float64bits(got[j]))
	}
	zero := coo(1, 1, entry{0, 0, 1}, entry{0, 0, -1})
	require.Equal(t, 2, zero.Len())
	require.Equal(t, 1, toCSR(t, zero).NNZ(), "a sum of zero stays an entry")
}

func TestEmptyRows(t *testing.T) {
	a := toCSR(t, coo(4, 4, entry{3, 3, 4}, entry{0, 0, 1}))
	require.Equal(t, []int64{0, 1, 1, 1, 2}, a.RawCSR().Ptr)
	d := make([]float64, 4)
	a.Diagonal(d)
	require.Equal(t, []float64{1, 0, 0, 4}, d)
}

func TestCOOLimits(t *testing.T) {
	for _, dims := range [][2]int64{
		{math.MaxInt32 + 1, 1}, {1, math.MaxInt32 + 1}, {math.MaxInt64, math.MaxInt64},
		{math.MaxInt32, math.MaxInt32}, {1_000_000_000, 2}, // far too many rows for an entry
	} {
		a := coo(dims[0], dims[1], entry{0, 0, 1}, entry{dims[0] - 1, dims[1] - 1, 1})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := a.ToCSR()
		runtime.ReadMemStats(&after)
		var limit *sparse.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, [2]int64{limit.Rows, limit.Cols}, dims)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
	wide := toCSR(t, coo(1, math.MaxInt32, entry{0, math.MaxInt32 - 1, 7}))
	require.Equal(t, 7.0, wide.At(0, math.MaxInt32-1))
}

func TestCOOFaults(t *testing.T) {
	for _, c := range []struct {
		a     sparse.COO
		fault sparse.Fault
	}{
		{sparse.COO{Rows: 2, Cols: 2, I: []int64{0}, J: []int64{0, 1}, V: []float64{1}}, sparse.FaultLength},
		{sparse.COO{Rows: 2, Cols: 2, I: []int64{0, 2}, J: []int64{0, 0}, V: []float64{1, 2}}, sparse.FaultRange},
		{sparse.COO{Rows: 2, Cols: 2, I: []int64{0, 1}, J: []int64{0, -1}, V: []float64{1, 2}}, sparse.FaultRange},
		{sparse.COO{Rows: 2, Cols: 2, I: []int64{0, 1}, J: []int64{0, 1 << 32}, V: []float64{1, 2}}, sparse.FaultRange},
	} {
		_, err := c.a.ToCSR()
		var got *sparse.StructureError
		require.ErrorAs(t, err, &got)
		require.Equal(t, c.fault, got.Fault)
		if c.fault == sparse.FaultRange {
			require.Equal(t, c.a.I[1], got.Row)
			require.EqualValues(t, 1, got.Entry)
		}
	}
}
