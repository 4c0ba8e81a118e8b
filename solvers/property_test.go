package solvers_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/symsparse/symsparse/dist"
	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/sparse"
)

// Random systems of any size up to 200 and any density, on 1 to 9 PEs, against
// gonum's dense LU.
func TestAgainstDenseLU(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(r, "n")
		entries := int(rapid.Float64Range(0, 1).Draw(r, "density") * float64(n*n) / 2)
		pes := rapid.IntRange(1, 9).Draw(r, "PEs")
		symmetric := rapid.Bool().Draw(r, "symmetric")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))

		a := dominant(rnd, n, entries, symmetric)
		b := make([]float64, n)
		for i := range b {
			b[i] = rnd.NormFloat64()
		}
		method := solvers.GMRES[*dist.Vector]
		if symmetric {
			method = solvers.CG[*dist.Vector]
		}
		x, res, errs, err := spread(t, pes, a, b, rnd.IntN(2) == 0, func(_ *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
			return method(t.Context(), sys, b, x, solvers.Options{RTol: 1e-12})
		})
		require.NoError(t, err)
		for pe := range pes {
			require.NoError(t, errs[pe])
			require.Equal(t, res[0], res[pe])
		}
		if n == 0 {
			require.Equal(t, solvers.ConvergedExact, res[0].Reason)
			return
		}
		var want mat.VecDense
		require.NoError(t, want.SolveVec(a.ToDense(), mat.NewVecDense(n, b)))
		require.InDelta(t, 0, floats.Distance(x, want.RawVector().Data, 2), 1e-9*mat.Norm(&want, 2))
	})
}

// dominant returns a diagonally dominant matrix with about that many entries off
// the diagonal, some of its rows with no other.
func dominant(r *rand.Rand, n, entries int, symmetric bool) *sparse.CSR {
	a := sparse.NewCOO(int64(n), int64(n), 0)
	sum := make([]float64, n)
	for range entries {
		i, j, v := r.IntN(n), r.IntN(n), r.NormFloat64()
		if i == j {
			continue
		}
		a.Append(int64(i), int64(j), v)
		sum[i] += max(v, -v)
		if symmetric {
			a.Append(int64(j), int64(i), v)
			sum[j] += max(v, -v)
		}
	}
	for i, s := range sum {
		a.Append(int64(i), int64(i), 1.5*s+0.1)
	}
	c, err := a.ToCSR()
	if err != nil {
		panic(err)
	}
	return c
}
