package solvers_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/dist"
	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/solvers/precond"
	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/gallery"
)

var (
	_ solvers.Space[*dist.Vector]       = (*dist.Space)(nil)
	_ solvers.DotOperator[*dist.Vector] = (*dist.Matrix)(nil)
)

// solve is one PE's part of a solve.
type solve func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error)

// spread runs main on each of pes PEs, over a matrix and a right-hand side that
// are spread over them, and returns x, and what each PE got.
func spread(t *testing.T, pes int, a *sparse.CSR, b []float64, jacobi bool, main solve) (x []float64, res []*solvers.Result, errs []error, err error) {
	res, errs, x = make([]*solvers.Result, pes), make([]error, pes), make([]float64, len(b))
	err = shmem.Run(t.Context(), shmem.Options{PEs: pes}, func(pe *shmem.PE) error {
		m, err := dist.Distribute(pe, 0, a.RawCSR())
		if err != nil {
			return err
		}
		space, err := m.Space()
		if err != nil {
			return err
		}
		rhs, err := space.New()
		if err != nil {
			return err
		}
		sol, err := space.New()
		if err != nil {
			return err
		}
		if err := rhs.Scatter(0, b); err != nil {
			return err
		}
		sys := solvers.System[*dist.Vector]{Space: space, A: m}
		if jacobi {
			d, err := space.New()
			if err != nil {
				return err
			}
			if err := m.Diagonal(d); err != nil {
				return err
			}
			M, err := precond.NewJacobi(space, d)
			if err != nil {
				errs[pe.ID()] = err
				return nil
			}
			sys.M = M
		}
		res[pe.ID()], errs[pe.ID()] = main(pe, sys, rhs, sol)
		if errors.Is(errs[pe.ID()], solvers.PEFailed) {
			return errs[pe.ID()]
		}
		return sol.Gather(0, x)
	})
	return x, res, errs, err
}

func randomVector(n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// A solve has the same bits on any number of PEs, and in a Serial space.
func TestSameBitsOnAnyNumberOfPEs(t *testing.T) {
	symmetric, err := gallery.Poisson2D(34, 34)
	require.NoError(t, err)
	general, err := gallery.ConvectionDiffusion2D(34, 34, 0.7, -0.2)
	require.NoError(t, err)
	small, err := gallery.Tridiagonal(3, -1, 2, -1)
	require.NoError(t, err)
	for _, c := range []struct {
		a  *sparse.CSR
		cg bool
	}{{symmetric, true}, {general, false}, {small, true}, {small, false}} {
		n, _ := c.a.Dims()
		b := randomVector(n)
		for _, jacobi := range []bool{false, true} {
			opt := solvers.Options{RTol: 1e-9, Restart: 15}
			sys := solvers.System[[]float64]{Space: solvers.NewSerial(n), A: solvers.FromCSR(c.a)}
			if jacobi {
				d := make([]float64, n)
				c.a.Diagonal(d)
				sys.M, err = precond.NewJacobi(sys.Space, d)
				require.NoError(t, err)
			}
			method, spreadMethod := solvers.GMRES[[]float64], solvers.GMRES[*dist.Vector]
			if c.cg {
				method, spreadMethod = solvers.CG[[]float64], solvers.CG[*dist.Vector]
			}
			want := make([]float64, n)
			wantRes, err := method(t.Context(), sys, b, want, opt)
			require.NoError(t, err)
			for _, pes := range []int{1, 2, 3, 7} {
				x, res, errs, err := spread(t, pes, c.a, b, jacobi, func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
					return spreadMethod(t.Context(), sys, b, x, opt)
				})
				require.NoError(t, err)
				require.Equal(t, want, x, "%d PEs", pes)
				for i := range res {
					require.NoError(t, errs[i])
					require.Equal(t, wantRes, res[i])
				}
			}
		}
	}
}

