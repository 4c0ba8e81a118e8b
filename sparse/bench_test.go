package sparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/gallery"
)

// benchmarkMatrix runs one of the gallery's matrices; bytes are those that a
// product with n rows must move.
func benchmarkMatrix(b *testing.B, text string, f func(b *testing.B, a *sparse.CSR)) {
	b.Run(text, func(b *testing.B) {
		a, err := gallery.Parse(text)
		require.NoError(b, err)
		n, _ := a.Dims()
		b.SetBytes(12*int64(a.NNZ()) + 20*int64(n))
		b.ReportAllocs()
		f(b, a)
		seconds := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(2e-9*float64(a.NNZ())/seconds, "GFLOP/s")
	})
}

func vectors(a *sparse.CSR) (y, x []float64) {
	n, _ := a.Dims()
	x = make([]float64, n)
	for i := range x {
		x[i] = float64(i % 17)
	}
	return make([]float64, n), x
}

func BenchmarkMul(b *testing.B) {
	for _, text := range []string{"poisson2d:200", "poisson2d:1000", "poisson3d:100", "poisson3d:100:seed=1", "hpcg:64", "rmat:16"} {
		benchmarkMatrix(b, text, func(b *testing.B, a *sparse.CSR) {
			y, x := vectors(a)
			for b.Loop() {
				a.Mul(y, x)
			}
		})
	}
}

func BenchmarkMulTrans(b *testing.B) {
	for _, text := range []string{"poisson2d:1000", "poisson3d:100", "rmat:16"} {
		benchmarkMatrix(b, text, func(b *testing.B, a *sparse.CSR) {
			y, x := vectors(a)
			a.MulTrans(y, x) // finds the longest column
			for b.Loop() {
				a.MulTrans(y, x)
			}
		})
	}
}

// The figure that the package comment warns with.
func BenchmarkGonumMulVec(b *testing.B) {
	benchmarkMatrix(b, "poisson2d:40", func(b *testing.B, a *sparse.CSR) {
		_, x := vectors(a)
		v := mat.NewVecDense(len(x), x)
		var y mat.VecDense
		for b.Loop() {
			y.MulVec(a, v)
		}
	})
}

func BenchmarkMulVecTo(b *testing.B) {
	benchmarkMatrix(b, "poisson2d:40", func(b *testing.B, a *sparse.CSR) {
		_, x := vectors(a)
		v := mat.NewVecDense(len(x), x)
		var y mat.VecDense
		for b.Loop() {
			a.MulVecTo(&y, false, v)
		}
	})
}

func BenchmarkToCSR(b *testing.B) {
	benchmarkMatrix(b, "poisson3d:64", func(b *testing.B, a *sparse.CSR) {
		sorted := a.ToCOO()
		for b.Loop() {
			_, err := sorted.ToCSR()
			require.NoError(b, err)
		}
	})
}

func BenchmarkTranspose(b *testing.B) {
	benchmarkMatrix(b, "poisson3d:64", func(b *testing.B, a *sparse.CSR) {
		for b.Loop() {
			a.Transpose()
		}
	})
}
