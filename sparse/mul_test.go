package sparse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/symsparse/symsparse/sparse"
)

// randomCOO draws an unsorted list with duplicates, empty rows and empty columns.
func randomCOO(r *rand.Rand, rows, cols, n int) *sparse.COO {
	a := sparse.NewCOO(int64(rows), int64(cols), n)
	if rows == 0 || cols == 0 {
		return a
	}
	for range n {
		i, j := r.IntN(rows), r.IntN(cols)
		if i%7 == 3 || j%5 == 2 {
			continue
		}
		a.Append(int64(i), int64(j), r.NormFloat64())
	}
	return a
}

func randomVector(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func requireBits(t require.TestingT, want, got []float64) {
	require.Equal(t, len(want), len(got))
	for i := range want {
		if math.Float64bits(want[i]) != math.Float64bits(got[i]) {
			require.Failf(t, "different bits", "element %d: want %x, got %x", i, want[i], got[i])
		}
	}
}

func TestAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 200).Draw(t, "rows"), rapid.IntRange(0, 200).Draw(t, "cols")
		perRow := rapid.SampledFrom([]float64{0, 0.1, 1, 5, 40}).Draw(t, "entries per row")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		list := randomCOO(r, rows, cols, int(perRow*float64(rows)))
		a, err := list.ToCSR()
		require.NoError(t, err)
		require.NoError(t, a.Check())
		if rows == 0 || cols == 0 {
			return // gonum has no such matrices
		}

		d := mat.NewDense(rows, cols, nil)
		for k, v := range list.V {
			i, j := int(list.I[k]), int(list.J[k])
			d.Set(i, j, d.At(i, j)+v)
		}
		require.True(t, mat.Equal(d, a))
		require.True(t, mat.Equal(d, a.ToDense()))
		require.True(t, mat.Equal(d.T(), a.Transpose()))
		require.NoError(t, a.Transpose().Check())
		require.True(t, a.Equal(a.Transpose().Transpose()))
		again, err := a.ToCOO().ToCSR()
		require.NoError(t, err)
		require.True(t, a.Equal(again))
		lo := rapid.IntRange(0, rows-1).Draw(t, "lo")
		hi := rapid.IntRange(lo+1, rows).Draw(t, "hi")
		require.NoError(t, a.Rows(lo, hi).Check())
		require.True(t, mat.Equal(d.Slice(lo, hi, 0, cols), a.Rows(lo, hi)))

		for _, p := range []float64{1, 2, math.Inf(1)} {
			require.InEpsilon(t, 1+mat.Norm(d, p), 1+mat.Norm(a, p), 1e-13)
		}
		diagonal := make([]float64, min(rows, cols))
		a.Diagonal(diagonal)
		for i, v := range diagonal {
			require.Equal(t, d.At(i, i), v)
		}
		square := d.Slice(0, len(diagonal), 0, len(diagonal))
		trace, err := sparse.FromMatrix(square)
		require.NoError(t, err)
		require.InDelta(t, mat.Trace(square), mat.Trace(trace), 1e-12)
		require.Equal(t, mat.Equal(square, square.T()), trace.IsSymmetric())

		x, z := randomVector(r, cols), randomVector(r, rows)
		var want, got mat.VecDense
		want.MulVec(d, mat.NewVecDense(cols, x))
		got.ReuseAsVec(rows)
		a.Mul(got.RawVector().Data, x)
		require.True(t, mat.EqualApprox(&want, &got, 1e-12))

		want.Reset()
		want.MulVec(d.T(), mat.NewVecDense(rows, z))
		y := make([]float64, cols)
		a.MulTrans(y, z)
		require.True(t, mat.EqualApprox(&want, mat.NewVecDense(cols, y), 1e-12))
		transposed := make([]float64, cols)
		a.Transpose().Mul(transposed, z)
		requireBits(t, transposed, y)
	})
}

func TestMulTransHasTheBitsOfTheTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	negative := func() float64 { return -1e-200 } // every product underflows to -0
	ordinary := r.NormFloat64
	for _, rows := range []int{1, 255, 256, 257, 258, 512, 513, 1000} {
		for _, value := range []func() float64{ordinary, negative} {
			a := sparse.NewCOO(int64(rows), 4, 0)
			x := make([]float64, rows)
			for i := range rows {
				x[i] = math.Abs(value())
				a.Append(int64(i), 0, value()) // a full column
				if i%2 == 0 {
					a.Append(int64(i), 2, value())
				}
				if i == rows/2 {
					a.Append(int64(i), 3, value())
				}
			}
			c := toCSR(t, a)
			want, got := make([]float64, 4), make([]float64, 4)
			c.Transpose().Mul(want, x)
			for range 2 { // the second call knows the columns' lengths
				got[1] = math.NaN()
				c.MulTrans(got, x)
				requireBits(t, want, got)
			}
		}
	}
}

