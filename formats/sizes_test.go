package formats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Sizes that wrap in 32 or 64 bits, as they did in hypre#1407 and LAGraph#403.
func TestArrayLen(t *testing.T) {
	for _, c := range []struct {
		rows, cols int64
		s          Symmetry
		n          int64
		ok         bool
	}{
		{0, 0, General, 0, true}, {3, 0, General, 0, true}, {73270, 73270, General, 5368492900, true},
		{1<<31 + 1, 1, General, 1<<31 + 1, true}, {3_000_000_000, 3_000_000_000, General, 9e18, true},
		{1 << 32, 1 << 31, General, 0, false}, {1 << 32, 1 << 32, General, 0, false}, {1<<63 - 1, 1<<63 - 1, General, 0, false},
		{0, 0, Symmetric, 0, true}, {3, 3, Symmetric, 6, true}, {4, 4, Hermitian, 10, true},
		{1<<32 - 1, 1<<32 - 1, Symmetric, (1<<32 - 1) << 31, true}, {1 << 32, 1 << 32, Symmetric, 0, false},
		{0, 0, SkewSymmetric, 0, true}, {1, 1, SkewSymmetric, 0, true}, {4, 4, SkewSymmetric, 6, true}, {5, 5, SkewSymmetric, 10, true},
		{1 << 32, 1 << 32, SkewSymmetric, 1<<63 - 1<<31, true}, {1<<63 - 1, 1<<63 - 1, SkewSymmetric, 0, false},
	} {
		n, ok := arrayLen(c.rows, c.cols, c.s)
		require.Equal(t, c.ok, ok, "%+v", c)
		if ok {
			require.Equal(t, c.n, n, "%+v", c)
		}
	}
}

func TestReserveIsCappedByThePromise(t *testing.T) {
	for _, want := range []int64{1, 100, 1 << 20, 1<<63 - 1} {
		for _, s := range []Symmetry{General, Symmetric} {
			p := &parser{m: &Matrix{Symmetry: s}, want: want}
			for range 3 {
				p.reserve(blockSize / 4)
				require.Positive(t, p.room)
				if s == General {
					require.LessOrEqual(t, int64(p.room), want)
				}
				p.n = int(min(int64(p.room), want))
			}
		}
	}
}
