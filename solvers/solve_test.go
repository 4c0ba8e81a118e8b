package solvers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestAgainstDenseLU(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 31, 64, 100, 200} {
		for name, solve := range methods {
			for _, precond := range []string{"none", "diagonal", "general"} {
				for _, guess := range []bool{false, true} {
					m := &mat.Dense{}
					sys := System[[]float64]{Space: watch(t, n), A: OperatorFunc(0, func(y, x []float64) error { return nil })}
					if n > 0 {
						m = randomMatrix(r, n, name == "CG")
						sys = system(t, m)
						switch d := newJacobi(m); precond {
						case "diagonal":
							sys.M = d
						case "general":
							sys.M = PreconditionerFunc[[]float64](d.Apply)
						}
					}
					b, x := randomVector(r, n), randomVector(r, n)
					res, err := solve(t.Context(), sys, b, x, Options{RTol: 1e-12, InitialGuess: guess})
					require.NoError(t, err, "%s n=%d M=%s", name, n, precond)
					require.LessOrEqual(t, trueResidual(m, b, x), 1.01e-12*floats.Norm(b, 2))
					if n == 0 {
						require.Equal(t, Result{Reason: ConvergedExact}, *res)
						continue
					}
					require.True(t, res.Reason.Converged())
					require.InDelta(t, trueResidual(m, b, x), res.ResidualNorm, 1e-13*res.BNorm)
					require.Equal(t, res.ResidualNorm/res.BNorm, res.RelativeResidual)
					var want mat.VecDense
					require.NoError(t, want.SolveVec(m, mat.NewVecDense(n, b)))
					require.InDeltaSlice(t, want.RawVector().Data, x, 1e-9*(1+mat.Norm(&want, math.Inf(1))))
				}
			}
		}
	}
}

// The three ways in which a preconditioner is applied are one method.
func TestDiagonalPreconditionerIsFoldedIn(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for name, solve := range methods {
		m := randomMatrix(r, 90, true)
		b := randomVector(r, 90)
		sys := system(t, m)
		x, y := make([]float64, 90), make([]float64, 90)
		sys.M = newJacobi(m)
		one, err := solve(t.Context(), sys, b, x, Options{RTol: 1e-10})
		require.NoError(t, err)
		sys.M = PreconditionerFunc[[]float64](newJacobi(m).Apply)
		two, err := solve(t.Context(), sys, b, y, Options{RTol: 1e-10})
		require.NoError(t, err)
		require.Equal(t, one, two, name)
		require.Equal(t, x, y, name)
	}
}

func TestSameBitsWithAndWithoutMulDot(t *testing.T) {
	a := poisson(t, 14) // 2744 rows: several chunks
	op := FromCSR(a)
	n, _ := a.Dims()
	x, y := make([]float64, n), make([]float64, n)
	b := randomVector(rand.New(rand.NewPCG(3, 1)), n)
	one, err := CG(t.Context(), System[[]float64]{Space: NewSerial(n), A: op}, b, x, Options{})
	require.NoError(t, err)
	two, err := CG(t.Context(), System[[]float64]{Space: NewSerial(n), A: OperatorFunc(int64(n), op.Mul)}, b, y, Options{})
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Equal(t, x, y)
}

func TestScalingChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for name, solve := range methods {
		m := randomMatrix(r, 60, true)
		b := randomVector(r, 60)
		for _, jac := range []bool{false, true} {
			for _, guess := range []bool{false, true} {
				x0 := randomVector(r, 60)
				run := func(scale float64) (*Result, []float64) {
					sys, c, x := system(t, m), slices.Clone(b), slices.Clone(x0)
					if jac {
						sys.M = newJacobi(m)
					}
					floats.Scale(scale, c)
					floats.Scale(scale, x)
					res, err := solve(t.Context(), sys, c, x, Options{RTol: 1e-11, Restart: 7, InitialGuess: guess})
					require.NoError(t, err, "%s scale %g", name, scale)
					return res, x
				}
				want, wantX := run(1)
				for _, e := range []int{-700, -565, 499, 900} { // powers of two: the same bits
					got, x := run(math.Ldexp(1, e))
					require.Equal(t, want.Iterations, got.Iterations)
					require.Equal(t, want.RelativeResidual, got.RelativeResidual)
					for i := range x {
						require.Equal(t, wantX[i], math.Ldexp(x[i], -e))
					}
				}
				for _, scale := range []float64{1e-170, 1e-290, 1e150, 1e290} { // others round b
					got, _ := run(scale)
					require.Equal(t, want.Iterations, got.Iterations, "%s scale %g", name, scale)
				}
			}
		}
	}
}

