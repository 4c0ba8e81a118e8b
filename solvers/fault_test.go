package solvers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Each test of this file is a fault that other libraries had.

// The guess solves already: no division by zero, no change.
func TestGuessThatSolvesIsUntouched(t *testing.T) {
	for name, solve := range methods {
		x := []float64{-1, -1}
		res, err := solve(t.Context(), system(t, diag(1, 1)), []float64{-1, -1}, x, Options{InitialGuess: true})
		require.NoError(t, err, name)
		require.Equal(t, &Result{Reason: ConvergedExact, Products: 1, BNorm: math.Sqrt2}, res)
		require.Equal(t, []float64{-1, -1}, x)

		x = []float64{-1 - 1e-9, math.Nextafter(-1, 0)}
		want := slices.Clone(x)
		res, err = solve(t.Context(), system(t, diag(1, 1)), []float64{-1, -1}, x, Options{InitialGuess: true})
		require.NoError(t, err, name)
		require.Equal(t, ConvergedRTol, res.Reason)
		require.Zero(t, res.Iterations)
		require.Equal(t, want, x)
	}
}

func TestZeroRightHandSide(t *testing.T) {
	for name, solve := range methods {
		for _, guess := range []bool{false, true} {
			for _, m := range []mat.Matrix{diag(1, 2), dense(2, 0, 1, -1, 0), diag(0, 0), diag(nan, 1)} {
				x := []float64{nan, 7}
				var seen []Progress
				res, err := solve(t.Context(), system(t, m), make([]float64, 2), x, Options{InitialGuess: guess,
					Monitor: func(p Progress) { seen = append(seen, p) }})
				require.NoError(t, err, name)
				require.Equal(t, &Result{Reason: ConvergedExact}, res)
				require.Equal(t, []float64{0, 0}, x)
				require.Equal(t, []Progress{{0, 0, TrueNorm}}, seen)
			}
		}
	}
}

func TestContentOfXIsIgnoredWithoutGuess(t *testing.T) {
	for name, solve := range methods {
		for _, junk := range []float64{nan, inf, 5e-324, 1e300} {
			x := []float64{junk, -junk}
			res, err := solve(t.Context(), system(t, diag(1, 4)), []float64{3, 8}, x, Options{RTol: 1e-12})
			require.NoError(t, err, name)
			require.InDeltaSlice(t, []float64{3, 2}, x, 1e-11)
			require.InDelta(t, 0, res.ResidualNorm, 1e-11)
		}
	}
}

func TestGuessThatIsNotFinite(t *testing.T) {
	for name, solve := range methods {
		for _, bad := range []float64{nan, inf, 1e308} { // A x overflows with the last
			x := []float64{bad, 1}
			res, err := solve(t.Context(), system(t, diag(10, 4)), []float64{3, 4}, x, Options{InitialGuess: true})
			requireFailure(t, NotFinite, res, err)
			require.Zero(t, res.Iterations, name)
			require.Equal(t, []float64{0, 0}, x)
			require.Equal(t, 5.0, res.ResidualNorm)
		}
	}
}

func TestTinyAndHugeRightHandSides(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := randomMatrix(r, 50, true)
	b := randomVector(r, 50)
	for name, solve := range methods {
		want, err := solve(t.Context(), system(t, m), b, make([]float64, 50), Options{})
		require.NoError(t, err)
		for _, scale := range []float64{1e-170, 1e-300, 1e150, 1e300} {
			c := slices.Clone(b)
			floats.Scale(scale, c)
			res, err := solve(t.Context(), system(t, m), c, make([]float64, 50), Options{})
			require.NoError(t, err, "%s %g", name, scale)
			require.Equal(t, want.Iterations, res.Iterations, "%s %g", name, scale)
		}
		// Subnormal numbers cannot hold the solution: fail, but do not lie.
		res, err := solve(t.Context(), system(t, diag(3, 7)), []float64{5e-324, 1e-323}, make([]float64, 2), Options{MaxIterations: 50})
		require.Error(t, err)
		require.LessOrEqual(t, res.RelativeResidual, 1.0)
	}
}