// Whatever ends a solve on one PE ends it on all, at the same iteration.
func TestAllPEsEndTogether(t *testing.T) {
	a, err := gallery.Poisson2D(30, 30)
	require.NoError(t, err)
	raw := a.RawCSR()
	tiny := randomVector(900)
	for i := range tiny {
		tiny[i] *= 1e-200 // whose norm takes several reductions
	}
	for name, method := range map[string]func(context.Context, solvers.System[*dist.Vector], *dist.Vector, *dist.Vector, solvers.Options) (*solvers.Result, error){
		"CG": solvers.CG[*dist.Vector], "GMRES": solvers.GMRES[*dist.Vector],
	} {
		check := func(reason solvers.Reason, res []*solvers.Result, errs []error, err error) {
			t.Helper()
			require.NoError(t, err)
			for i := range res {
				require.ErrorIs(t, errs[i], reason, name)
				require.Equal(t, res[0], res[i], name)
			}
		}
		for _, b := range [][]float64{randomVector(900), tiny} {
			for _, at := range []int{0, 5} { // only PE 1 is cancelled
				_, res, errs, err := spread(t, 3, a, b, false, func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					return method(ctx, sys, b, x, solvers.Options{RTol: 1e-14, Monitor: func(p solvers.Progress) {
						if pe.ID() == 1 && p.Iteration == at {
							cancel()
						}
					}})
				})
				check(solvers.Cancelled, res, errs, err)
				require.Equal(t, at+1, res[0].Iterations)
			}
			_, res, errs, err := spread(t, 3, a, b, false, func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if pe.ID() == 2 {
					cancel()
				}
				return method(ctx, sys, b, x, solvers.Options{})
			})
			check(solvers.Cancelled, res, errs, err)
			require.LessOrEqual(t, res[0].Iterations, 1)
		}

		// A NaN in a row of the last PE.
		val := raw.Val[raw.Ptr[890]]
		raw.Val[raw.Ptr[890]] = math.NaN()
		_, res, errs, err := spread(t, 3, a, randomVector(900), false, func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
			return method(t.Context(), sys, b, x, solvers.Options{})
		})
		raw.Val[raw.Ptr[890]] = val
		check(solvers.NotFinite, res, errs, err)
		require.Equal(t, 1, res[0].Iterations)

		// A PE that leaves.
		_, _, errs, err = spread(t, 3, a, randomVector(900), false, func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
			if err := pe.World().Barrier(); err != nil { // all have come here first
				return nil, err
			}
			if pe.ID() == 1 {
				return nil, &solvers.Error{Method: "none", Reason: solvers.PEFailed}
			}
			return method(t.Context(), sys, b, x, solvers.Options{})
		})
		require.ErrorIs(t, err, solvers.PEFailed, name)
		require.ErrorIs(t, errs[0], solvers.PEFailed, name)
		require.ErrorIs(t, errs[2], solvers.PEFailed, name)
	}
}

func TestZeroDiagonalOnEveryPE(t *testing.T) {
	entries := sparse.NewCOO(40, 40, 40)
	for i := range int64(40) {
		if i != 23 {
			entries.Append(i, i, 1)
		}
	}
	a, err := entries.ToCSR()
	require.NoError(t, err)
	_, _, errs, err := spread(t, 4, a, make([]float64, 40), true, func(*shmem.PE, solvers.System[*dist.Vector], *dist.Vector, *dist.Vector) (*solvers.Result, error) {
		return nil, errors.New("the preconditioner was made")
	})
	require.NoError(t, err)
	for _, err := range errs {
		var diagonal *precond.DiagonalError
		require.ErrorAs(t, err, &diagonal)
		require.Equal(t, int64(23), diagonal.Row)
	}
}

// What a solve allocates does not depend on the number of its iterations.
func TestSpreadIterationsAllocateNothing(t *testing.T) {
	a, err := gallery.Poisson2D(40, 40)
	require.NoError(t, err)
	for name, method := range map[string]func(context.Context, solvers.System[*dist.Vector], *dist.Vector, *dist.Vector, solvers.Options) (*solvers.Result, error){
		"CG": solvers.CG[*dist.Vector], "GMRES": solvers.GMRES[*dist.Vector],
	} {
		for _, jacobi := range []bool{false, true} {
			var allocated [2]uint64
			_, _, errs, err := spread(t, 2, a, randomVector(1600), jacobi, func(pe *shmem.PE, sys solvers.System[*dist.Vector], b, x *dist.Vector) (*solvers.Result, error) {
				for warm := range 2 {
					for k, iterations := range []int{8, 108} {
						var before, after runtime.MemStats
						if err := pe.World().Barrier(); err != nil {
							return &solvers.Result{}, err
						}
						runtime.ReadMemStats(&before)
						_, err := method(t.Context(), sys, b, x, solvers.Options{RTol: 1e-30, MaxIterations: iterations})
						if !errors.Is(err, solvers.MaxIterations) {
							return &solvers.Result{}, err
						}
						if err := pe.World().Barrier(); err != nil {
							return &solvers.Result{}, err
						}
						runtime.ReadMemStats(&after)
						if pe.ID() == 0 && warm == 1 {
							allocated[k] = after.Mallocs - before.Mallocs
						}
					}
				}
				return &solvers.Result{}, nil
			})
			require.NoError(t, errors.Join(err, errs[0], errs[1]))
			require.InDelta(t, allocated[0], allocated[1], 60, "%s: one an iteration would be 200", name)
		}
	}
}