// A column one entry longer than a segment: the last product is rounded to a tie
// before it is added, which an fma would not do.
func TestMulTransCutsTheShortestTallColumn(t *testing.T) {
	a := sparse.NewCOO(257, 1, 0)
	x := make([]float64, 257)
	for i := range x {
		a.Append(int64(i), 0, 0)
	}
	a.V[0], x[0] = 1+0x1p-52, 1
	a.V[256], x[256] = 1+0x1p-30, 0x1p-53*(1-0x1p-30)
	y := make([]float64, 1)
	toCSR(t, a).MulTrans(y, x)
	require.Equal(t, 1+0x1p-51, y[0])
}

func TestMulChecksVectors(t *testing.T) {
	a := small(t) // 3 x 4
	v := make([]float64, 10)
	for _, f := range []func(){
		func() { a.Mul(v[:3], v[4:7]) },
		func() { a.Mul(v[:4], v[4:8]) },
		func() { a.MulTrans(v[:3], v[4:7]) },
		func() { a.MulTrans(v[:4], v[4:8]) },
		func() { a.MulVecTo(mat.NewVecDense(2, nil), false, mat.NewVecDense(4, nil)) },
		func() { a.MulVecTo(mat.NewVecDense(3, nil), false, mat.NewVecDense(3, nil)) },
		func() { a.MulVecTo(mat.NewVecDense(3, nil), true, mat.NewVecDense(3, nil)) },
	} {
		require.PanicsWithValue(t, mat.ErrShape, f)
	}
	require.Panics(t, func() { a.Mul(v[:3], v[2:6]) }, "overlap")
	require.Panics(t, func() { a.Mul(v[5:8], v[2:6]) }, "overlap")
	a.Mul(v[:3], v[3:7])
}

func TestMulVecToFollowsGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a := toCSR(t, randomCOO(r, 30, 30, 200))
	n := 30
	for _, trans := range []bool{false, true} {
		x := randomVector(r, n)
		want := make([]float64, n)
		if trans {
			a.MulTrans(want, x)
		} else {
			a.Mul(want, x)
		}
		check := func(dst *mat.VecDense, x mat.Vector) {
			t.Helper()
			a.MulVecTo(dst, trans, x)
			got := make([]float64, n)
			for i := range got {
				got[i] = dst.AtVec(i)
			}
			requireBits(t, want, got)
		}
		vec := mat.NewVecDense(n, x)
		check(new(mat.VecDense), vec) // resized

		dst := mat.NewVecDense(n, randomVector(r, n))
		check(dst, vec)
		check(dst, vec) // overwrites, does not accumulate

		same := mat.VecDenseCopyOf(vec)
		check(same, same)

		shared := make([]float64, n+5)
		copy(shared, x)
		check(mat.NewVecDense(n, shared[5:]), mat.NewVecDense(n, shared[:n]))

		wide := mat.NewDense(n, 3, nil)
		wide.SetCol(1, x)
		check(wide.ColView(2).(*mat.VecDense), wide.ColView(1))
		check(wide.ColView(1).(*mat.VecDense), wide.ColView(1))
		require.Zero(t, wide.At(0, 0))

		check(dst, opaque{vec})

		view := a.T().(interface {
			MulVecTo(*mat.VecDense, bool, mat.Vector)
		})
		view.MulVecTo(dst, !trans, vec)
		requireBits(t, want, dst.RawVector().Data)
	}
	require.PanicsWithValue(t, mat.ErrZeroLength, func() {
		newCSR(t, 0, 1, []int64{0}, nil, nil).MulVecTo(new(mat.VecDense), false, mat.NewVecDense(1, nil))
	})
	var filled mat.VecDense
	newCSR(t, 2, 0, []int64{0, 0, 0}, nil, nil).MulVecTo(&filled, false, new(mat.VecDense))
	require.Equal(t, []float64{0, 0}, filled.RawVector().Data)
}

// opaque is a vector whose storage cannot be trusted to hold its elements.
type opaque struct{ mat.Vector }

func (opaque) RawVector() blas64.Vector { panic("not the elements") }

func TestProductsDoNotAllocate(t *testing.T) {
	a := toCSR(t, randomCOO(rand.New(rand.NewPCG(1, 1)), 300, 300, 2000))
	x, y := mat.NewVecDense(300, nil), mat.NewVecDense(300, nil)
	for name, f := range map[string]func(){
		"Mul":            func() { a.Mul(y.RawVector().Data, x.RawVector().Data) },
		"MulTrans":       func() { a.MulTrans(y.RawVector().Data, x.RawVector().Data) },
		"MulVecTo":       func() { a.MulVecTo(y, false, x) },
		"MulVecTo trans": func() { a.MulVecTo(y, true, x) },
	} {
		require.Zero(t, testing.AllocsPerRun(10, f), name)
	}
}
