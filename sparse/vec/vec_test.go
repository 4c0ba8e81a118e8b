package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func random(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64() * math.Exp2(float64(r.IntN(60)-30))
	}
	return v
}

// lengths are around those at which something changes.
var lengths = []int{0, 1, 7, 8, 9, 31, 32, 33, 100, 1000, 1024, 1025, 5000, 16385, 33000}

// cuts returns parts of [0, n) that begin at multiples of block.
func cuts(r *rand.Rand, n, block int) [][2]int {
	at := []int{0, n}
	for range r.IntN(8) {
		at = append(at, min(n, block*r.IntN(n/block+2)))
	}
	slices.Sort(at)
	parts := [][2]int{}
	for k := range at[1:] {
		parts = append(parts, [2]int{at[k], at[k+1]})
	}
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts
}

// pieces returns elements lo to hi of each vector.
func pieces(vs [][]float64, lo, hi int) [][]float64 {
	p := make([][]float64, len(vs))
	for j, v := range vs {
		p[j] = v[lo:hi]
	}
	return p
}

// Every pass gives the same bits however the vector is cut at multiples of the
// block length, and whoever merges the sums.
func TestPartitionChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range lengths {
		block := Block(int64(n))
		d, x, y, z := random(r, n), random(r, n), random(r, n), random(r, n)
		vs := [][]float64{x, d, z}
		c := []float64{0.3, -1e3, 7}
		type outcome struct {
			sums []float64
			vecs [][]float64
		}
		run := func(parts [][2]int) outcome {
			var total [12]Sum
			y1, y2, y3, y4 := slices.Clone(y), slices.Clone(y), slices.Clone(y), slices.Clone(y)
			p1, x1, p2, x2 := slices.Clone(z), slices.Clone(x), slices.Clone(z), slices.Clone(x)
			for _, part := range parts {
				lo, hi := part[0], part[1]
				var s [12]Sum
				AddDot(&s[0], block, x[lo:hi], y[lo:hi])
				AddDots(s[1:4], block, pieces(vs, lo, hi), y[lo:hi])
				AxpyDot(&s[4], block, -0.7, x[lo:hi], y1[lo:hi])
				AxpyScaledDot(&s[5], &s[6], block, -0.7, x[lo:hi], y2[lo:hi], d[lo:hi])
				Axpys(&s[7], block, c, pieces(vs, lo, hi), y3[lo:hi])
				AxpysDots(s[8:11], block, c, pieces(vs, lo, hi), y4[lo:hi])
				AxpyXpby(0.1, p1[lo:hi], x1[lo:hi], 3, y[lo:hi])
				AxpyXpbyScaled(0.1, p2[lo:hi], x2[lo:hi], 3, d[lo:hi], y[lo:hi])
				for k := range s {
					total[k].Merge(&s[k])
				}
			}
			o := outcome{vecs: [][]float64{y1, y2, y3, y4, p1, x1, p2, x2}}
			for k := range total {
				o.sums = append(o.sums, total[k].Float64())
			}
			return o
		}
		want := run([][2]int{{0, n}})
		for range 10 {
			require.Equal(t, want, run(cuts(r, n, block)), "n=%d", n)
		}
		// The passes agree with each other.
		require.Equal(t, Dot(x, y), want.sums[0])
		require.Equal(t, []float64{Dot(x, y), Dot(d, y), Dot(z, y)}, want.sums[1:4])
		require.Equal(t, want.vecs[0], want.vecs[1])
		require.Equal(t, Dot(want.vecs[0], want.vecs[0]), want.sums[4])
		require.Equal(t, want.sums[4], want.sums[5])
		m := make([]float64, n)
		Mul(m, d, want.vecs[0])
		require.Equal(t, Dot(want.vecs[0], m), want.sums[6])
		require.Equal(t, want.vecs[2], want.vecs[3])
		w := want.vecs[2]
		require.Equal(t, Dot(w, w), want.sums[7])
		require.Equal(t, []float64{Dot(x, w), Dot(d, w), Dot(z, w)}, want.sums[8:11])
		for i := range n {
			require.Equal(t, math.FMA(-0.7, x[i], y[i]), want.vecs[0][i])
			require.Equal(t, math.FMA(c[2], z[i], math.FMA(c[1], d[i], math.FMA(c[0], x[i], y[i]))), w[i])
			require.Equal(t, math.FMA(3, z[i], y[i]), want.vecs[4][i])
			require.Equal(t, math.FMA(0.1, z[i], x[i]), want.vecs[5][i])
			require.Equal(t, math.FMA(3, z[i], float64(d[i]*y[i])), want.vecs[6][i])
			require.Equal(t, want.vecs[5][i], want.vecs[7][i])
		}
	}
}

