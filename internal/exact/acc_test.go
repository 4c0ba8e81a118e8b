package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference adds with a precision that no sum of doubles exceeds.
func reference(xs []float64) float64 {
	sum := new(big.Float).SetPrec(4096)
	for _, x := range xs {
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	f, _ := sum.Float64()
	if f == 0 {
		return 0
	}
	return f
}

func randomFloat(r *rand.Rand) float64 {
	for {
		var x float64
		switch r.IntN(6) {
		case 0: // any bits
			x = math.Float64frombits(r.Uint64())
		case 1: // subnormal
			x = math.Float64frombits(r.Uint64() & (1<<63 | 1<<52 - 1))
		case 2: // near overflow
			x = math.Ldexp(r.Float64()-0.5, 1024)
		case 3:
			x = math.Ldexp(1, r.IntN(120)-60) * float64(1-2*r.IntN(2))
		default:
			x = r.NormFloat64() * math.Exp2(float64(r.IntN(60)-30))
		}
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
	}
}

func TestSumAgainstBigFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		xs := make([]float64, r.IntN(12))
		for i := range xs {
			xs[i] = randomFloat(r)
			if i > 0 && r.IntN(3) == 0 { // cancellation, exact and near
				xs[i] = -xs[i-1]
				if r.IntN(2) == 0 {
					xs[i] = math.Nextafter(xs[i], 0)
				}
			}
		}
		var a Acc
		for _, x := range xs {
			a.Add(x)
		}
		require.Equal(t, math.Float64bits(reference(xs)), math.Float64bits(a.Float64()), "%v", xs)

		// The same terms over three accumulators, merged in two ways.
		var part [3]Acc
		for _, x := range xs {
			part[r.IntN(3)].Add(x)
		}
		var m Acc
		var buf [PackedMax]int64
		for _, i := range r.Perm(3) {
			if r.IntN(2) == 0 {
				m.Merge(&part[i])
			} else {
				n := part[i].Pack(buf[:])
				require.Equal(t, n, m.MergePacked(buf[:n]))
			}
		}
		require.Equal(t, math.Float64bits(a.Float64()), math.Float64bits(m.Float64()))

		var v Acc // as integer vectors
		for i := range part {
			part[i].Normalise()
			for k, w := range part[i].Words() {
				v.Words()[k] += w
			}
		}
		v.SetMerged()
		require.Equal(t, math.Float64bits(a.Float64()), math.Float64bits(v.Float64()))
	}
}

func TestRoundingCases(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		want float64
		in   []float64
	}{
		{0, nil},
		{0, []float64{math.Copysign(0, -1)}},
		{1, []float64{1e300, 1, -1e300}},
		{1 << 53, []float64{1 << 53, 1}},                      // tie to even, down
		{1<<53 + 4, []float64{1<<53 + 2, 1}},                  // tie to even, up
		{1<<53 + 2, []float64{1 << 53, 1, 5e-324}},            // just above the tie
		{1 << 53, []float64{1 << 53, 1, -5e-324}},             // just below
		{-(1<<53 + 2), []float64{-(1 << 53), -1, -5e-324}},    // the same, negative
		{math.MaxFloat64, []float64{math.MaxFloat64, 1}},      // rounds down
		{inf, []float64{math.MaxFloat64, math.Ldexp(1, 970)}}, // rounds up
		{math.MaxFloat64, []float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}},
		{-inf, []float64{-math.MaxFloat64, -math.MaxFloat64}},
		{5e-324, []float64{5e-324}},
		{0x1p-1022, []float64{0x1p-1022 - 5e-324, 5e-324}},
		{inf, []float64{inf, -1e308}},
		{-inf, []float64{-inf, 1}},
	} {
		var a Acc
		for _, x := range c.in {
			a.Add(x)
		}
		require.Equal(t, math.Float64bits(c.want), math.Float64bits(a.Float64()), "%v", c.in)
	}
	var a Acc
	a.Add(inf)
	a.Add(-inf)
	require.True(t, math.IsNaN(a.Float64()))
	a.Reset()
	a.Add(math.NaN())
	a.Add(1)
	require.True(t, math.IsNaN(a.Float64()))
}

func TestNormalisationKeepsTheSum(t *testing.T) {
	var a Acc
	a.Add(math.MaxFloat64)
	a.Add(-0x1p-1074)
	a.pending = maxPending - 1
	a.Add(1) // normalises
	require.Less(t, a.pending, int64(10))
	a.Add(-math.MaxFloat64)
	a.Add(-1)
	require.Equal(t, -0x1p-1074, a.Float64())
}

func TestMergePackedRefusesGarbage(t *testing.T) {
	var a Acc
	require.Equal(t, -1, a.MergePacked(nil))
	require.Equal(t, -1, a.MergePacked([]int64{5}))
	require.Equal(t, -1, a.MergePacked([]int64{-1}))
	require.Equal(t, -1, a.MergePacked([]int64{int64(Words)<<32 | 1, 7}))
}

func BenchmarkAdd(b *testing.B) {
	var a Acc
	x := 1.1
	for b.Loop() {
		a.Add(x)
		x = -x
	}
}

func BenchmarkFloat64(b *testing.B) {
	var a Acc
	a.Add(1.5)
	a.Add(1e-20)
	for b.Loop() {
		a.Float64()
	}
}
