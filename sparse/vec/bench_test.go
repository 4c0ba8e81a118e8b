package vec

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkDot compares the exact dot product with gonum's plain one, in turn on
// the same vectors.
func BenchmarkDot(b *testing.B) {
	for name, n := range map[string]int{"1e4": 1e4, "1e6": 1e6, "1e7": 1e7} {
		b.Run(name, func(b *testing.B) {
			x, y := ones(n), ones(n)
			u, v := blas64.Vector{N: n, Inc: 1, Data: x}, blas64.Vector{N: n, Inc: 1, Data: y}
			b.Run("exact", func(b *testing.B) {
				b.SetBytes(16 * int64(n))
				for b.Loop() {
					Dot(x, y)
				}
			})
			b.Run("gonum", func(b *testing.B) {
				b.SetBytes(16 * int64(n))
				for b.Loop() {
					blas64.Dot(u, v)
				}
			})
		})
	}
}