// exactly computes sum x_i y_i without rounding.
func exactly(x, y []float64) *big.Float {
	sum := new(big.Float).SetPrec(5000)
	for i := range x {
		a, b := new(big.Float).SetPrec(106).SetFloat64(x[i]), new(big.Float).SetPrec(106).SetFloat64(y[i])
		sum.Add(sum, a.Mul(a, b))
	}
	return sum
}

func TestDotIsAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range lengths {
		x, y := make([]float64, n), make([]float64, n)
		var abs float64
		for i := range x {
			x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			abs += math.Abs(x[i] * y[i])
		}
		want, _ := exactly(x, y).Float64()
		// A lane has at most 64 terms, the fold 5 levels.
		require.InDelta(t, want, Dot(x, y), 70*0x1p-53*abs, "n=%d", n)
		require.Equal(t, Dot(x, y), Dot(y, x))
	}
}

func TestNormAgainstBigFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range lengths[1:] {
		for _, e := range []int{-1074, -1060, -1030, -600, -451, -449, 0, 449, 451, 600, 1015} {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.Ldexp(r.NormFloat64(), e)
			}
			want, _ := new(big.Float).Sqrt(exactly(x, x)).Float64()
			tol := want * 40 * 0x1p-53
			require.InDelta(t, want, Norm(x), max(tol, 5e-324), "n=%d 2^%d", n, e)
		}
	}
}

func TestNormOfSpecialVectors(t *testing.T) {
	require.Equal(t, 0.0, Norm(nil))
	require.Equal(t, 0.0, Norm(make([]float64, 100)))
	require.Equal(t, 5e-324, Norm([]float64{0, -5e-324}))
	require.Equal(t, 5e-324*5, Norm([]float64{3 * 5e-324, -4 * 5e-324}))
	require.Equal(t, 1e308, Norm([]float64{-1e308, 1}))
	require.Equal(t, inf, Norm([]float64{math.MaxFloat64, math.MaxFloat64}))
	require.Equal(t, inf, Norm([]float64{1, -inf}))
	require.True(t, math.IsNaN(Norm([]float64{inf, nan})))
	require.True(t, math.IsNaN(Norm([]float64{1e200, 1e200, nan})))
	require.Equal(t, 1e-200, Norm([]float64{1e-200, 0}))
}

// Dot products of numbers that cannot be added are what IEEE 754 says.
func TestDotOfSpecialVectors(t *testing.T) {
	require.Equal(t, uint64(0), math.Float64bits(Dot([]float64{0}, []float64{math.Copysign(0, -1)})))
	require.Equal(t, inf, Dot([]float64{inf, 1}, []float64{2, -1e300}))
	require.True(t, math.IsNaN(Dot([]float64{inf, 1}, []float64{0, 1})))
	require.True(t, math.IsNaN(Dot([]float64{inf, inf}, []float64{1, -1})))
}

