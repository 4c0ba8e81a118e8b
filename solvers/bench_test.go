package solvers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/sparse/gallery"
)

// Each benchmark reports the time of one iteration on a 7-point Poisson problem
// of 64^3 rows, and the rate at which it moves the bytes that its documentation
// says. The product is counted as 103.4 bytes a row, those of its CSR form.

func benchmark(b *testing.B, solve method, bytesPerRow int64, M func([]float64) Preconditioner[[]float64]) {
	const k, iterations = 64, 30
	a, err := gallery.Poisson3D(k, k, k)
	require.NoError(b, err)
	n, _ := a.Dims()
	rhs, x := ones(n), make([]float64, n)
	sys := System[[]float64]{Space: NewSerial(n), A: FromCSR(a)}
	if M != nil {
		d := make([]float64, n)
		a.Diagonal(d)
		for i := range d {
			d[i] = 1 / d[i]
		}
		sys.M = M(d)
	}
	b.SetBytes(bytesPerRow * int64(n))
	for left := b.N; left > 0; left -= iterations {
		opt := Options{RTol: 1e-30, MaxIterations: min(left, iterations)}
		if _, err := solve(b.Context(), sys, rhs, x, opt); !errors.Is(err, MaxIterations) {
			b.Fatal(err)
		}
	}
}

func diagonalM(d []float64) Preconditioner[[]float64] { return jacobi(d) }

func BenchmarkCG(b *testing.B)          { benchmark(b, CG[[]float64], 103+64, nil) }
func BenchmarkCGJacobi(b *testing.B)    { benchmark(b, CG[[]float64], 103+80, diagonalM) }
func BenchmarkGMRES(b *testing.B)       { benchmark(b, GMRES[[]float64], 103+428, nil) }
func BenchmarkGMRESJacobi(b *testing.B) { benchmark(b, GMRES[[]float64], 103+452, diagonalM) }