// Success is never claimed for a recurrence or for a preconditioned norm.
func TestTrueResidualDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	eps := hilbert(12)
	for i := range 12 {
		eps.Set(i, i, eps.At(i, i)+1e-15)
	}
	seen := map[Reason]int{}
	for _, m := range []mat.Matrix{hilbert(12), eps, diag(1, 1e12), hilbert(8), dense(2, 1, 1, 1, 1+1e-14)} {
		n, _ := m.Dims()
		for name, solve := range methods {
			for _, rtol := range []float64{1e-6, 1e-12, 1e-15, 1e-17, -1} {
				for _, jac := range []bool{false, true} {
					sys := system(t, m)
					if jac {
						sys.M = newJacobi(m)
					}
					b, x := randomVector(r, n), make([]float64, n)
					guess := r.IntN(2) == 0
					start := floats.Norm(b, 2)
					if guess {
						x = randomVector(r, n)
						start = trueResidual(m, b, x)
					}
					lowest := inf // of the true norms
					res, err := solve(t.Context(), sys, b, x, Options{RTol: rtol, MaxIterations: 500, InitialGuess: guess,
						Restart: 5 + r.IntN(8), Monitor: func(p Progress) {
							if p.Kind == TrueNorm {
								lowest = min(lowest, p.Norm)
							}
						}})
					require.Equal(t, res.Reason.Converged(), err == nil)
					// This product rounds in another way than the solver's.
					slack := 1e-14 * (mat.Norm(m, 2)*floats.Norm(x, 2) + res.BNorm)
					require.InDelta(t, trueResidual(m, b, x), res.ResidualNorm, slack, name)
					if err == nil {
						require.LessOrEqual(t, res.ResidualNorm, max(rtol, 0)*res.BNorm)
					}
					require.LessOrEqual(t, res.ResidualNorm, start*(1+1e-9))
					if name == "GMRES" { // CG believes its recurrence where it has nothing better
						require.LessOrEqual(t, res.ResidualNorm, lowest)
					}
					seen[res.Reason]++
				}
			}
		}
	}
	require.Positive(t, seen[ConvergedRTol])
	require.Positive(t, seen[TrueResidualAboveTol])
}

// The target is below what rounding allows: the methods try a few times, GMRES with
// cycles that are whole and bring nothing.
func TestTrueResidualAboveTol(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for _, m := range []mat.Matrix{randomMatrix(r, 9, true), hilbert(4), dense(2, 1, 1, 1, 1+1e-9)} {
		n, _ := m.Dims()
		for name, solve := range methods {
			checks := 0
			res, err := solve(t.Context(), system(t, m), randomVector(r, n), make([]float64, n), Options{RTol: 1e-19, Monitor: func(p Progress) {
				if p.Kind == TrueNorm {
					checks++
				}
			}})
			requireFailure(t, TrueResidualAboveTol, res, err)
			require.Less(t, res.RelativeResidual, 1e-6)
			require.GreaterOrEqual(t, checks, 1+maxMisses, name)
			require.Less(t, res.Products, 400)
		}
	}
}

// A guess so bad that rounding errors of its residual hide the solution: the true
// residual puts the recurrence right.
func TestReplacedResidualGoesOn(t *testing.T) {
	d := make([]float64, 60)
	for i := range d {
		d[i] = 1 + float64(i*i)
	}
	b := randomVector(rand.New(rand.NewPCG(6, 2)), 60)
	for name, solve := range methods {
		x := make([]float64, 60)
		for i := range x {
			x[i] = 1e6
		}
		res, err := solve(t.Context(), system(t, diag(d...)), b, x, Options{RTol: 1e-14, InitialGuess: true, Restart: 60})
		require.NoError(t, err, name)
		require.Greater(t, res.Products, res.Iterations+2, name)
	}
}

func TestMaxIterationsAreProducts(t *testing.T) {
	a := poisson(t, 8)
	b := randomVector(rand.New(rand.NewPCG(5, 2)), 512)
	for name, solve := range methods {
		for _, maxits := range []int{1, 10, 20, 21} {
			var seen []Progress
			x := make([]float64, 512)
			res, err := solve(t.Context(), System[[]float64]{Space: watch(t, 512), A: FromCSR(a)}, b, x,
				Options{RTol: 1e-14, MaxIterations: maxits, Restart: 20, Monitor: func(p Progress) { seen = append(seen, p) }})
			requireFailure(t, MaxIterations, res, err)
			require.Equal(t, maxits, res.Iterations, name)
			require.InEpsilon(t, trueResidual(a, b, x), res.ResidualNorm, 1e-9)
			for _, p := range seen {
				require.LessOrEqual(t, res.ResidualNorm, p.Norm*(1+1e-9))
			}
			if maxits > 1 {
				require.NotEqual(t, make([]float64, 512), x)
			}
		}
	}
}

