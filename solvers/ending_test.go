package solvers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCancelledInTheMiddle(t *testing.T) {
	a := poisson(t, 10)
	cause := errors.New("enough")
	for name, solve := range methods {
		for _, at := range []int{0, 7} {
			ctx, cancel := context.WithCancelCause(t.Context())
			x := make([]float64, 1000)
			res, err := solve(ctx, System[[]float64]{Space: watch(t, 1000), A: FromCSR(a)}, ones(1000), x,
				Options{RTol: 1e-12, Monitor: func(p Progress) {
					if p.Iteration == at {
						cancel(cause)
					}
				}})
			requireFailure(t, Cancelled, res, err)
			require.ErrorIs(t, err, cause)
			require.Equal(t, at+1, res.Iterations, name)
			require.LessOrEqual(t, res.RelativeResidual, 1.0)
			require.InEpsilon(t, trueResidual(a, ones(1000), x), res.ResidualNorm, 1e-9)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := solve(ctx, System[[]float64]{Space: watch(t, 1000), A: FromCSR(a)}, ones(1000), make([]float64, 1000), Options{})
		requireFailure(t, Cancelled, res, err)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, res.Iterations)
	}
}

// Who is cancelled in the iteration that solves has the solution.
func TestCancelledTooLate(t *testing.T) {
	a := poisson(t, 7)
	b := randomVector(rand.New(rand.NewPCG(10, 1)), 343)
	for name, solve := range methods {
		sys := System[[]float64]{Space: watch(t, 343), A: FromCSR(a)}
		want, err := solve(t.Context(), sys, b, make([]float64, 343), Options{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		got, err := solve(ctx, sys, b, make([]float64, 343), Options{Monitor: func(p Progress) {
			if p.Iteration == want.Iterations-1 {
				cancel()
			}
		}})
		require.NoError(t, err, name)
		require.Equal(t, want, got)
	}
}

// A PE that ends while the best x is chosen does not hide why the solve ended.
func TestFailureAtTheEnd(t *testing.T) {
	a := poisson(t, 4)
	b := randomVector(rand.New(rand.NewPCG(11, 1)), 64)
	for _, solve := range methods {
		calls := 0
		op := OperatorFunc(64, func(y, x []float64) error {
			if calls++; calls > 3 {
				return errSpace
			}
			a.Mul(y, x)
			return nil
		})
		res, err := solve(t.Context(), System[[]float64]{Space: watch(t, 64), A: op}, b, make([]float64, 64), Options{MaxIterations: 3, Restart: 9})
		if errors.Is(err, PEFailed) { // GMRES measures its last cycle first
			require.ErrorIs(t, err, errSpace)
			continue
		}
		requireFailure(t, MaxIterations, res, err)
		require.ErrorIs(t, err, errSpace)
	}
}

// A world that ends with its context fails every call: that is no failure of a PE.
func TestCancelledWorld(t *testing.T) {
	for _, solve := range methods {
		for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
			op := OperatorFunc(3, func(y, x []float64) error { return fmt.Errorf("PE 0: %w", cause) })
			res, err := solve(t.Context(), System[[]float64]{Space: watch(t, 3), A: op}, ones(3), make([]float64, 3), Options{})
			requireFailure(t, Cancelled, res, err)
			require.ErrorIs(t, err, cause)
		}
	}
}

func TestAnotherPEVotes(t *testing.T) {
	a := poisson(t, 8)
	for _, solve := range methods {
		for votes, reason := range map[Votes]Reason{VoteCancel: Cancelled, VoteTimeLimit: TimeLimit, VoteCancel | VoteTimeLimit: Cancelled} {
			for at := 1; at < 15; at++ {
				space := watch(t, 512)
				space.voteAt, space.otherVote = at, votes
				res, err := solve(t.Context(), System[[]float64]{Space: space, A: OperatorFunc(512, FromCSR(a).Mul)},
					ones(512), make([]float64, 512), Options{RTol: 1e-12})
				if err == nil {
					continue // the vote fell into a reduction that nobody asks about
				}
				requireFailure(t, reason, res, err)
			}
		}
	}
}

func TestTimeLimit(t *testing.T) {
	a := poisson(t, 8)
	for name, solve := range methods {
		op := OperatorFunc(512, func(y, x []float64) error { time.Sleep(20 * time.Millisecond); a.Mul(y, x); return nil })
		x := make([]float64, 512)
		res, err := solve(t.Context(), System[[]float64]{Space: NewSerial(512), A: op}, ones(512), x,
			Options{RTol: 1e-300, TimeLimit: 300 * time.Millisecond})
		requireFailure(t, TimeLimit, res, err)
		require.Positive(t, res.Iterations, name)
		require.LessOrEqual(t, res.Iterations, 16, name)
		require.InEpsilon(t, trueResidual(a, ones(512), x), res.ResidualNorm, 1e-9)
	}
}

func TestOperationsThatFail(t *testing.T) {
	a := poisson(t, 4)
	b := randomVector(rand.New(rand.NewPCG(9, 1)), 64)
	broken := errors.New("broken")
	for name, solve := range methods {
		for _, M := range []Preconditioner[[]float64]{nil, newJacobi(a), PreconditionerFunc[[]float64](newJacobi(a).Apply)} {
			for at := 1; at < 25; at++ {
				space := watch(t, 64)
				space.failAt = at
				res, err := solve(t.Context(), System[[]float64]{Space: space, A: OperatorFunc(64, FromCSR(a).Mul), M: M},
					b, make([]float64, 64), Options{RTol: 1e-14, Restart: 5})
				if err == nil {
					require.Greater(t, at, 10)
					continue
				}
				requireFailure(t, PEFailed, res, err)
				require.ErrorIs(t, err, errSpace, "%s call %d", name, at)
			}
			for at := 1; at < 5; at++ {
				space := watch(t, 64)
				space.failNew = at
				res, err := solve(t.Context(), System[[]float64]{Space: space, A: FromCSR(a), M: M}, b, make([]float64, 64), Options{})
				if err != nil {
					requireFailure(t, PEFailed, res, err)
				}
			}
		}
		for at := 1; at < 8; at++ {
			calls := 0
			fails := func(y, x []float64) error {
				if calls++; calls == at {
					return fmt.Errorf("call %d: %w", calls, broken)
				}
				a.Mul(y, x)
				return nil
			}
			res, err := solve(t.Context(), System[[]float64]{Space: watch(t, 64), A: OperatorFunc(64, fails)},
				b, make([]float64, 64), Options{RTol: 1e-14, Restart: 2})
			requireFailure(t, PEFailed, res, err)
			require.ErrorIs(t, err, broken)

			calls = 0
			res, err = solve(t.Context(), System[[]float64]{Space: watch(t, 64), A: FromCSR(a), M: PreconditionerFunc[[]float64](fails)},
				b, make([]float64, 64), Options{RTol: 1e-14, Restart: 2})
			requireFailure(t, PreconditionerFailed, res, err)
			require.ErrorIs(t, err, broken)
		}
	}
}
