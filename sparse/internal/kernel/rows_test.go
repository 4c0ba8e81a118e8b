package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Many rows, in ranges, with rows of all lengths between them.
func TestRowsAtEachLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const n, cols = 1500, 333
	ptr := make([]int64, n+1)
	var col []int32
	var val []float64
	for i := range n {
		length := r.IntN(12)
		if r.IntN(50) == 0 {
			length = 200 + r.IntN(400)
		}
		for range length {
			col, val = append(col, int32(r.IntN(cols))), append(val, r.NormFloat64())
		}
		ptr[i+1] = int64(len(col))
	}
	x, want := make([]float64, cols), make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := range want {
		want[i] = Row(col[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]], x)
	}
	eachLevel(t, func(t *testing.T) {
		for range 50 {
			lo := r.IntN(n + 1)
			hi := lo + r.IntN(n+1-lo)
			y := make([]float64, n)
			Rows(y, ptr, col, val, x, lo, hi)
			require.Equal(t, want[lo:hi], y[lo:hi])
			require.Equal(t, make([]float64, n-hi), y[hi:])
			require.Equal(t, make([]float64, lo), y[:lo])
		}
	})
}

// A matrix that was changed behind our back makes Rows panic at every level.
func TestBrokenRowsPanic(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			ptr []int64
			col []int32
		}{
			"column too large": {[]int64{0, 2, 4}, []int32{0, 1, 2, 3}},
			"negative column":  {[]int64{0, 2, 4}, []int32{0, 1, -1, 2}},
			"row too long":     {[]int64{0, 2, 5}, []int32{0, 1, 1, 2}},
			"negative start":   {[]int64{-1, 2, 4}, []int32{0, 1, 1, 2}},
			"falling":          {[]int64{0, 3, 2}, []int32{0, 1, 1, 2}},
		} {
			y := make([]float64, 2)
			require.Panics(t, func() { Rows(y, c.ptr, c.col, make([]float64, 4), make([]float64, 3), 0, 2) }, name)
		}
		y := make([]float64, 2)
		require.Panics(t, func() { Rows(y, []int64{0, 1}, []int32{0}, []float64{1}, []float64{1}, 0, 2) }, "too few rows")
		require.Panics(t, func() { Rows(y[:0], []int64{0, 1}, []int32{0}, []float64{1}, []float64{1}, 0, 1) }, "short y")
	})
}