func TestScaledOperator(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for name, solve := range methods {
		m := randomMatrix(r, 40, true)
		b := randomVector(r, 40)
		iterations := map[int]bool{}
		for _, e := range []int{0, -600, 600} {
			var a mat.Dense
			a.Scale(math.Ldexp(1, e), m)
			res, err := solve(t.Context(), system(t, &a), b, make([]float64, 40), Options{})
			require.NoError(t, err, "%s 2^%d", name, e)
			iterations[res.Iterations] = true
		}
		require.Len(t, iterations, 1)
	}
	// Asked for the impossible, the recurrence falls on until p·A p underflows.
	var a mat.Dense
	a.Scale(0x1p-600, randomMatrix(r, 40, true))
	res, err := CG(t.Context(), system(t, &a), randomVector(r, 40), make([]float64, 40), Options{RTol: -1})
	requireFailure(t, TrueResidualAboveTol, res, err)
	require.Less(t, res.RelativeResidual, 1e-14)
}

func TestTargets(t *testing.T) {
	m := diag(1, 2, 3, 4)
	b := []float64{1, 2, 3, 4}
	for name, solve := range methods {
		for _, c := range []struct {
			opt    Options
			reason Reason
		}{
			{Options{}, ConvergedRTol},
			{Options{RTol: -1, ATol: 0.5}, ConvergedATol},
			{Options{RTol: -1, ATol: 100}, ConvergedATol}, // x = 0 will do
			{Options{RTol: 1}, ConvergedRTol},             // likewise: <=, not <
		} {
			res, err := solve(t.Context(), system(t, m), b, make([]float64, 4), c.opt)
			require.NoError(t, err, name)
			require.Equal(t, c.reason, res.Reason, name)
			if c.opt.RTol == 1 || c.opt.ATol == 100 {
				require.Zero(t, res.Iterations)
				require.Zero(t, res.Products)
				require.Equal(t, 1.0, res.RelativeResidual)
			}
		}
		res, err := solve(t.Context(), system(t, diag(2, 2)), []float64{2, 4}, make([]float64, 2), Options{RTol: -1})
		require.NoError(t, err)
		require.Equal(t, ConvergedExact, res.Reason, name)
		require.Equal(t, 1, res.Iterations, name)
	}
}

func TestWrongUse(t *testing.T) {
	ok := system(t, diag(1, 2))
	two := func() []float64 { return []float64{1, 2} }
	for name, solve := range methods {
		for what, c := range map[string]struct {
			sys  System[[]float64]
			b, x []float64
			opt  Options
		}{
			"no space":     {System[[]float64]{A: ok.A}, two(), two(), Options{}},
			"no operator":  {System[[]float64]{Space: ok.Space}, two(), two(), Options{}},
			"not square":   {System[[]float64]{Space: ok.Space, A: FromCSR(csr(t, mat.NewDense(3, 2, nil)))}, two(), two(), Options{}},
			"short b":      {ok, []float64{1}, two(), Options{}},
			"long x":       {ok, two(), make([]float64, 3), Options{}},
			"same":         {ok, ok.A.(*CSR).a.RawCSR().Val, ok.A.(*CSR).a.RawCSR().Val, Options{}},
			"NaN rtol":     {ok, two(), two(), Options{RTol: nan}},
			"negative":     {ok, two(), two(), Options{ATol: -1}},
			"iterations":   {ok, two(), two(), Options{MaxIterations: -1}},
			"restart":      {ok, two(), two(), Options{Restart: -1}},
			"negative end": {ok, two(), two(), Options{TimeLimit: -1}},
		} {
			res, err := solve(t.Context(), c.sys, c.b, c.x, c.opt)
			require.Error(t, err, "%s %s", name, what)
			require.NotErrorIs(t, err, ErrNotConverged)
			require.Equal(t, &Result{}, res)
		}
		// An operator whose size is not the space's fails at the first product.
		res, err := solve(t.Context(), System[[]float64]{Space: NewSerial(2), A: FromCSR(csr(t, diag(1, 2, 3)))}, two(), two(), Options{})
		requireFailure(t, PEFailed, res, err)
	}
}