func TestIndefiniteOperator(t *testing.T) {
	x := make([]float64, 2)
	res, err := CG(t.Context(), system(t, diag(1, -1)), []float64{1, 1}, x, Options{})
	requireFailure(t, BreakdownIndefiniteOperator, res, err)
	require.Equal(t, 1, res.Iterations)
	require.ErrorContains(t, err, "p·A p = 0 at iteration 1")
	require.Equal(t, []float64{0, 0}, x)
	require.Equal(t, math.Sqrt2, res.ResidualNorm)

	res, err = CG(t.Context(), system(t, diag(-1, -1)), []float64{1, 1}, x, Options{})
	requireFailure(t, BreakdownIndefiniteOperator, res, err)

	// GMRES does not mind.
	_, err = GMRES(t.Context(), system(t, diag(1, -1)), []float64{1, 1}, x, Options{})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, -1}, x, 1e-15)

	// CG need not see that A is not symmetric, but it must not claim a solution.
	r := rand.New(rand.NewPCG(3, 2))
	m := dense(3, 1, 1, 0, 0, 1, 0, 0, 0, 1)
	for range 50 {
		b, x := randomVector(r, 3), make([]float64, 3)
		res, err := CG(t.Context(), system(t, m), b, x, Options{MaxIterations: 100})
		require.InDelta(t, trueResidual(m, b, x), res.ResidualNorm, 1e-12)
		require.Equal(t, err == nil, res.RelativeResidual <= DefaultRTol)
		require.LessOrEqual(t, res.RelativeResidual, 1.0)
	}
}

func TestIndefinitePreconditioner(t *testing.T) {
	sys := system(t, diag(1, 2))
	for what, M := range map[string]Preconditioner[[]float64]{
		"diagonal": jacobi{1, -1},
		"general":  PreconditionerFunc[[]float64](jacobi{1, -1}.Apply),
		"zero":     jacobi{0, 0},
	} {
		sys.M = M
		res, err := CG(t.Context(), sys, []float64{1, 1}, make([]float64, 2), Options{})
		requireFailure(t, BreakdownIndefinitePreconditioner, res, err)
		require.Zero(t, res.Iterations, what)
	}
	sys.M = jacobi{nan, 1}
	res, err := CG(t.Context(), sys, []float64{1, 1}, make([]float64, 2), Options{})
	requireFailure(t, NotFinite, res, err)
}

// A NaN anywhere stops the solve at the first reduction that it reaches.
func TestNotFinite(t *testing.T) {
	const n = 40
	for name, solve := range methods {
		for _, bad := range []float64{nan, inf, -inf} {
			for _, at := range []int{0, 8, 23, n - 1} {
				what := fmt.Sprint(name, bad, at)
				m := randomMatrix(rand.New(rand.NewPCG(4, 2)), n, true)
				m.Set(at, at, bad)
				x := ones(n)
				res, err := solve(t.Context(), system(t, m), ones(n), x, Options{})
				requireFailure(t, NotFinite, res, err)
				require.Equal(t, 1, res.Iterations, what)
				require.Equal(t, make([]float64, n), x)
				require.Equal(t, math.Sqrt(n), res.ResidualNorm)

				m = randomMatrix(rand.New(rand.NewPCG(4, 2)), n, true)
				b := ones(n)
				b[at] = bad
				res, err = solve(t.Context(), system(t, m), b, ones(n), Options{})
				requireFailure(t, NotFinite, res, err)
				require.Zero(t, res.Products, what)
				require.Zero(t, res.Iterations, what)
			}
		}
	}
}

// Numbers that overflow on the way are no solution either.
func TestSolutionThatOverflows(t *testing.T) {
	for _, solve := range methods {
		x := make([]float64, 2)
		res, err := solve(t.Context(), system(t, diag(1e-200, 1e-200)), []float64{1e150, 1e150}, x, Options{})
		requireFailure(t, NotFinite, res, err)
		require.Equal(t, []float64{0, 0}, x)
		require.Equal(t, 1.0, res.RelativeResidual)
	}
}

func TestZeroDiagonal(t *testing.T) {
	x := make([]float64, 2)
	res, err := GMRES(t.Context(), system(t, dense(2, 0, 1, 1, 0)), []float64{3, 5}, x, Options{})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{5, 3}, x, 1e-14)
	require.Equal(t, 2, res.Iterations)
}