// The blocks' sums overflow no sooner than the result.
func TestSumOfBlocksDoesNotOverflow(t *testing.T) {
	x, y := make([]float64, 40), make([]float64, 40)
	for k, v := range []float64{1.5e153, 1.5e153, -1.5e153, -1.5e153} { // one a block
		x[8*k], y[8*k] = 1e155, v
	}
	x[32], y[32] = 1, 1
	require.Equal(t, 1.0, Dot(x, y))
}

func TestReciprocal(t *testing.T) {
	for _, c := range []struct {
		x   []float64
		bad int
	}{
		{[]float64{}, -1},
		{[]float64{2, -4}, -1},
		{[]float64{2, 0, 0}, 1},
		{[]float64{1, 1, math.Copysign(0, -1)}, 2},
		{[]float64{nan}, 0},
		{[]float64{1, inf}, 1},
		{[]float64{5e-324}, 0}, // its inverse overflows
	} {
		z := make([]float64, len(c.x))
		require.Equal(t, c.bad, Reciprocal(z, c.x))
		if c.bad < 0 {
			for i := range z {
				require.Equal(t, 1/c.x[i], z[i])
			}
			require.Equal(t, -1, Reciprocal(c.x, c.x)) // in place
			require.Equal(t, z, c.x)
		}
	}
}

func TestMaxAbs(t *testing.T) {
	require.Equal(t, 0.0, MaxAbs(nil))
	require.Equal(t, 3.0, MaxAbs([]float64{1, -3, 2}))
	require.Equal(t, inf, MaxAbs([]float64{1, -inf}))
	require.True(t, math.IsNaN(MaxAbs([]float64{inf, math.Copysign(nan, -1), 1})))
}

func TestElementwise(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{4, 5, -6}
	z := make([]float64, 3)
	Sub(z, x, y)
	require.Equal(t, []float64{-3, -3, 9}, z)
	Mul(z, z, x)
	require.Equal(t, []float64{-3, -6, 27}, z)
	Scale(z, 2, z)
	require.Equal(t, []float64{-6, -12, 54}, z)
	Sub(z, z, z)
	require.Equal(t, []float64{0, 0, 0}, z)
}

func TestWrongLengthsPanic(t *testing.T) {
	a, b := make([]float64, 3), make([]float64, 4)
	var s, u Sum
	for i, f := range []func(){
		func() { Dot(a, b) },
		func() { AddDots([]Sum{s}, 8, [][]float64{b}, a) },
		func() { AxpyDot(&s, 8, 1, a, b) },
		func() { AxpyScaledDot(&s, &u, 8, 1, a, a, b) },
		func() { AxpyXpby(1, a, a, 1, b) },
		func() { AxpyXpbyScaled(1, a, a, 1, a, b) },
		func() { Axpys(&s, 8, []float64{1}, [][]float64{b}, a) },
		func() { AxpysDots([]Sum{s}, 8, []float64{1}, [][]float64{b}, a) },
		func() { Scale(a, 1, b) },
		func() { Sub(a, a, b) },
		func() { Mul(b, a, a) },
		func() { Reciprocal(a, b) },
	} {
		require.PanicsWithValue(t, mat.ErrShape, f, "%d", i)
	}
}

func TestPassesAllocateNothing(t *testing.T) {
	n := 5000
	block := Block(int64(n))
	x, y, z, d := ones(n), ones(n), ones(n), ones(n)
	vs, c, s := [][]float64{x, d}, []float64{1e-9, 1e-9}, make([]Sum, 2)
	require.Zero(t, testing.AllocsPerRun(5, func() {
		AddDot(&s[0], block, x, y)
		AddDots(s, block, vs, y)
		AxpyDot(&s[0], block, 1e-9, x, y)
		AxpyScaledDot(&s[0], &s[1], block, 1e-9, x, y, d)
		AxpyXpby(1e-9, x, y, 0.5, z)
		AxpyXpbyScaled(1e-9, x, y, 0.5, d, z)
		Axpys(&s[0], block, c, vs, y)
		AxpysDots(s, block, c, vs, y)
		_ = Dot(x, y)
	}))
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