func TestMonitor(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	m := randomMatrix(r, 80, true)
	b, x0 := randomVector(r, 80), randomVector(r, 80)
	for name, solve := range methods {
		for _, guess := range []bool{false, true} {
			var seen []Progress
			x := slices.Clone(x0)
			res, err := solve(t.Context(), system(t, m), b, x, Options{InitialGuess: guess, Restart: 5,
				Monitor: func(p Progress) { seen = append(seen, p) }})
			require.NoError(t, err)
			first := floats.Norm(b, 2)
			if guess {
				first = trueResidual(m, b, x0)
			}
			require.Equal(t, Progress{0, seen[0].Norm, TrueNorm}, seen[0])
			require.InEpsilon(t, first, seen[0].Norm, 1e-14)
			last := seen[len(seen)-1]
			require.Equal(t, Progress{res.Iterations, res.ResidualNorm, TrueNorm}, last)
			k := 0
			for i, p := range seen[1:] {
				if p.Kind == RecurrenceNorm {
					k++
				} else {
					require.InEpsilon(t, seen[i].Norm, p.Norm, 1e-6, "%s: true and recurrence", name)
				}
				require.Equal(t, k, p.Iteration)
				if name == "GMRES" {
					require.LessOrEqual(t, p.Norm, seen[i].Norm*(1+1e-9))
				}
			}
			require.Equal(t, k, res.Iterations)
		}
	}
}

func TestProductsAreCounted(t *testing.T) {
	a := poisson(t, 6)
	for name, solve := range methods {
		for _, opt := range []Options{{}, {MaxIterations: 9}, {InitialGuess: true, Restart: 4}} {
			products := 0
			op := OperatorFunc(216, func(y, x []float64) error { products++; a.Mul(y, x); return nil })
			res, _ := solve(t.Context(), System[[]float64]{Space: NewSerial(216), A: op}, ones(216), ones(216), opt)
			require.Equal(t, products, res.Products, name)
			require.Greater(t, res.Products, res.Iterations, name)
		}
	}
}

func TestBestIterateIsReturned(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	worst := 0.0
	for trial := range 40 {
		// CG's residual norms go up and down on a badly scaled matrix.
		n := 30
		q := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				q.Set(i, j, r.NormFloat64())
			}
		}
		var qr mat.QR
		qr.Factorize(q)
		qr.QTo(q)
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(10, 5*r.Float64())
		}
		var m mat.Dense
		m.Product(q, mat.NewDiagDense(n, d), q.T())
		b, x0 := randomVector(r, n), randomVector(r, n)
		for name, solve := range methods {
			for maxits := 1; maxits < 20; maxits += 3 {
				norms := []float64{}
				x := slices.Clone(x0)
				res, err := solve(t.Context(), system(t, &m), b, x, Options{RTol: 1e-14, MaxIterations: maxits, Restart: 6,
					InitialGuess: trial%2 == 0, Monitor: func(p Progress) { norms = append(norms, p.Norm) }})
				requireFailure(t, MaxIterations, res, err)
				require.Equal(t, maxits, res.Iterations)
				require.InEpsilon(t, slices.Min(norms), res.ResidualNorm, 1e-5, name)
				require.InEpsilon(t, trueResidual(&m, b, x), res.ResidualNorm, 1e-7, name)
				worst = max(worst, norms[len(norms)-1]/res.ResidualNorm)
			}
		}
	}
	require.Greater(t, worst, 2.0, "the test should contain rising residuals")
}

// The bits are those of every run and of every machine.
func TestSameBitsEveryTime(t *testing.T) {
	golden := map[string]string{
		"CG":    "4dc43c59a5df54e9",
		"GMRES": "ec2bf38d76de09b9",
	}
	a := poisson(t, 11)
	n, _ := a.Dims()
	b := make([]float64, n)
	for i := range b {
		b[i] = float64(i*7919%1009-500) / 1009
	}
	for name, solve := range methods {
		for range 20 {
			x := make([]float64, n)
			_, err := solve(t.Context(), System[[]float64]{Space: NewSerial(n), A: FromCSR(a)}, b, x, Options{RTol: 1e-10})
			require.NoError(t, err)
			h := sha256.New()
			require.NoError(t, binary.Write(h, binary.LittleEndian, x))
			require.Equal(t, golden[name], fmt.Sprintf("%x", h.Sum(nil)[:8]), name)
		}
	}
}

func TestIterationsAllocateNothing(t *testing.T) {
	a := poisson(t, 12)
	n, _ := a.Dims()
	b, x := ones(n), make([]float64, n)
	for name, solve := range methods {
		for _, M := range []Preconditioner[[]float64]{nil, newJacobi(a), PreconditionerFunc[[]float64](newJacobi(a).Apply)} {
			sys := System[[]float64]{Space: NewSerial(n), A: FromCSR(a), M: M}
			allocs := func(iterations int) float64 {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				opt := Options{RTol: 1e-30, MaxIterations: iterations, Restart: 40, TimeLimit: time.Hour, Monitor: func(Progress) {}}
				return testing.AllocsPerRun(3, func() {
					res, err := solve(ctx, sys, b, x, opt)
					if !errors.Is(err, MaxIterations) || res.Iterations != iterations {
						t.Fatal(err)
					}
				})
			}
			// The error's text may take one more; one an iteration would be 25.
			require.InDelta(t, allocs(10), allocs(35), 5, name)
		}
	}
}