func TestDivergence(t *testing.T) {
	// A warm start far from the solution is no divergence.
	x := []float64{1e30, -1e30}
	_, err := CG(t.Context(), system(t, diag(1, 1)), []float64{1, 1}, x, Options{InitialGuess: true})
	require.NoError(t, err)

	// p·A p is positive, but tiny: A is nearly skew.
	res, err := CG(t.Context(), system(t, dense(2, 1e-16, 1, -1, 1e-16)), []float64{1, 1e-9}, x, Options{})
	requireFailure(t, Diverged, res, err)
	require.LessOrEqual(t, res.RelativeResidual, 1.0)
}

func TestStagnation(t *testing.T) {
	// The cyclic shift: nothing moves until the space is whole.
	const n = 12
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set((i+1)%n, i, 1)
	}
	b := make([]float64, n)
	b[0] = 1
	x := make([]float64, n)
	res, err := GMRES(t.Context(), system(t, m), b, x, Options{Restart: 5})
	requireFailure(t, Stagnated, res, err)
	require.Equal(t, 5, res.Iterations)
	require.Equal(t, 1.0, res.RelativeResidual)

	res, err = GMRES(t.Context(), system(t, m), b, x, Options{Restart: 5, MaxIterations: 5})
	requireFailure(t, MaxIterations, res, err)

	res, err = GMRES(t.Context(), system(t, m), b, x, Options{Restart: n})
	require.NoError(t, err)
	require.Equal(t, n, res.Iterations)
}

func TestSingularOperator(t *testing.T) {
	for _, c := range []struct {
		m        *mat.Dense
		b        []float64
		residual float64 // the least that GMRES can reach; -1: solvable
	}{
		{dense(2, 1, 0, 0, 0), []float64{1, 1}, 1},
		{dense(2, 0, 1, 0, 0), []float64{1, 0}, 1}, // solvable, but not from here
		{dense(2, 0, 0, 0, 0), []float64{3, 4}, 5},
		{dense(2, 1, 1, 1, 1), []float64{2, 2}, -1},
		{dense(3, 2, -1, -1, -1, 2, -1, -1, -1, 2), []float64{1, 0, 0}, 1 / math.Sqrt(3)},
		{dense(3, 2, -1, -1, -1, 2, -1, -1, -1, 2), []float64{1, 0, -1}, -1},
	} {
		n := len(c.b)
		x := make([]float64, n)
		res, err := GMRES(t.Context(), system(t, c.m), c.b, x, Options{RTol: 1e-12})
		if c.residual < 0 {
			require.NoError(t, err)
			require.InDelta(t, 0, trueResidual(c.m, c.b, x), 1e-11)
			continue
		}
		requireFailure(t, BreakdownKrylov, res, err)
		require.InDelta(t, c.residual, res.ResidualNorm, 1e-14)
		require.InDelta(t, trueResidual(c.m, c.b, x), res.ResidualNorm, 1e-14)
	}
}

// The Krylov space ends early, with the solution in it.
func TestHappyBreakdown(t *testing.T) {
	for _, c := range []struct {
		m          mat.Matrix
		b          []float64
		iterations int
	}{
		{diag(2, 2, 2, 2), []float64{1, 2, 3, 4}, 1},
		{diag(1, 1, 5, 5), []float64{1, 2, 3, 4}, 2},
		{dense(3, 0, 1, 0, 0, 0, 1, 1, 0, 0), []float64{1, 1, 1}, 1},
	} {
		x := make([]float64, len(c.b))
		res, err := GMRES(t.Context(), system(t, c.m), c.b, x, Options{RTol: 1e-14})
		require.NoError(t, err)
		require.Equal(t, c.iterations, res.Iterations)
	}
}

func TestReasons(t *testing.T) {
	for r := ConvergedRTol; r <= PEFailed; r++ {
		require.NotContains(t, r.String(), "Reason(")
		require.Equal(t, r <= ConvergedExact, r.Converged())
		require.Equal(t, r.String(), r.Error())
		err := fmt.Errorf("outer: %w", &Error{Method: "CG", Reason: r, Detail: "why", Err: errSpace})
		require.ErrorIs(t, err, r)
		require.ErrorIs(t, err, ErrNotConverged)
		require.ErrorIs(t, err, errSpace)
		require.NotErrorIs(t, err, r+1)
		require.EqualError(t, err, "outer: solvers: CG ended with "+r.String()+": why: PE 3 has ended")
	}
	require.Equal(t, "Reason(0)", Reason(0).String())
	require.False(t, Reason(0).Converged())
	require.Equal(t, "true recurrence", fmt.Sprint(TrueNorm, RecurrenceNorm))
}
